/**
 * Reads a request file: JSON or YAML, the same fields that `context` takes everywhere.
 *
 * Invariant: YAML core schema only; what cannot be read is said with its line, and nothing of it is used.
 */
import { resolve } from 'node:path';
import { isMap, LineCounter, parseDocument } from 'yaml';
import { Fault } from '../../kernel/errors.js';
import { readTextFile } from './read-input.js';

const MOST_BYTES = 8 * 1024 * 1024;

/** `-` is stdin. Which fields there may be is for the operation to say. */
export async function readRequestFile(file: string, cwd: string): Promise<Record<string, unknown>> {
  const text = await readTextFile(file === '-' ? file : resolve(cwd, file), MOST_BYTES);
  const lines = new LineCounter();
  const document = parseDocument(text, { schema: 'core', version: '1.2', merge: false, lineCounter: lines, prettyErrors: false });
  const [broken] = document.errors;
  if (broken !== undefined) {
    const { line } = lines.linePos(broken.pos[0]);
    throw invalid(file, `JSON or YAML; line ${line}: ${broken.message.replace(/\.$/, '')}`);
  }
  if (!isMap(document.contents)) throw invalid(file, 'a set of keys, such as `query: rotate the signing key`');
  return plain(file, () => document.toJS({ maxAliasCount: 100 }));
}

function plain(file: string, read: () => unknown): Record<string, unknown> {
  try {
    return read() as Record<string, unknown>;
  } catch (error) {
    throw new Fault(
      'input/invalid',
      { field: `the request in ${nameOf(file)}`, expected: 'without aliases that multiply' },
      { cause: error },
    );
  }
}

function invalid(file: string, expected: string): Fault {
  return new Fault('input/invalid', { field: `the request in ${nameOf(file)}`, expected });
}

export function nameOf(file: string): string {
  return file === '-' ? 'stdin' : file;
}
