/**
 * Command words that take from root what makes modes meaningless, so that a folder without `w` is read-only for the program under
 * test. Root keeps its own files readable; anyone else needs nothing.
 */
import { spawnSync } from 'node:child_process';

const SETPRIV = ['setpriv', '--bounding-set', '-dac_override,-dac_read_search'] as const;

export function withoutOverride(): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  if (spawnSync(SETPRIV[0], [...SETPRIV.slice(1), 'true']).status !== 0)
    throw new Error('setpriv is missing: run as an ordinary user, or install util-linux');
  return SETPRIV;
}
