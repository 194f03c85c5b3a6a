/** How the command line treats a newcomer: what it says, what it keeps quiet about, and what it refuses to take for a question. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environment, type Run, runCommand } from '../support/built-command.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';

let docs: TemporaryFolder;
let home: TemporaryFolder;

beforeAll(() => {
  docs = temporaryFolder();
  home = temporaryFolder();
  docs.write(
    'keys.md',
    '# Signing keys\n\n## Rotate\n\nRun `keyctl rotate` to rotate a signing key. See [the manual](https://example.org/m#top).\n',
  );
  docs.write('gate.md', '# The gate\n\nThe gate opens at dawn.\n');
});
afterAll(() => {
  docs.dispose();
  home.dispose();
});

const run = (...args: string[]): Promise<Run> => runCommand(args, { cwd: docs.path, env: environment(home.path) });

describe('a question', () => {
  it('says what it indexed, and nothing when there was nothing to do', async () => {
    expect((await run('how do I rotate a signing key')).stderr).toBe('indexed: 2 added\n');
    expect((await run('how do I rotate a signing key')).stderr).toBe('');
    docs.write('more.md', '# More\n\nText.\n');
    expect((await run('how do I rotate a signing key')).stderr).toBe('indexed: 1 added\n');
    docs.remove('more.md');
    expect((await run('how do I rotate a signing key', '--progress', 'json')).stderr).toContain('colophon/progress@1');
  });

  it('too small a budget prints the reason', async () => {
    const done = await run('context', 'how do I rotate a signing key', '--budget', '10');
    expect(done.code).toBe(1);
    expect(done.stdout.trim()).toMatch(/\w.*\.$/);
    expect((await run('context', 'how do I rotate a signing key', '--budget', '10', '--rendered')).stdout.trim()).toBe('');
  });

  it.each(['docs/nothing', './nothing', '~nobody', '.hidden', 'notes.md', '/nonexistent'])('%s is no question', async (word) => {
    for (const line of [[word], [word, 'how do I rotate a key']]) {
      const done = await run(...line);
      expect(done).toMatchObject({ code: 2, stdout: '' });
      expect(done.stderr).toMatch(/no such folder\.\n.*quotes/);
    }
    expect((await run('--', word, 'rotate')).code).toBeLessThan(3);
  });

  it('a page is not a folder', async () => {
    const done = await run('keys.md');
    expect(done.code).toBe(2);
    expect(done.stderr).toContain('colophon get keys.md');
  });

  it('with a slash in a sentence is a question', async () => {
    expect((await run('how do I rotate a signing/master key')).code).not.toBe(2);
  });

  it('does not walk a home folder or a disk that nobody named', async () => {
    for (const cwd of [docs.path, '/']) {
      const done = await runCommand(['how do I rotate a signing key'], { cwd, env: environment(docs.path) });
      expect(done).toMatchObject({ code: 2, stdout: '' });
      expect(done.stderr).toMatch(/home folder|whole disk/);
    }
    docs.remove('state');
    const named = await runCommand([docs.path, 'how do I rotate a signing key'], {
      cwd: docs.path,
      env: { ...environment(docs.path), COLOPHON_HOME: `${home.path}/named` },
    });
    expect(named.code).toBe(0);
  });
});

describe('an empty folder', () => {
  it('says what would have been read', async () => {
    const empty = temporaryFolder();
    try {
      empty.write('image.png', 'no text');
      const shown = await runCommand([empty.path], { cwd: home.path, env: environment(home.path) });
      expect(shown).toMatchObject({ code: 1, stdout: expect.stringMatching(/^0 pages; .*\.md.*\.txt/) });
      const asked = await runCommand([empty.path, 'where is the key'], { cwd: home.path, env: environment(home.path) });
      expect(asked.code).toBe(1);
      expect(asked.stderr).toContain('has no documents');
      const indexed = await runCommand(['index', empty.path, '--json'], { cwd: home.path, env: environment(home.path) });
      expect(JSON.parse(indexed.stdout).problems).toMatchObject([{ code: 'source/empty' }]);
    } finally {
      empty.dispose();
    }
  });
});

describe('what is shown', () => {
  it('a group without a verb shows its help', async () => {
    for (const group of ['package', 'eval']) {
      const done = await run(group);
      expect(done).toMatchObject({ code: 0, stderr: '' });
      expect(done.stdout).toMatch(/Commands:(?:.|\n)*Example:\n {2}colophon/);
      expect((await run(group, 'nonsense')).code).toBe(2);
    }
  });

  it('a link that leads elsewhere has its anchor once', async () => {
    expect((await run('get', 'keys.md', '--links')).stdout).toContain(' https://example.org/m#top\n');
  });

  it('search shows labels and the reason, and ends its sentences once', async () => {
    const done = await run('search', 'rotate signing key');
    const { hits } = JSON.parse((await run('search', 'rotate signing key', '--json')).stdout);
    expect(done.stdout).toContain('unreviewed');
    expect(done.stdout.replaceAll(/\s+/g, ' ')).toContain(hits[0].reason);
    const none = await run('search', 'zyzzyva');
    expect(none.stdout).toMatch(/^Nothing found: .*[^.]\.\n$/);
  });

  it('COLUMNS rules where there is no terminal', async () => {
    const narrow = await runCommand(['how do I rotate a signing key'], {
      cwd: docs.path,
      env: { ...environment(home.path), COLUMNS: '50' },
    });
    expect(Math.max(...narrow.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(50);
  });

  it('a package that is not there leads to the list of those that are', async () => {
    expect((await run('package', 'show', 'abcdef012345')).stderr).toContain('colophon package list');
  });
});
