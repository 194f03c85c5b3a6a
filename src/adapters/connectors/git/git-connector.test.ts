import { chmodSync, chownSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { registrationAt } from '../../../../tests/support/registrations.js';
import { gitIn, type TemporaryFolder, temporaryFolder } from '../../../../tests/support/temporary-folder.js';
import type { SourceLocation } from '../../../domain/source.js';
import { gitBlobId } from '../../../kernel/digest.js';
import type { Listing } from '../../../ports/connector.js';
import { detectConnector } from './detect-connector.js';
import { gitConnector } from './git-connector.js';

const never = new AbortController().signal;
let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.dispose());

const at = (path: string, over: Partial<SourceLocation> = {}) =>
  registrationAt({ connector: 'git', path: join(folder.path, path), ...over });
const list = (path = '.', over: Partial<SourceLocation> = {}) => gitConnector().list(at(path, over), never);
const paths = (listing: Listing) => listing.documents.map((each) => each.path);
const codes = (listing: Listing) => listing.problems.map(({ code, path }) => `${code} ${path}`);
const git = (path: string, ...args: string[]) => gitIn(join(folder.path, path), args);

async function texts(listing: Listing, path = '.', over: Partial<SourceLocation> = {}) {
  const found: Record<string, string> = {};
  for await (const each of gitConnector().read(at(path, over), listing.documents, never)) {
    found[each.path] = 'problem' in each ? each.problem.code : Buffer.from(each.bytes).toString();
  }
  return found;
}

function repository(path: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(join(folder.path, path), { recursive: true });
  git(path, 'init', '-q');
  for (const [name, text] of Object.entries(files)) folder.write(join(path, name), text);
  git(path, 'add', '-A', '-f');
  git(path, 'commit', '-q', '-m', 'one');
}

describe('layouts', () => {
  test('a linked work tree, its detached HEAD and the commit it is at', async () => {
    repository('main', { 'a.md': 'one' });
    folder.write('main/b.md', 'two');
    git('main', 'add', '.');
    git('main', 'commit', '-qm', 'two');
    git('main', 'worktree', 'add', '-q', '--detach', '../wt', 'HEAD~1');
    const main = await list('main');
    const linked = await list('wt');
    expect(paths(main)).toEqual(['a.md', 'b.md']);
    expect(paths(linked)).toEqual(['a.md']);
    expect(linked.commit).toBe(git('wt', 'rev-parse', 'HEAD').trim());
    expect(linked.commit).not.toBe(main.commit);
    expect(await detectConnector(join(folder.path, 'wt'))).toBe('git');
  });

  test('no commit yet, and a folder below the top', async () => {
    mkdirSync(join(folder.path, 'r'));
    git('r', 'init', '-q');
    folder.write('r/.gitignore', '*.tmp.md\n');
    folder.write('r/docs/a.md', 'a');
    folder.write('r/docs/x.tmp.md', 'x');
    folder.write('r/top.md', 't');
    const listing = await list('r/docs');
    expect(paths(listing)).toEqual(['a.md']);
    expect(listing.commit).toBeUndefined();
    expect(listing.ignored).toEqual({ gitignore: 1 });
    await expect(list('r', { ref: 'HEAD' })).rejects.toMatchObject({ code: 'source/unreachable' });
  });

  test('tracked files count even when a pattern ignores them', async () => {
    repository('r', { '.gitignore': 'vendor/\n', 'vendor/kept.md': 'k', 'a.md': 'a' });
    folder.write('r/vendor/untracked.md', 'u');
    expect(paths(await list('r'))).toEqual(['a.md', 'vendor/kept.md']);
  });

  test('a file that was deleted and not yet committed is not listed', async () => {
    repository('r', { 'a.md': 'a', 'b.md': 'b', 'd/c.md': 'c' });
    folder.remove('r/b.md');
    folder.remove('r/d');
    folder.write('r/d', 'now a file');
    expect(paths(await list('r'))).toEqual(['a.md']);
  });

  test('submodules: present ones are descended into, absent ones are named', async () => {
    repository('inner', { 'i.md': 'inner', 'sub/j.md': 'j' });
    repository('outer', { 'o.md': 'outer' });
    git('outer', 'submodule', '--quiet', 'add', '../inner', 'mod');
    git('outer', 'commit', '-qm', 'module');
    folder.write('outer/mod/new.md', 'n');
    expect(paths(await list('outer'))).toEqual(['mod/i.md', 'mod/new.md', 'mod/sub/j.md', 'o.md']);
    const pinned = await list('outer', { ref: 'HEAD' });
    expect(paths(pinned)).toEqual(['mod/i.md', 'mod/sub/j.md', 'o.md']);
    expect(await texts(pinned, 'outer', { ref: 'HEAD' })).toEqual({ 'mod/i.md': 'inner', 'mod/sub/j.md': 'j', 'o.md': 'outer' });
    git('.', 'clone', '-q', 'outer', 'bare-of-modules');
    const without = await list('bare-of-modules');
    expect(paths(without)).toEqual(['o.md']);
    expect(codes(without)).toEqual(['walk/submodule-absent mod']);
    expect(codes(await list('bare-of-modules', { ref: 'HEAD' }))).toEqual(['walk/submodule-absent mod']);
  });

  test('T8.7 a hard link to a file elsewhere is said once for a source', async () => {
    repository('.', { 'a.md': 'a' });
    const outside = temporaryFolder();
    outside.write('salaries.md', 's');
    expect(codes(await list())).toEqual([]);
    linkSync(join(outside.path, 'salaries.md'), join(folder.path, 'b.md'));
    expect(codes(await list())).toEqual(['walk/hard-link b.md']);
    outside.dispose();
  });

  test('a repository cloned into this one is listed once; a linked work tree of this one is not', async () => {
    repository('r', { 'a.md': 'a' });
    repository('r/nested', { 'n.md': 'n' });
    git('r', 'worktree', 'add', '-q', '--detach', 'side');
    const listing = await list('r');
    expect(paths(listing)).toEqual(['a.md', 'nested/n.md']);
    expect(listing.ignored).toEqual({ 'linked-work-tree': 1 });
  });

  test('a shallow clone says so, and is read like any other', async () => {
    repository('o', { 'a.md': 'a' });
    git('o', 'commit', '-q', '--allow-empty', '-m', 'two');
    git('.', 'clone', '-q', '--depth', '1', `file://${folder.path}/o`, 'shallow');
    const listing = await list('shallow');
    expect(paths(listing)).toEqual(['a.md']);
    expect(codes(listing)).toEqual(['source/shallow ']);
  });

  test('sparse: pages outside the checkout are served from the objects, and the listing says so', async () => {
    repository('r', { 'in/a.md': 'in', 'out/b.md': 'out' });
    git('r', 'sparse-checkout', 'set', 'in');
    const listing = await list('r');
    expect(listing.walk).toBe('complete');
    expect(codes(listing)).toEqual(['walk/sparse-absent ']);
    expect(await texts(listing, 'r')).toEqual({ 'in/a.md': 'in', 'out/b.md': 'out' });
    expect(listing.documents[1]?.blob).toBe(gitBlobId(Buffer.from('out')));
  });

  test('a bare repository is read at a ref', async () => {
    repository('r', { 'docs/a.md': 'a' });
    git('.', 'clone', '-q', '--bare', 'r', 'bare.git');
    expect(await texts(await list('bare.git', { ref: 'trunk' }), 'bare.git', { ref: 'trunk' })).toEqual({ 'docs/a.md': 'a' });
    await expect(list('bare.git')).rejects.toMatchObject({ code: 'source/unreachable' });
    expect(await detectConnector(join(folder.path, 'bare.git'))).toBe('directory');
  });

  test('a tag, an older commit and a branch are read as they were, whatever is checked out', async () => {
    repository('r', { 'a.md': 'one' });
    git('r', 'tag', 'v1.0');
    folder.write('r/a.md', 'two');
    git('r', 'commit', '-qam', 'two');
    folder.write('r/a.md', 'not committed');
    for (const [ref, text] of [
      ['v1.0', 'one'],
      ['HEAD~1', 'one'],
      ['trunk', 'two'],
    ] as const) {
      const listing = await list('r', { ref });
      expect(await texts(listing, 'r', { ref })).toEqual({ 'a.md': text });
      expect(listing.cursor).toBe(git('r', 'rev-parse', `${ref}^{commit}`).trim());
    }
    expect(await texts(await list('r'), 'r')).toEqual({ 'a.md': 'not committed' });
  });

  test('names that are not UTF-8 are reported and hurt nobody else', async () => {
    repository('r', { 'a.md': 'a' });
    writeFileSync(Buffer.concat([Buffer.from(join(folder.path, 'r/')), Buffer.from([0xff, 0xfe]), Buffer.from('.md')]), 'x');
    for (const state of ['untracked', 'tracked']) {
      const listing = await list('r');
      expect(paths(listing), state).toEqual(['a.md']);
      expect(
        listing.problems.map(({ code }) => code),
        state,
      ).toEqual(['page/unreadable']);
      git('r', 'add', '-A');
    }
    git('r', 'commit', '-qm', 'odd');
    expect((await list('r', { ref: 'HEAD' })).problems.map(({ code }) => code)).toEqual(['page/unreadable']);
  });
});

describe('what the disk holds decides', () => {
  test('line-end settings and filters change nothing about the bytes', async () => {
    repository('r', { '.gitattributes': '*.md text eol=crlf filter=shout\n', 'a.md': 'x\n' });
    git('r', 'config', 'core.autocrlf', 'true');
    git('r', 'config', 'filter.shout.clean', 'tr a-z A-Z');
    folder.write('r/a.md', 'one\r\ntwo\r\n');
    const listing = await list('r');
    expect(listing.documents.find(({ path }) => path === 'a.md')?.blob).toBeUndefined();
    expect(await texts(listing, 'r')).toMatchObject({ 'a.md': 'one\r\ntwo\r\n' });
  });

  test('an edit that git was told not to see is seen', async () => {
    repository('r', { 'a.md': 'one' });
    git('r', 'update-index', '--assume-unchanged', 'a.md');
    git('r', 'config', 'core.trustctime', 'false');
    folder.write('r/a.md', 'two');
    expect(await texts(await list('r'), 'r')).toEqual({ 'a.md': 'two' });
  });

  test('a large file pointer passes through as it is', async () => {
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n';
    repository('r', { '.gitattributes': '*.md filter=lfs\n', 'big.md': pointer });
    expect(await texts(await list('r'), 'r')).toMatchObject({ 'big.md': pointer });
  });
});

describe('damage and refusals', () => {
  test('a missing and a damaged object are answers about these pages only', async () => {
    repository('r', { 'a.md': 'aaa', 'b.md': 'bbb', 'c.md': 'ccc', 'd.md': 'ddd' });
    const objectOf = (text: string) => {
      const id = gitBlobId(Buffer.from(text));
      return join(folder.path, 'r/.git/objects', id.slice(0, 2), id.slice(2));
    };
    const listing = await list('r', { ref: 'HEAD' });
    rmSync(objectOf('bbb'));
    chmodSync(objectOf('ccc'), 0o644);
    writeFileSync(objectOf('ccc'), readFileSync(objectOf('aaa')));
    expect(await texts(listing, 'r', { ref: 'HEAD' })).toEqual({
      'a.md': 'aaa',
      'b.md': 'page/unreadable',
      'c.md': 'page/unreadable',
      'd.md': 'ddd',
    });
  });

  test('objects that a partial clone left away are not fetched', async () => {
    repository('o', { 'a.md': 'aaa', 'b.md': 'bbb' });
    git('o', 'config', 'uploadpack.allowFilter', 'true');
    git('.', 'clone', '-q', '--bare', '--filter=blob:none', `file://${folder.path}/o`, 'partial.git');
    const before = readdirSync(join(folder.path, 'partial.git/objects/pack')).length;
    const listing = await list('partial.git', { ref: 'trunk' });
    expect(await texts(listing, 'partial.git', { ref: 'trunk' })).toEqual({ 'a.md': 'page/unreadable', 'b.md': 'page/unreadable' });
    expect(readdirSync(join(folder.path, 'partial.git/objects/pack'))).toHaveLength(before);
  });

  test('a folder that is no checkout, a ref that names nothing, and a missing git each say so', async () => {
    folder.write('plain/a.md', 'a');
    folder.write('plain/.git/HEAD', 'ref: refs/heads/x\n');
    await expect(list('plain')).rejects.toMatchObject({ code: 'source/unreachable' });
    expect(await detectConnector(join(folder.path, 'plain'))).toBe('directory');
    repository('r', { 'a.md': 'a' });
    await expect(list('r', { ref: 'nope' })).rejects.toThrow(/does not name a commit/);
    await expect(list('r', { ref: '--output=x' })).rejects.toMatchObject({ code: 'input/invalid' });
    const path = process.env['PATH'];
    try {
      process.env['PATH'] = folder.path;
      await expect(list('r')).rejects.toThrow(/git is not installed/);
      expect(await detectConnector(join(folder.path, 'r'))).toBe('directory');
    } finally {
      process.env['PATH'] = path;
    }
  });

  test("a surrounding hook's environment does not lead to another repository", async () => {
    repository('r', { 'a.md': 'a' });
    repository('other', { 'secret.md': 's' });
    try {
      process.env['GIT_DIR'] = join(folder.path, 'other/.git');
      process.env['GIT_WORK_TREE'] = join(folder.path, 'other');
      expect(paths(await list('r'))).toEqual(['a.md']);
    } finally {
      delete process.env['GIT_DIR'];
      delete process.env['GIT_WORK_TREE'];
    }
  });

  test.skipIf(process.getuid?.() !== 0)(
    'a checkout of another user is refused with what to do, until its reader declares it safe',
    async () => {
      repository('r', { 'a.md': 'a' });
      chownSync(join(folder.path, 'r'), 65534, 65534);
      await expect(list('r')).rejects.toThrow(/safe\.directory/);
      const home = process.env['HOME'];
      try {
        process.env['HOME'] = folder.path;
        folder.write('.gitconfig', `[safe]\n\tdirectory = ${join(folder.path, 'r')}\n`);
        expect(paths(await list('r'))).toEqual(['a.md']);
      } finally {
        process.env['HOME'] = home;
      }
    },
  );

  test.skipIf(process.platform === 'win32')('ING-07 a folder that cannot be read is named, and the walk is partial', async () => {
    repository('r', { 'a.md': 'a', 'closed/b.md': 'b', 'closed/deep/c.md': 'c' });
    folder.write('r/private/u.md', 'u');
    // Everything belongs to the reader, so that git does not refuse the checkout itself.
    const root = process.getuid?.() === 0;
    if (root) gitChown(join(folder.path, 'r'));
    chmodSync(join(folder.path, 'r/closed'), 0o000);
    chmodSync(join(folder.path, 'r/private'), 0o000);
    try {
      if (root) process.seteuid?.(65534);
      const listing = await list('r');
      expect(paths(listing)).toEqual(['a.md']);
      expect(listing.walk).toBe('partial');
      expect(listing.unseen).toEqual(['closed/', 'private/']);
    } finally {
      if (root) process.seteuid?.(0);
    }
  });
});

function gitChown(place: string): void {
  chownSync(place, 65534, 65534);
  if (!statSync(place).isDirectory()) return;
  for (const name of readdirSync(place)) gitChown(join(place, name));
}
