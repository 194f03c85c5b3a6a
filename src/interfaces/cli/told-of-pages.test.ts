/** What a person is told of pages that no answer holds: those kept back by an order, and those that could not be taken in. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runInProcess } from '../../../tests/support/run-in-process.js';
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.js';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.dispose());

const run = (...argv: readonly string[]) => runInProcess(folder.path, argv);

it('status names a quarantined page before the warnings, however many there are', async () => {
  for (let at = 0; at < 8; at++) folder.write(`docs/note-${at}.md`, `---\nvalid_until: [no day\n---\n# Note ${at}\n\nA note on terns.\n`);
  folder.write('docs/terns.md', '# Terns\n\nTerns nest on gravel.\n');
  folder.write('colophon.yaml', 'version: 1\nprofile: personal\nsources: [./docs]\n');
  await run('index');
  expect(await run('page', 'quarantine', 'docs/terns.md', '--reason', 'it came by mistake')).toMatchObject({ code: 0 });
  const [first, second, ...rest] = (await run('status')).stderr.trim().split('\n');
  expect(first).toBe('note terns.md: This page is quarantined: no answer holds it.');
  expect(second).toMatch(/^(?:warning|error) note-0\.md/);
  expect(rest.at(-1)).toMatch(/^… and \d+ more/);
});

it('a question that indexes tells how many pages could not be taken in, and index names them', async () => {
  folder.write('docs/terns.md', '# Terns\n\nTerns nest on gravel.\n');
  folder.write('docs/huge.md', `# Huge\n\n${'All of it is too long. '.repeat(2_000_000)}`);
  const asked = await run('./docs', 'where do terns nest');
  expect(asked.stderr).toContain('indexed: 1 added, 1 could not be taken in (colophon index names it)\n');
  expect((await run('index', '--root', 'docs')).stderr).toContain('huge.md');
});
