/** Link targets as the text they are filed under in link segments, and back. */
import type { LinkTarget } from '../../../domain/prepared-page.js';
import { nameKey } from '../../../engine/page-names.js';

const PAGE = 'p';
const NAME = 'n';
/** Between paths; no path holds it. */
const BREAK = '\0';

export type FiledTarget = { readonly paths: readonly string[] } | { readonly name: string };

/** Undefined for links that lead out of the library or stay on their page. */
export function targetKey(target: LinkTarget): string | undefined {
  if (target.to === 'page') return PAGE + target.paths.join(BREAK);
  if (target.to === 'name') return NAME + nameKey(target.name);
  return undefined;
}

export function targetOfKey(key: string): FiledTarget {
  return key.startsWith(PAGE) ? { paths: key.slice(1).split(BREAK) } : { name: key.slice(1) };
}
