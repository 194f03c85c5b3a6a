/**
 * What a path as people write it may mean in the index: from a source's root, from the library's root, absolute, or after a
 * source's id, as contexts print it too: `people leave.md`.
 *
 * Invariant: a reading is a key to look up among eligible pages; nothing is opened, and what lies outside every source has none.
 */
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { LibraryConfig } from '../library.js';
import { plainPath } from '../operations/scope.js';

export interface PathReading {
  /** Undefined: whichever source has it. */
  readonly source: string | undefined;
  /** From the source's root; empty is the root itself. */
  readonly path: string;
}

type Places = Pick<LibraryConfig, 'root' | 'sources'>;

/** The most literal first. */
export function pathReadings({ root, sources }: Places, written: string): readonly PathReading[] {
  const plain = plainPath(written);
  const ids = sources.map(({ id }) => id);
  const afterSource = (sign: string): readonly PathReading[] => {
    const at = plain.indexOf(sign);
    return at > 0 && ids.includes(plain.slice(0, at)) ? [{ source: plain.slice(0, at), path: plain.slice(at + 1) }] : [];
  };
  const folder = /[\\/]$/.test(plain) ? '/' : '';
  const absolute = resolve(root, plain);
  const inside = sources.flatMap(({ id, location }): PathReading[] => {
    const from = relative(location.path, absolute).split(sep).join('/');
    if (from === '..' || from.startsWith('../') || isAbsolute(from)) return [];
    return [{ source: id, path: from === '' ? '' : from + folder }];
  });
  return [
    { source: undefined, path: written },
    { source: undefined, path: plain },
    ...inside,
    ...afterSource('/'),
    ...afterSource(':'),
    ...ids.filter((id) => plain === id || plain === `${id}/`).map((source) => ({ source, path: '' })),
    ...afterSource(' '),
  ];
}

/**
 * The same readings with letters and their accents written in one sign, and in several: keyboards and file systems differ in it, and nobody
 * sees it. To be asked when nothing has the name as it was written.
 */
export function respelt(readings: readonly PathReading[]): readonly PathReading[] {
  const written = new Set(readings.map(({ path }) => path));
  return (['NFC', 'NFD'] as const)
    .flatMap((form) => readings.map((each) => ({ ...each, path: each.path.normalize(form) })))
    .filter(({ path }) => !written.has(path));
}

/** `./x` and `../x` typed below the library's root start from where they are typed; at the root they start there anyway. */
export function fromWorkingFolder({ root }: Pick<LibraryConfig, 'root'>, cwd: string, written: string): string {
  if (!/^\.{1,2}(?:[\\/]|$)/.test(written)) return written;
  const below = relative(root, cwd);
  if (below === '' || below.startsWith('..') || isAbsolute(below)) return written;
  return resolve(cwd, written) + (/[\\/.]$/.test(written) ? '/' : '');
}
