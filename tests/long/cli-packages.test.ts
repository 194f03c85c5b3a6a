/** Packages from the command line: pinned, checked, compared, taken along, and compiled again in another clone. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { context } from '../../src/app/operations/context.js';
import { packageExport, packageReplay } from '../../src/app/operations/package-export.js';
import { packageBind, packageList } from '../../src/app/operations/package-ledger.js';
import { packageCheck, packageDiff, packageVerify } from '../../src/app/operations/package-verify.js';
import { environment, type Run, runCommand } from '../support/built-command.js';
import { gitIn, type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';

const PAGE =
  '# Signing keys\n\n## Rotate a signing key\n\nRun `keyctl rotate --now` and restart the signer.\n\n## Store a key\n\nKeys are stored in the safe.\n';

let docs: TemporaryFolder;
let home: TemporaryFolder;
let elsewhere: TemporaryFolder;

beforeAll(() => {
  docs = temporaryFolder();
  home = temporaryFolder();
  elsewhere = temporaryFolder();
  docs.git('init', '-q');
  docs.write('keys.md', PAGE);
  docs.git('add', '.');
  docs.git('commit', '-q', '-m', 'one');
});
afterAll(() => {
  for (const folder of [docs, home, elsewhere]) folder.dispose();
});

const run = (...args: string[]): Promise<Run> => runCommand(args, { cwd: docs.path, env: environment(home.path) });
/** Where there is no library: the user's home. */
const away = (...args: string[]): Promise<Run> => runCommand(args, { cwd: elsewhere.path, env: environment(elsewhere.path) });

async function json<Schema extends z.ZodType>(
  schema: Schema,
  asked: Promise<Run>,
): Promise<z.output<Schema> & { readonly code: number | null }> {
  const done = await asked;
  return { ...Object(schema.parse(JSON.parse(done.stdout))), code: done.code };
}

describe('packages', () => {
  const file = () => join(home.path, 'bundle.json');
  let first = '';

  it('are pinned to an attempt, found by it, and bound to a retry', async () => {
    const made = await json(context.output, run('context', 'rotate a signing key', '--attempt', 'run-1', '--json'));
    first = made.digest;
    expect(made).toMatchObject({ attempt: 'run-1', code: 0 });
    const listed = await json(packageList.output, run('package', 'list', '--attempt', 'run-1', '--json'));
    expect(listed.packages).toMatchObject([{ package: made.package, digest: first, expired: false }]);
    expect((await run('package', 'list', '--attempt', 'run-7')).code).toBe(1);
    expect((await run('package', 'list', '--since', 'monday')).code).toBe(2);
    const bound = await json(packageBind.output, run('package', 'bind', made.package, '--attempt', 'run-2', '--json'));
    expect(bound).toMatchObject({ digest: first, attempt: 'run-2', verdict: 'fresh', code: 0 });
    expect(bound.package).not.toBe(made.package);
    expect((await run('package', 'bind', first, '--attempt', 'run-2', '--manifest', 'f'.repeat(64))).code).toBe(2);
    expect((await run('package', 'bind', first, '--manifest', 'short')).stderr).toContain('64 lower-case hexadecimal digits');
  });

  it('are checked with reasons, and a package that is not there is checked alike', async () => {
    expect(await json(packageCheck.output, run('package', 'check', '--json'))).toMatchObject({ verdict: 'fresh', usable: true, code: 0 });
    const absent = await json(packageCheck.output, run('package', 'check', 'f'.repeat(64), '--json'));
    expect(absent).toMatchObject({ verdict: 'unusable', digest: '', reasons: [{ code: 'not-available' }], code: 3 });
  });

  it('are taken along as one file, the same each time, and verified where there is no library', async () => {
    expect((await run('package', 'export', first, '--out', file())).code).toBe(0);
    const exported = await json(packageExport.output, run('package', 'export', first, '--json'));
    expect(exported).toMatchObject({ replayable: true, gaps: [], text: readFileSync(file(), 'utf8') });
    expect((await run('package', 'export', first)).stdout).toBe(exported.text);
    const bill = await run('package', 'export', first, '--bill');
    expect(JSON.parse(bill.stdout)).toMatchObject({ format: 'colophon/context-bill-of-materials@1', package: { digest: first } });
    expect(bill.stdout).not.toContain('keyctl rotate --now` and');
    expect(await json(packageVerify.output, away('package', 'verify', file(), '--json'))).toMatchObject({
      ok: true,
      digest: first,
      code: 0,
    });
    expect((await away('package', 'show', file())).stdout).toContain('keyctl rotate');
    expect((await away('package', 'explain', file())).stdout).toContain('keys.md');
    const touched = join(home.path, 'touched.json');
    writeFileSync(touched, exported.text.replace('keyctl rotate', 'keyctl delete'));
    expect(await away('package', 'verify', touched)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('was changed after it was exported'),
    });
    for (const verb of ['replay', 'show', 'explain', 'export'])
      expect(await away('package', verb, touched), verb).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/^✗ touched\.json was changed after/),
      });
    expect((await away('package', 'verify', join(home.path, 'nothing.json'))).stderr).toContain('there is no such file');
  });

  it('are compiled again after the page was edited, here and from a clone', async () => {
    docs.write('keys.md', PAGE.replace('--now', '--tonight'));
    docs.git('commit', '-q', '-a', '-m', 'two');
    expect((await run('index')).code).toBe(0);
    expect(await json(packageCheck.output, run('package', 'check', first, '--json'))).toMatchObject({
      verdict: 'stale',
      usable: true,
      code: 1,
    });
    expect(await json(packageReplay.output, run('package', 'replay', first, '--json'))).toMatchObject({
      verdict: 'same',
      replayed: first,
      code: 0,
    });
    gitIn(elsewhere.path, ['clone', '-q', docs.path, 'clone of it']);
    expect((await away('package', 'replay', file())).stdout).toContain('--source docs=FOLDER');
    const again = await json(packageReplay.output, away('package', 'replay', file(), '--source', 'docs=clone of it', '--json'));
    expect(again).toMatchObject({ verdict: 'same', digest: first, replayed: first, gaps: [], code: 0 });
  });

  it('are compared, with the change that made the difference', async () => {
    const second = await json(context.output, run('context', 'rotate a signing key', '--json'));
    expect(second.digest).not.toBe(first);
    const told = await json(packageDiff.output, run('package', 'diff', first, 'last', '--json'));
    expect(told).toMatchObject({ before: first, after: second.digest, same: false, code: 1 });
    expect(told.items[0]).toMatchObject({ change: 'changed', path: 'keys.md', causes: [{ kind: 'page-edited', certain: true }] });
    const words = await run('context', 'diff', first, 'last');
    expect([words.code, words.stdout]).toEqual([1, (await run('package', 'diff', first, 'last')).stdout]);
    expect(words.stdout).toContain('page-edited: keys.md was edited');
    expect(await json(packageDiff.output, run('package', 'diff', file(), first, '--json'))).toMatchObject({ same: true, code: 0 });
    // Words that are no packages are a question.
    expect((await json(context.output, run('context', 'diff', 'the', 'keys', '--json'))).schema).toBe('colophon/context@1');
  });
});
