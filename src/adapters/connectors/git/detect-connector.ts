/** Which connector suits a folder: `git` inside a work tree that git can read, else `directory`. */
import { openRepository } from './repository.js';

export async function detectConnector(path: string): Promise<'git' | 'directory'> {
  try {
    const repository = await openRepository(path);
    return repository === undefined || repository.bare ? 'directory' : 'git';
  } catch {
    // No git, a checkout of another user, a folder that is not there: a plain walk reads it or says precisely why not.
    return 'directory';
  }
}
