/**
 * The files a policy stands in: a folder of YAML files, or one file; `tests.yaml` (or `name.tests.yaml`) beside them is no part of it.
 *
 * Invariant: what is handed out was read whole, and was there unchanged before and after it was read.
 */
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Fault } from '../../kernel/errors.js';
import { boundedText } from '../configuration/bounded-text.js';
import type { PolicyPlace } from '../library.js';

export interface PolicyText {
  readonly file: string;
  readonly text: string;
}

export interface PolicyTexts {
  readonly files: readonly PolicyText[];
  readonly mark: FilesMark;
}

/** What tells that files are still those that were read. */
export interface FilesMark {
  readonly text: string;
  /** The latest time any of them was changed at, in milliseconds. */
  readonly changedAt: number;
}

const MOST_FILES = 64;
const MOST_BYTES = 1_048_576;
const MOST_TRIES = 5;

/** Files stay within the library; those of a place that colophon.yaml names itself, within that place. */
export async function readPolicyTexts({ path: place, isDefault }: PolicyPlace, root: string): Promise<PolicyTexts> {
  const isFolder = (await existing(place)).isDirectory();
  const within = [root, ...(isDefault === true ? [] : [isFolder ? place : dirname(place)])];
  for (let attempt = 1; ; attempt += 1) {
    const mark = await markOf(place);
    const files: PolicyText[] = [];
    for (const file of await policyFilesAt(place)) files.push({ file, text: await boundedText(file, { mostBytes: MOST_BYTES, within }) });
    if ((await markOf(place)).text === mark.text || attempt === MOST_TRIES) return { files, mark };
  }
}

/** Cheap to ask for: names, identities, sizes and times. */
export async function markOf(place: string): Promise<FilesMark> {
  const parts: string[] = [];
  let changedAt = 0;
  for (const file of await policyFilesAt(place)) {
    const { dev, ino, size, mtimeNs, ctimeNs } = await existing(file);
    parts.push([file, dev, ino, size, mtimeNs, ctimeNs].join('\0'));
    changedAt = Math.max(changedAt, Number(mtimeNs / 1_000_000n), Number(ctimeNs / 1_000_000n));
  }
  return { text: parts.join('\n'), changedAt };
}

/** Where the tests of this policy stand. */
export function policyTestsFile(place: string): string {
  return /\.ya?ml$/.test(place) ? join(dirname(place), basename(place).replace(/\.(ya?ml)$/, '.tests.$1')) : join(place, 'tests.yaml');
}

export async function policyFilesAt(place: string): Promise<readonly string[]> {
  const found = await existing(place);
  if (found.isFile()) return [place];
  if (!found.isDirectory()) throw new Fault('policy/invalid', { file: place, what: 'it is neither a file nor a folder' });
  const names = (await readdir(place)).filter((name) => /\.ya?ml$/.test(name) && !/(?:^|\.)tests\.ya?ml$/.test(name)).sort();
  if (names.length === 0) throw new Fault('policy/invalid', { file: place, what: 'there is no policy file (`*.yaml`) in it' });
  if (names.length > MOST_FILES) throw new Fault('policy/invalid', { file: place, what: `it holds more than ${MOST_FILES} files` });
  return names.map((name) => join(place, name));
}

async function existing(path: string) {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new Fault(
      'policy/invalid',
      { file: path, what: code === 'ENOENT' ? 'it is not there' : `it cannot be read (${code})` },
      { cause: error },
    );
  }
}
