/** What every connector means, whatever it reads: the suite behind src/ports/connector.ts. */
import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SourceLocation, SourceRegistration } from '../../src/domain/source.js';
import { gitBlobId } from '../../src/kernel/digest.js';
import type { Connector, Listing, SourceDocument, UnreadDocument } from '../../src/ports/connector.js';
import { registrationAt } from '../support/registrations.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';

export interface ConnectorUnderTest {
  readonly connector: () => Connector;
  readonly location: Omit<Partial<SourceLocation>, 'path'> & Pick<SourceLocation, 'connector'>;
  /** Makes an empty folder into an empty source. */
  readonly prepare: (folder: TemporaryFolder) => void;
  /** Makes what is on disk the state of the source. */
  readonly settle: (folder: TemporaryFolder) => void;
  /** Which ignore files have a say. */
  readonly ignoreFiles: readonly string[];
  readonly readsDisk: boolean;
  /** Whether it can tell of whole documents that they were not written since. */
  readonly signs: boolean;
}

export function connectorContract(name: string, under: ConnectorUnderTest): void {
  describe(`connector contract: ${name}`, () => {
    let folder: TemporaryFolder;
    let connector: Connector;
    const never = new AbortController().signal;

    beforeEach(() => {
      folder = temporaryFolder();
      connector = under.connector();
      under.prepare(folder);
    });
    afterEach(() => folder.dispose());

    const registration = (over: Partial<SourceLocation> = {}): SourceRegistration =>
      registrationAt({ ...under.location, path: folder.path, ...over });
    const given = (files: Readonly<Record<string, string | Uint8Array>>) => {
      for (const [path, content] of Object.entries(files)) folder.write(path, content);
      under.settle(folder);
    };
    const listed = async (over: Partial<SourceLocation> = {}): Promise<Listing> => connector.list(registration(over), never);
    const paths = async (over: Partial<SourceLocation> = {}) => (await listed(over)).documents.map(({ path }) => path);
    const readAll = async (listing: Listing): Promise<(SourceDocument | UnreadDocument)[]> => {
      const found: (SourceDocument | UnreadDocument)[] = [];
      for await (const document of connector.read(registration(), listing.documents, never)) found.push(document);
      return found;
    };

    test('ING-02 states the identity that registrations name, and a version', () => {
      expect(connector.identity).toBe(`workload://colophon/${under.location.connector}`);
      expect(connector.version).toMatch(/^[a-z]+@\d+$/);
    });

    test('lists every document once, by its path from the root, sorted by code unit', async () => {
      given({ 'b.md': 'b', 'a/z.mdx': 'z', 'a.md': 'a', 'a/B.markdown': 'B', 'n.txt': 'n', 'x.png': 'x', 'code.ts': 'c' });
      const listing = await listed();
      expect(listing.documents.map(({ path }) => path)).toEqual(['a.md', 'a/B.markdown', 'a/z.mdx', 'b.md', 'n.txt']);
      expect(listing.walk).toBe('complete');
      expect(listing.unseen).toEqual([]);
    });

    test('an empty source is listed like any other', async () => {
      given({ 'x.png': 'x' });
      expect(await listed()).toMatchObject({ documents: [], walk: 'complete' });
    });

    test('reads the bytes whose blob id it states, in the order asked', async () => {
      given({ 'a.md': '# A\r\n', 'b.md': new Uint8Array([0xff, 0xfe, 0, 10]), 'empty.md': '', 'c/d.md': 'ü'.repeat(100_000) });
      const listing = await listed();
      const reversed = { ...listing, documents: [...listing.documents].reverse() };
      const found = await readAll(reversed);
      expect(found.map(({ path }) => path)).toEqual(['empty.md', 'c/d.md', 'b.md', 'a.md']);
      for (const document of found) {
        if ('problem' in document) throw new Error(document.problem.message);
        expect(document.blob).toBe(gitBlobId(document.bytes));
      }
      expect(Buffer.from((found[3] as SourceDocument).bytes).toString()).toBe('# A\r\n');
    });

    test('takes names of any kind as they are', async () => {
      const names = [
        '🐘.md',
        '[.md',
        '20°.md',
        'Привет.md',
        'a\nb.md',
        '-n.md',
        '--output=x.md',
        "it's $(touch x).md",
        ' lead.md',
        'a\\b.md',
        'cafe\u0301.md',
        'caf\u00e9.md',
        ':(top)x.md',
        'x*.md',
      ];
      given(Object.fromEntries(names.map((each) => [`odd/${each}`, each])));
      const listing = await listed();
      expect(listing.documents.map(({ path }) => path)).toEqual(names.map((each) => `odd/${each}`).sort());
      const found = await readAll(listing);
      expect(found.map((each) => ('problem' in each ? each.problem.message : Buffer.from(each.bytes).toString()))).toEqual(
        [...names].sort(),
      );
    });

    test('reports names that only some disks can tell apart, and lists both', async () => {
      given({ 'Setup.md': 'a', 'SETUP.md': 'b' });
      const listing = await listed();
      expect(listing.documents).toHaveLength(2);
      expect(listing.problems.map(({ code, path }) => [code, path])).toEqual([['page/case-twin', 'Setup.md']]);
    });

    test('leaves out hidden, dependency, secret and temporary names without any ignore file', async () => {
      given({
        'docs/a.md': 'a',
        'node_modules/p/README.md': 'p',
        'docs/node_modules/q.md': 'q',
        '.hidden/h.md': 'h',
        '.env': 'KEY=1',
        '.env.md': 'KEY=2',
        '.w.md.swp': 's',
        '~$a.md': 't',
        'vendor/ours.md': 'v',
        'build/guide.md': 'g',
      });
      expect(await paths()).toEqual(['build/guide.md', 'docs/a.md', 'vendor/ours.md']);
    });

    test('a pattern that names a hidden folder lets it in; nothing lets .git or a secret file in', async () => {
      given({ '.github/CONTRIBUTING.md': 'c', 'a.md': 'a', '.env': 'KEY=1', id_rsa: 'k' });
      expect(await paths({ include: ['.github/**', '.git/**', '.env', 'id_rsa'] })).toEqual(['.github/CONTRIBUTING.md']);
    });

    test('include narrows, names other file types, and a plain folder name means everything below', async () => {
      given({ 'docs/a.md': 'a', 'docs/b.rst': 'b', 'docs/deep/c.md': 'c', 'blog/d.md': 'd', 'README.md': 'r' });
      expect(await paths({ include: ['docs'] })).toEqual(['docs/a.md', 'docs/deep/c.md']);
      expect(await paths({ include: ['docs/**/*.rst', 'README.md'] })).toEqual(['README.md', 'docs/b.rst']);
      expect(await paths({ exclude: ['docs/deep/', '*.md'] })).toEqual(['blog/d.md', 'docs/a.md']);
    });

    test('obeys the declared ignore files, nested ones and exceptions too, and no others', async () => {
      for (const file of under.ignoreFiles) {
        given({
          [file]: 'vendor/*\n!vendor/ours\n*.tmp.md\n/top.md\n',
          '.prettierignore': '*\n!src\n',
          'vendor/theirs/a.md': 'a',
          'vendor/ours/b.md': 'b',
          'docs/c.md': 'c',
          'docs/d.tmp.md': 'd',
          [`docs/${file}`]: '!d.tmp.md\nnot.md\n',
          'docs/not.md': 'n',
          'top.md': 't',
          'docs/top.md': 't',
        });
        expect(await paths()).toEqual(['docs/c.md', 'docs/d.tmp.md', 'docs/top.md', 'vendor/ours/b.md']);
        folder.remove(file);
        folder.remove(`docs/${file}`);
      }
    });

    test('a vanished root is a fault, never an empty listing', async () => {
      given({ 'a.md': 'a' });
      rmSync(folder.path, { recursive: true });
      await expect(listed()).rejects.toMatchObject({ code: 'source/unreachable' });
      folder.write('x', '');
      rmSync(join(folder.path, 'x'));
      await expect(connector.list(registration({ path: join(folder.path, 'x') }), never)).rejects.toMatchObject({
        code: 'source/unreachable',
      });
    });

    test('ING-16 equal files give an equal cursor, whatever their times; another content or name gives another', async () => {
      given({ 'a.md': 'one', 'b.md': 'two' });
      const first = await listed();
      if (under.readsDisk) folder.age('a.md');
      expect((await listed()).cursor).toBe(first.cursor);
      given({ 'a.md': 'one more' });
      const second = await listed();
      expect(second.cursor).not.toBe(first.cursor);
      folder.remove('b.md');
      given({ 'B.md': 'two' });
      expect((await listed()).cursor).not.toBe(second.cursor);
    });

    test('ING-06 an edit that keeps size and time is not taken for the old version', async () => {
      given({ 'v.md': 'value 1111' });
      folder.age('v.md');
      const before = (await listed()).documents[0];
      writeFileSync(join(folder.path, 'v.md'), 'value 2222');
      utimesSync(join(folder.path, 'v.md'), 1_000_000_000, 1_000_000_000);
      under.settle(folder);
      const listing = await listed();
      const after = listing.documents[0];
      expect(
        after?.blob === undefined ? after?.signature === undefined || after.signature !== before?.signature : after.blob !== before?.blob,
      ).toBe(true);
      const [found] = await readAll(listing);
      expect(found).toMatchObject({ blob: gitBlobId(Buffer.from('value 2222')) });
    });

    test('ING-06 says which documents still are the blobs held of them, and vouches for no other', async () => {
      given({ 'same.md': 'one', 'edited.md': 'value 1111', 'gone.md': 'three', 'new.md': 'four', 'large.md': 'ü'.repeat(300_000) });
      const first = await listed();
      const blobs = new Map((await readAll(first)).flatMap((each) => ('problem' in each ? [] : [[each.path, each.blob] as const])));
      blobs.delete('new.md');
      writeFileSync(join(folder.path, 'edited.md'), 'value 2222');
      for (const path of ['same.md', 'edited.md', 'large.md']) utimesSync(join(folder.path, path), 5, 5);
      under.settle(folder);
      const listing = await listed();
      folder.remove('gone.md');
      const same = async () => [...(await connector.same(registration(), listing.documents, blobs, never))].sort();
      expect(await same()).toEqual(under.readsDisk ? ['large.md', 'same.md'] : ['gone.md', 'large.md', 'same.md']);
      await expect(connector.same(registration(), listing.documents, blobs, AbortSignal.abort())).rejects.toThrow();
      if (!under.readsDisk) return;
      // The same bytes, in another file than the one that was listed.
      const others = listing.documents.map((document) => ({ ...document, signature: 'of another file' }));
      expect(await connector.same(registration(), others, blobs, never)).toEqual(new Set());
    });

    test('ING-06 tells by signatures what was written since it was read, without reading it', async () => {
      given({ 'same.md': 'one', 'edited.md': 'value 1111', 'gone.md': 'three', 'folder/a.md': 'four' });
      const all = ['same.md', 'edited.md', 'gone.md', 'folder/a.md'];
      const told = () => connector.signatures?.(registration(), [...all, 'folder', 'none.md']) ?? new Map<string, string>();
      expect(told()).toEqual(new Map());
      const later = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
      try {
        const read = new Map((await readAll(await listed())).map((each) => [each.path, 'signature' in each ? each.signature : undefined]));
        expect(told()).toEqual(under.signs ? read : new Map());
        if (!under.signs) return;
        writeFileSync(join(folder.path, 'edited.md'), 'value 2222');
        utimesSync(join(folder.path, 'edited.md'), 1_000_000_000, 1_000_000_000);
        folder.remove('gone.md');
        const now = told();
        expect(now.get('same.md')).toBe(read.get('same.md'));
        expect(now.has('gone.md')).toBe(false);
        expect(now.get('edited.md')).not.toBe(read.get('edited.md'));
      } finally {
        later.mockRestore();
      }
    });

    test('T8.7 never follows a link out of the source, and ends whatever links there are', async () => {
      const outside = temporaryFolder();
      try {
        outside.write('secret.md', 'secret');
        folder.write('d/a.md', 'a');
        folder.write('e/b.md', 'b');
        folder.link('d/up', '..');
        folder.link('d/e-again', '../e');
        folder.link('d/broken.md', 'nowhere.md');
        folder.link('d/loop.md', 'loop.md');
        folder.link('d/out.md', join(outside.path, 'secret.md'));
        folder.link('d/outside', outside.path);
        under.settle(folder);
        const listing = await listed();
        expect(listing.documents.map(({ path }) => path)).toEqual(['d/a.md', 'e/b.md']);
        const texts = (await readAll(listing)).map((each) => ('problem' in each ? '' : Buffer.from(each.bytes).toString()));
        expect(texts).toEqual(['a', 'b']);
      } finally {
        outside.dispose();
      }
    });

    test('T8.7 a file that becomes a link out of the source after it was listed is not read', async () => {
      const outside = temporaryFolder();
      try {
        outside.write('secret.md', 'secret');
        given({ 'a.md': 'a', 'f/b.md': 'b' });
        const listing = await listed();
        folder.remove('a.md');
        folder.remove('f');
        folder.link('a.md', join(outside.path, 'secret.md'));
        outside.write('b.md', 'secret');
        folder.link('f', outside.path);
        for (const found of await readAll(listing))
          expect('problem' in found ? '' : Buffer.from(found.bytes).toString()).not.toContain('secret');
      } finally {
        outside.dispose();
      }
    });

    test('a document that went away after the listing is an answer about that document only', async () => {
      given({ 'a.md': 'a', 'b.md': 'b' });
      const listing = await listed();
      folder.remove('a.md');
      const found = await readAll(listing);
      expect(found).toHaveLength(2);
      if (under.readsDisk) expect(found[0]).toMatchObject({ path: 'a.md', problem: { code: 'page/unreadable' } });
      expect(found[1]).toMatchObject({ path: 'b.md', blob: gitBlobId(Buffer.from('b')) });
    });

    test('stops when told to', async () => {
      given({ 'a.md': 'a' });
      const listing = await listed();
      const stopped = AbortSignal.abort();
      await expect(connector.list(registration(), stopped)).rejects.toThrow();
      const reading = connector.read(registration(), listing.documents, stopped)[Symbol.asyncIterator]();
      await expect(reading.next()).rejects.toThrow();
    });

    test('calls back after a change, an atomic save and a new folder, and not after it was stopped', async () => {
      given({ 'w.md': 'one' });
      let calls = 0;
      const stop = await connector.watch(registration(), () => calls++);
      const seen = async (act: () => void) => {
        const before = calls;
        act();
        for (let waited = 0; calls === before && waited < 8_000; waited += 50) await pause(50);
        expect(calls).toBeGreaterThan(before);
        await pause(500);
      };
      await seen(() => given({ 'w.md': 'two' }));
      await seen(() => {
        given({ '.w.md.swp': 'three' });
        rmSync(join(folder.path, 'w.md'));
        given({ 'w.md': 'three' });
      });
      await seen(() => given({ 'new/deep/x.md': 'x' }));
      await stop();
      const last = calls;
      given({ 'w.md': 'four' });
      await pause(800);
      expect(calls).toBe(last);
    });
  });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
