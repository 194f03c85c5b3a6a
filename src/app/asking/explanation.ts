/** The ways a package is explained, for the surfaces: they may not look into stages, so what they need stands here. */
import type { ContextPackage } from '../../domain/context-package.js';

export { explainPackage, type PaintRole } from '../../context/explain-text.js';

/** One page for people who have never seen a package; read from disk only when it is asked for. */
export async function explainHtml(entry: ContextPackage, pointed: (command: string) => string): Promise<string> {
  const { explainHtml: written } = await import('../../context/explain-html.js');
  return written(entry, pointed);
}
