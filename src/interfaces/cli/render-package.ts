/** A package as a page for a terminal: the explanation of the context stage, in this terminal's colours and width. */

import type { PaintRole } from '../../app/asking/explanation.js';
import type { ContextPackage } from '../../domain/context-package.js';
import type { Cli } from './cli.js';
import type { Colors } from './terminal.js';

export async function renderPackage(entry: ContextPackage, { terminal, pointed }: Pick<Cli, 'terminal' | 'pointed'>): Promise<string> {
  const { explainPackage } = await import('../../app/asking/explanation.js');
  const paints = paintsOf(terminal.colors);
  return explainPackage(entry, terminal.width, (role, text) => paints[role](text), pointed);
}

function paintsOf(colors: Colors): Readonly<Record<PaintRole, (text: string) => string>> {
  return {
    heading: (text) => colors.bold(colors.underline(text)),
    strong: colors.bold,
    plain: (text) => text,
    dim: colors.dim,
    good: colors.green,
    warn: colors.yellow,
    bad: colors.red,
    accent: colors.cyan,
  };
}
