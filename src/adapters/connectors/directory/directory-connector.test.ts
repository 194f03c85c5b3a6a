import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, linkSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runs } from '../../../../tests/support/proof-scale.js';
import { registrationAt } from '../../../../tests/support/registrations.js';
import { gitIn, type TemporaryFolder, temporaryFolder } from '../../../../tests/support/temporary-folder.js';
import type { SourceLocation } from '../../../domain/source.js';
import type { Listing } from '../../../ports/connector.js';
import { directoryConnector } from './directory-connector.js';

const never = new AbortController().signal;
let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.dispose());

const list = (over: Partial<SourceLocation> = {}) => directoryConnector().list(registrationAt({ path: folder.path, ...over }), never);
const paths = (listing: Listing) => listing.documents.map((each) => each.path);
const codes = (listing: Listing) => listing.problems.map(({ code, path }) => `${code} ${path}`);

describe('links', () => {
  test('T8.7 cycles end, broken and outside links are reported, editor locks are not', async () => {
    const outside = temporaryFolder();
    folder.write('d/a.md', 'a');
    folder.write('e/b.md', 'b');
    folder.link('d/up', '..');
    folder.link('d/e-again', '../e');
    folder.link('d/broken.md', 'nowhere.md');
    folder.link('d/loop.md', 'loop.md');
    folder.link('d/.#a.md', 'user@host.1234');
    folder.link('d/logo.png', 'nowhere.png');
    outside.write('s.md', 's');
    folder.link('d/out.md', join(outside.path, 's.md'));
    folder.link('d/outside', outside.path);
    const listing = await list();
    expect(paths(listing)).toEqual(['d/a.md', 'e/b.md']);
    expect(codes(listing)).toEqual([
      'walk/link-broken d/broken.md',
      'walk/link-cycle d/loop.md',
      'walk/link-outside d/out.md',
      'walk/link-outside d/outside',
    ]);
    outside.dispose();
  });

  test('T8.7 a hard link to a file elsewhere is said once for a source; names within it are no matter', async () => {
    const outside = temporaryFolder();
    outside.write('salaries.md', 's');
    folder.write('d/a.md', 'a');
    linkSync(join(folder.path, 'd/a.md'), join(folder.path, 'd/b.md'));
    expect(codes(await list())).toEqual([]);
    linkSync(join(outside.path, 'salaries.md'), join(folder.path, 'd/z.md'));
    linkSync(join(outside.path, 'salaries.md'), join(folder.path, 'd/y.md'));
    const listing = await list();
    expect(paths(listing)).toEqual(['d/a.md', 'd/b.md', 'd/y.md', 'd/z.md']);
    expect([codes(listing), listing.problems[0]?.severity]).toEqual([['walk/hard-link d/y.md'], 'info']);
    expect(codes(await list({ exclude: ['d/y.md', 'd/z.md'] }))).toEqual([]);
    outside.dispose();
  });

  test('a link brings in what no name of its own does, and nothing that is left out where it really is', async () => {
    folder.write('.gitignore', 'private/\n');
    folder.write('store/guide.md', 'g');
    folder.write('private/p.md', 'p');
    folder.write('node_modules/m/README.md', 'm');
    folder.write('.hidden/h.md', 'h');
    folder.link('docs/guide.md', '../store/guide.md');
    folder.link('docs/store', '../store');
    folder.link('docs/private', '../private');
    folder.link('docs/p.md', '../private/p.md');
    folder.link('docs/modules', '../node_modules/m');
    folder.link('docs/hidden', '../.hidden');
    expect(paths(await list())).toEqual(['store/guide.md']);
    expect(paths(await list({ include: ['docs/**'] }))).toEqual(['docs/guide.md']);
  });

  test('the root itself may be a link; hard links are two pages', async () => {
    folder.write('real/a.md', 'a');
    linkSync(join(folder.path, 'real/a.md'), join(folder.path, 'real/b.md'));
    symlinkSync('real', join(folder.path, 'alias'));
    const listing = await directoryConnector().list(registrationAt({ path: join(folder.path, 'alias') }), never);
    expect(paths(listing)).toEqual(['a.md', 'b.md']);
  });
});

describe('what cannot be seen', () => {
  test.skipIf(process.platform === 'win32')('ING-07 an unreadable folder is named, and the walk is partial', async () => {
    folder.write('a.md', 'a');
    folder.write('closed/deep/c.md', 'c');
    const root = process.getuid?.() === 0;
    if (root) giveAway(folder.path);
    chmodSync(join(folder.path, 'closed'), 0o000);
    try {
      if (root) process.seteuid?.(65534);
      const listing = await list();
      expect(paths(listing)).toEqual(['a.md']);
      expect(listing).toMatchObject({ walk: 'partial', unseen: ['closed/'] });
      expect(codes(listing)).toEqual(['walk/folder-unreadable closed']);
    } finally {
      if (root) process.seteuid?.(0);
    }
  });

  test.skipIf(process.platform === 'win32')('a file that cannot be opened is an answer about that file', async () => {
    folder.write('a.md', 'a');
    execFileSync('mkfifo', [join(folder.path, 'pipe.md')]);
    const found = [];
    const documents = [
      { path: 'pipe.md', sizeBytes: 0 },
      { path: 'a.md', sizeBytes: 1 },
    ];
    for await (const each of directoryConnector().read(registrationAt({ path: folder.path }), documents, never))
      found.push('problem' in each ? each.problem.code : each.path);
    expect(found).toEqual(['page/unreadable', 'a.md']);
    expect(paths(await list())).toEqual(['a.md']);
  });

  test.skipIf(process.platform !== 'linux')('names that are not UTF-8 are reported and hurt nobody else', async () => {
    folder.write('a.md', 'a');
    const at = (name: Buffer) => Buffer.concat([Buffer.from(`${folder.path}/`), name]);
    writeFileSync(at(Buffer.from([0xff, 0x2e, 0x6d, 0x64])), 'x');
    mkdirSync(at(Buffer.from([0xc0, 0x41])));
    const listing = await list();
    expect(paths(listing)).toEqual(['a.md']);
    expect(listing.problems.map(({ code }) => code)).toEqual(['page/unreadable', 'page/unreadable']);
  });
});

describe('what is left out', () => {
  test('folders that say they are generated', async () => {
    folder.write('target/CACHEDIR.TAG', 'Signature: 8a477f597d28d172789f06886806bc55');
    folder.write('target/doc/a.md', 'a');
    folder.write('env/pyvenv.cfg', '');
    folder.write('env/lib/README.md', 'r');
    folder.write('build/b.md', 'b');
    const listing = await list();
    expect(paths(listing)).toEqual(['build/b.md']);
    expect(listing.ignored).toEqual({ generated: 2 });
  });

  test('every rule says how much it left out', async () => {
    folder.write('.gitignore', '*.tmp.md\nout/\n');
    folder.write('.colophonignore', 'drafts/\n');
    for (const path of ['a.md', 'b.tmp.md', 'c.tmp.md', 'out/o.md', 'drafts/d.md', 'old/e.md', '.x/f.md', 'node_modules/g.md'])
      folder.write(path, path);
    const listing = await list({ exclude: ['old/**'] });
    expect(paths(listing)).toEqual(['a.md']);
    expect(listing.ignored).toEqual({ colophonignore: 1, dependencies: 1, exclude: 1, gitignore: 3, hidden: 1 });
  });

  test('ignore files give the answer that git gives, on generated trees and rules', async () => {
    const name = fc.constantFrom('a', 'b', 'c.md', 'd.md', 'x y.md', '[k].md', 'e');
    const pattern = fc
      .tuple(
        fc.constantFrom('', '!', '!', '/'),
        fc.constantFrom('', '**/', 'a/', 'b/'),
        fc.constantFrom('a', 'b', '*.md', 'c.md', 'd.*', '*', 'e', '?', '[a-d]*', 'x*', 'x y.md', '\\[k\\].md'),
        fc.constantFrom('', '/', '/**', '/*'),
      )
      .map((parts) => parts.join('').replace('!/', '!'));
    const rules = fc.array(pattern, { minLength: 1, maxLength: 5 }).map((lines) => `${lines.join('\n')}\n`);
    const at = fc.constantFrom('', 'a/', 'a/b/', 'b/');
    const tree = fc.array(fc.array(name, { minLength: 1, maxLength: 4 }), { minLength: 3, maxLength: 12 });
    let at0 = 0;
    await fc.assert(
      fc.asyncProperty(tree, fc.array(fc.tuple(at, rules), { minLength: 1, maxLength: 3 }), async (files, ignoring) => {
        const root = `t${at0++}`;
        mkdirSync(join(folder.path, root));
        gitIn(join(folder.path, root), ['init', '-q']);
        for (const parts of files) tryWrite(join(root, ...parts, 'leaf.md'));
        for (const [where, text] of ignoring) tryWrite(join(root, where, '.gitignore'), text);
        const asked = gitIn(join(folder.path, root), ['ls-files', '-z', '-o', '--exclude-standard', '--', '*.md']);
        const expected = asked
          .split('\0')
          .filter((each) => each !== '' && !each.startsWith('.'))
          .sort();
        const listing = await directoryConnector().list(registrationAt({ path: join(folder.path, root) }), never);
        expect(paths(listing), JSON.stringify(ignoring)).toEqual(expected);
      }),
      { numRuns: runs(60), seed: 11 },
    );
  });
});

/** A generated tree may name a file where it already has a folder; then the first one stays. */
function tryWrite(path: string, text = 'x'): void {
  try {
    folder.write(path, text);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && ['ENOTDIR', 'EISDIR', 'EEXIST'].includes(String(error.code)))) throw error;
  }
}

function giveAway(place: string): void {
  chownSync(place, 65534, 65534);
  if (statSync(place).isDirectory()) for (const name of readdirSync(place)) giveAway(join(place, name));
}
