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
  /** Added or edited anywhere in the repository. */
  readonly files: number;
}

const MARK = '\u0001';
const BETWEEN = '\u0002';

/** Empty for a folder that is in no checkout, and for one without a commit. */
export async function commitSubjects(folder: string, most: number, signal?: AbortSignal): Promise<readonly CommitSubject[]> {
  const repository = await openRepository(folder, signal);
  if (repository === undefined || repository.bare) return [];
  const shown = [
    '-z',
    '--no-merges',
    '--no-renames',
    '--name-only',
    '--diff-filter=AM',
    '--no-ext-diff',
    '--no-textconv',
    '--no-relative',
    '-O/dev/null',
  ];
  const asked = ['log', ...shown, '--no-show-signature', '--no-color', `--max-count=${most}`, '--format=%x01%H%x02%s'];
  if ((await commitOf(repository)) === undefined) return [];
  const { stdout } = await git([...asked, '--end-of-options', 'HEAD'], repository.options);
  const commits: { id: string; subject: string; paths: string[]; files: number }[] = [];
  for (const { text, exact } of records(stdout)) {
    const record = text.replace(/^\n/, '');
    if (record.startsWith(MARK)) {
      const [id = '', subject = ''] = record.slice(1).split(BETWEEN);
      commits.push({ id, subject: subject.trim(), paths: [], files: 0 });
      continue;
    }
    const last = commits.at(-1);
    if (record === '' || last === undefined) continue;
    last.files += 1;
    if (exact && record.startsWith(repository.prefix)) last.paths.push(record.slice(repository.prefix.length));
  }
  return commits;
}
