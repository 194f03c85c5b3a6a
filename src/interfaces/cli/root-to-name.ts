/**
 * Which folder a person must name for the library that a command was about, seen from the folder they work in.
 *
 * Invariant: what is named opens the same library; where nothing need be named, nothing is.
 */
import { realpath } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { rootAround } from '../../app/configuration/config.js';
import type { Terminal } from './terminal.js';

/** What `--root` must name for this library; undefined where the working folder leads to it by itself. */
export async function rootToName(root: string, given: string, { cwd, env }: Pick<Terminal, 'cwd' | 'env'>): Promise<string | undefined> {
  if ((await rootAround({ cwd, env })) === root) return undefined;
  // A folder that stands inside a library is not itself its root.
  const isRoot = (await realpath(resolve(cwd, given))) === root;
  const written = isRoot ? given : relative(await realpath(cwd), root);
  return written.startsWith('-') ? `./${written}` : written;
}
