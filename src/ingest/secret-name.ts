/**
 * A secret in a file's name: what is said of a document that cannot even be named.
 *
 * A path is what a page is known by and cannot be masked. The folder leads to the file without naming it.
 * Invariant: the path itself is in nothing that comes back.
 */
import type { Problem } from '../domain/problem.js';
import type { SecretScanner } from '../ports/secret-scanner.js';
import { pageProblems } from './page-problems.js';

/** The problem that stands for the document, or undefined when its name holds no secret. */
export async function secretInName(path: string, source: string, scanner: SecretScanner): Promise<Problem | undefined> {
  if (path === '' || (await scanner.scan(path)).length === 0) return undefined;
  let folder = folderOf(path);
  while (folder !== '' && (await scanner.scan(folder)).length > 0) folder = folderOf(folder);
  const { note, list } = pageProblems(source, folder);
  note({
    code: 'page/secret-masked',
    severity: 'error',
    message: `A file ${folder === '' ? 'in the top folder' : `under ${folder}`} has a secret in its name; it is not indexed.`,
    hint: 'Rename the file or folder and replace the credential: whoever can list the source has it.',
  });
  return list[0];
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
