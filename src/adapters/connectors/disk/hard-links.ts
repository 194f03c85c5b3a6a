/**
 * Hard links: names of one file, of which some may lie outside of the source.
 *
 * Such a file cannot be told from any other, and trees that are made of links are common (copies that save space, package stores), so it
 * is indexed; that it is there is said once for a source. Names within the source are no matter: both are listed.
 */
import type { BigIntStats } from 'node:fs';
import type { Problem } from '../../../domain/problem.js';

export class HardLinks {
  readonly #seen = new Map<string, { path: string; readonly names: number; found: number }>();

  see(path: string, { nlink, dev, ino }: Pick<BigIntStats, 'nlink' | 'dev' | 'ino'>): void {
    if (nlink < 2n) return;
    const key = `${dev} ${ino}`;
    const seen = this.#seen.get(key);
    if (seen === undefined) {
      this.#seen.set(key, { path, names: Number(nlink), found: 1 });
      return;
    }
    seen.found += 1;
    if (path < seen.path) seen.path = path;
  }

  /** Undefined where every name of every file was listed. */
  problem(): Pick<Problem, 'code' | 'severity' | 'path' | 'message' | 'hint'> | undefined {
    const elsewhere = [...this.#seen.values()].filter(({ names, found }) => found < names).map(({ path }) => path);
    elsewhere.sort();
    const [first] = elsewhere;
    if (first === undefined) return undefined;
    const which = elsewhere.length === 1 ? 'One document has' : `${elsewhere.length} documents have`;
    return {
      code: 'walk/hard-link',
      severity: 'info',
      path: first,
      message: `${which} another name that is not listed (hard links), ${first} first: the text may be that of a file elsewhere.`,
      hint: 'Nothing needs to be done where the tree was copied with links. Otherwise `find / -samefile` names the other place; `exclude` leaves it out.',
    };
  }
}
