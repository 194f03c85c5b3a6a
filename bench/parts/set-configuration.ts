/** Published path rules of a labelled set, where it has some; undefined otherwise. */
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';

export function setConfigurationFor(folder: string): string | undefined {
  // Not beside this file: it is joined with all it imports, and runs from somewhere else.
  const file = resolve('bench', 'sets', `${basename(folder)}.yaml`);
  return existsSync(file) ? file : undefined;
}
