/**
 * Commit subjects with the files each touched, newest first: what people said they did to a page.
 *
 * Invariant: read in the same harness as everything else of git; merges are left out, renames are an added file.
 */
import { commitOf, openRepository } from './repository.js';
import { git, records } from './run-git.js';

export interface CommitSubject {
  readonly id: string;
  readonly subject: string;
  /** Added or edited, from the folder asked about. */
  readonly paths: readonly string[];
}

const MARK = '\u0001';
const BETWEEN = '\u0002';

/** Empty for a folder that is in no checkout, and for one without a commit. */
export async function commitSubjects(folder: string, most: number, signal?: AbortSignal): Promise<readonly CommitSubject[]> {
  const repository = await openRepository(folder, signal);
  if (repository === undefined || repository.bare) return [];
  const shown = ['-z', '--no-merges', '--no-renames', '--name-only', '--relative', '--diff-filter=AM', '--no-ext-diff', '--no-textconv'];
  const asked = ['log', ...shown, '--no-show-signature', '--no-color', `--max-count=${most}`, '--format=%x01%H%x02%s'];
  if ((await commitOf(repository)) === undefined) return [];
  const { stdout } = await git([...asked, '--end-of-options', 'HEAD'], repository.options);
  const commits: { id: string; subject: string; paths: string[] }[] = [];
  for (const { text, exact } of records(stdout)) {
    const record = text.replace(/^\n/, '');
    if (record.startsWith(MARK)) {
      const [id = '', subject = ''] = record.slice(1).split(BETWEEN);
      commits.push({ id, subject: subject.trim(), paths: [] });
    } else if (record !== '' && exact) commits.at(-1)?.paths.push(record);
  }
  return commits;
}
