/** The command line from outside: CONTRACT's shapes and exit codes, stdout purity, flags before and after, the bare question. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { context } from '../../src/app/operations/context.js';
import { doctorOutput } from '../../src/app/operations/doctor.js';
import { why, whyNotPage } from '../../src/app/operations/explain.js';
import { get } from '../../src/app/operations/get.js';
import { indexSources } from '../../src/app/operations/index-sources.js';
import { packageList, packageShow } from '../../src/app/operations/package-ledger.js';
import { packageVerify } from '../../src/app/operations/package-verify.js';
import { search } from '../../src/app/operations/search.js';
import { status } from '../../src/app/operations/status.js';
import { environment, type Run, runCommand } from '../support/built-command.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';

let docs: TemporaryFolder;
let home: TemporaryFolder;

beforeAll(() => {
  docs = temporaryFolder();
  home = temporaryFolder();
  docs.write(
    'keys.md',
    '---\ntags: [ops]\nstatus: current\n---\n# Signing keys\n\nIntro.\n\n## Rotate a signing key\n\nRun `keyctl rotate --now` and restart the signer.\n\n### Afterwards\n\nSee [the gate](gate.md#doors).\n\n## Another\n\nText.\n',
  );
  docs.write('gate.md', '# The gate\n\n## Doors\n\nThe gate opens at dawn. See [nothing](missing.md).\n');
  docs.write('old.md', '---\nsuperseded_by: keys.md\n---\n# Signing keys, old\n\nRotate a signing key by hand.\n');
  docs.write('board.md', '---\nclassification: confidential\n---\n# Board\n\nThe heron decides.\n');
  docs.write('secret.md', '---\nsensitivity: private\n---\n# Salaries\n\nThe wombat earns nine.\n');
});
afterAll(() => {
  docs.dispose();
  home.dispose();
});

const run = (...args: string[]): Promise<Run> => runCommand(args, { cwd: docs.path, env: environment(home.path) });

async function json<Schema extends z.ZodType>(schema: Schema, ...args: string[]): Promise<{ run: Run; answer: z.output<Schema> }> {
  const done = await run(...args, '--json');
  return { run: done, answer: schema.parse(JSON.parse(done.stdout)) };
}

describe('thirty seconds to a first answer', () => {
  it('CLI-01: a bare question indexes the folder and answers', async () => {
    const done = await runCommand([docs.path, 'how do I rotate a signing key'], { cwd: home.path, env: environment(home.path) });
    expect(done.stderr).not.toContain('✗');
    expect(done.code).toBe(0);
    expect(done.stdout).toContain('keys.md');
    expect(done.stdout).toMatch(/\d+ of \d+ tokens/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: no colours where there is no terminal
    expect(done.stdout).not.toMatch(/\u001b\[/);
  });

  it('writes nothing into a folder without colophon.yaml', () => {
    expect(readdirSync(docs.path).sort()).toEqual(['board.md', 'gate.md', 'keys.md', 'old.md', 'secret.md']);
  });

  it('takes unquoted words, and picks up what changed since', async () => {
    docs.write('fresh.md', '# Fresh\n\nThe axolotl was added later.\n');
    const { run: done, answer } = await json(context.output, 'where', 'is', 'the', 'axolotl');
    expect(done.code).toBe(0);
    expect(answer.items[0]?.path).toBe('fresh.md');
    docs.remove('fresh.md');
    const { answer: gone } = await json(context.output, 'where is the axolotl');
    expect(gone.items.map(({ path }) => path)).not.toContain('fresh.md');
  });
});

describe('CONTRACT: one JSON object on stdout', () => {
  it('index', async () => {
    const { run: done, answer } = await json(indexSources.output, 'index');
    expect(done.code).toBe(0);
    expect(answer.documents).toBe(5);
    expect(answer.sources).toMatchObject([{ id: 'docs', state: 'active', walk: 'complete', seen: 5 }]);
    const again = await json(indexSources.output, 'index');
    expect(again.answer).toMatchObject({ writes: 0, contentDigest: answer.contentDigest, generation: answer.generation });
  });

  it('search', async () => {
    const { run: done, answer } = await json(search.output, 'search', 'rotate signing key', '--limit', '2');
    expect(done.code).toBe(0);
    const top = answer.hits[0];
    expect(top).toMatchObject({
      rank: 1,
      source: 'docs',
      path: 'keys.md',
      headingPath: ['Signing keys', 'Rotate a signing key'],
      anchor: 'rotate-a-signing-key',
    });
    const file = readFileSync(join(docs.path, 'keys.md'), 'utf8').split('\n');
    expect(file.slice((top?.lines.start ?? 1) - 1, top?.lines.end).join('\n')).toContain('keyctl rotate');
    expect(answer.hits.every(({ why: { ranks } }) => Object.keys(ranks).length > 0)).toBe(true);
  });

  it('search finds nothing: exit 1, and says why', async () => {
    const { run: done, answer } = await json(search.output, 'search', 'zyzzyva');
    expect(done.code).toBe(1);
    expect(answer.hits).toEqual([]);
    expect(answer.reason).not.toBe('');
  });

  it('search pages without gaps or repeats', async () => {
    const whole = await json(search.output, 'search', 'gate key signing', '--limit', '4');
    const seen: string[] = [];
    let next: string | null = '';
    while (next !== null) {
      const page: z.output<typeof search.output> = (
        await json(search.output, 'search', 'gate key signing', '--limit', '1', ...(next === '' ? [] : ['--after', next]))
      ).answer;
      seen.push(...page.hits.map(({ artifact }) => artifact));
      next = page.next;
      if (seen.length > 50) throw new Error('paging does not end');
    }
    expect(seen.slice(0, whole.answer.hits.length)).toEqual(whole.answer.hits.map(({ artifact }) => artifact));
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('search narrows to a folder, with or without its slash, and says when there is none', async () => {
    docs.write('sub/deep/gate.md', '# Deep gate\n\nAnother gate.\n');
    await run('index');
    for (const path of ['sub', './sub/', 'sub/deep', 'sub/deep/gate.md']) {
      const { answer } = await json(search.output, 'search', 'gate', '--path', path);
      expect(answer.hits.map((hit) => hit.path)).toEqual(['sub/deep/gate.md']);
      expect(answer.problems).toEqual([]);
    }
    const none = await json(search.output, 'search', 'gate', '--path', 'nowhere');
    expect(none.answer.problems).toMatchObject([{ code: 'query/unknown-path' }]);
    docs.remove('sub');
    await run('index');
  });

  it('refuses the page token of another question', async () => {
    const { answer } = await json(search.output, 'search', 'gate key signing', '--limit', '1');
    const done = await run('search', 'something else', '--after', answer.next ?? 'x', '--json');
    expect(done.code).toBe(2);
    expect(JSON.parse(done.stdout)).toMatchObject({ schema: 'colophon/fault@1', code: 'input/invalid' });
  });

  it('get: the page, its lines, a section, its links and segments', async () => {
    const { answer } = await json(get.output, 'get', 'keys.md');
    expect(answer.text).toBe(readFileSync(join(docs.path, 'keys.md'), 'utf8'));
    expect(answer.meta).toMatchObject({ tags: ['ops'], status: 'current' });
    expect(answer.links).toMatchObject([{ href: 'gate.md#doors', to: 'gate.md', anchor: 'doors', broken: false }]);
    expect(answer.segments?.length).toBeGreaterThan(0);
    const { answer: gate } = await json(get.output, 'get', 'gate.md', '--links');
    expect(gate.links).toMatchObject([{ to: 'missing.md', broken: true, line: 5 }]);
    expect(gate.backlinks).toMatchObject([{ path: 'keys.md' }]);
    const { answer: some } = await json(get.output, 'get', 'keys.md', '--lines', '5-5');
    expect(some).toMatchObject({ text: '# Signing keys\n', lines: { start: 5, end: 5 } });
    const { answer: section } = await json(get.output, 'get', 'keys.md', '--anchor', 'rotate-a-signing-key');
    expect(section.text).toContain('See [the gate]');
    expect(section.text).not.toContain('## Another');
    const { answer: top } = await json(search.output, 'search', 'keyctl');
    const { answer: one } = await json(get.output, 'get', top.hits[0]?.artifact ?? '');
    expect(one.text).toContain('keyctl rotate');
  });

  it('context, package, why and why-not speak of the same package', async () => {
    const { run: done, answer } = await json(context.output, 'context', 'how do I rotate a signing key');
    expect(done.code).toBe(0);
    expect(answer.budget.used).toBeLessThanOrEqual(answer.budget.ceiling);
    expect(answer.budget.ceiling).toBeLessThanOrEqual(1500);
    expect(answer.items.map(({ path }) => path)).not.toContain('old.md');
    expect(answer.excluded).toContainEqual(expect.objectContaining({ path: 'old.md', reason: 'superseded' }));
    const again = await json(context.output, 'context', 'how do I rotate a signing key');
    expect(again.answer.digest).toBe(answer.digest);

    const shown = await json(packageShow.output, 'package', 'show', answer.digest.slice(0, 12));
    expect(shown.answer).toMatchObject({ digest: answer.digest, rendered: answer.rendered, usable: true });
    expect(shown.answer.bindings.length).toBeGreaterThanOrEqual(2);
    expect((await json(packageVerify.output, 'package', 'verify')).answer).toMatchObject({ ok: true, digest: answer.digest });
    expect((await json(packageList.output, 'package', 'list')).answer.packages[0]?.digest).toBe(answer.digest);
    expect((await json(why.output, 'why', 'keys.md')).answer).toMatchObject({ included: true, digest: answer.digest });
    expect((await json(whyNotPage.output, 'why-not', 'old.md')).answer).toMatchObject({ included: false, step: 'candidates' });
  });

  it('writes an explanation as one page of HTML', async () => {
    const file = join(home.path, 'page.html');
    expect((await run('package', 'explain', '--html', file)).code).toBe(0);
    const html = readFileSync(file, 'utf8');
    expect(html).toMatch(/^<!doctype html>/i);
    expect(html).not.toMatch(/(?:src|href)\s*=\s*["']?https?:/i);
  });

  it('status and doctor', async () => {
    const { answer } = await json(status.output, 'status', '--strict');
    expect(answer).toMatchObject({ pending: 0, integrity: { ok: true, checked: true }, drift: { ok: true }, documents: 5 });
    const { run: done, answer: found } = await json(doctorOutput, 'doctor');
    expect(found.checks.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(found.checks.find(({ name }) => name === 'lexical')?.outcome).toBe('ok');
    expect(done.code).toBe(0);
  });
});

describe('what a client may not have', () => {
  it('private text is for the terminal, and never for an agent', async () => {
    expect((await run('search', 'wombat', '--json')).stdout).toContain('secret.md');
    const { run: done, answer } = await json(context.output, 'context', 'what does the wombat earn');
    expect(done.code).toBe(1);
    expect(answer.status).toBe('no_context');
    expect(done.stdout).not.toContain('nine');
    expect((await json(context.output, 'context', 'what does the wombat earn', '--client', 'terminal')).answer.status).toBe('frozen');
  });

  it('ATH-06: absent, forbidden and outside are the same bytes, exit 1', async () => {
    const answers = await Promise.all(['secret.md', 'absent.md'].map((path) => run('get', path, '--client', 'cursor', '--json')));
    const plain = answers.map(({ stdout, stderr, code }) => JSON.stringify({ stdout, stderr, code }).replaceAll(/secret|absent/g, 'X'));
    expect(plain[0]).toBe(plain[1]);
    expect(answers[0]?.code).toBe(1);
    for (const path of ['../secret.txt', '/etc/passwd', '..%2fx', '']) {
      expect((await run('get', '--', path)).code).toBe(path === '' ? 2 : 1);
    }
  });

  it('a package made for a local client does not exist for a remote one', async () => {
    const { answer } = await json(context.output, 'context', 'what does the wombat earn', '--client', 'terminal');
    const remote = await run('package', 'show', answer.digest, '--client', 'cursor');
    expect(remote.code).toBe(1);
    expect(remote.stdout).toBe('');
  });

  it.each([['--tenant'], ['--purpose'], ['--group'], ['--as']])('%s that is not held is denied, exit 3', async (flag) => {
    const done = await run('search', 'gate', flag, 'elsewhere', '--json');
    expect(done.code).toBe(3);
    expect(JSON.parse(done.stdout)).toMatchObject({ schema: 'colophon/fault@1', code: 'access/denied' });
  });

  it('a ceiling only ever lowers', async () => {
    const paths = async (ceiling: string) =>
      (await json(search.output, 'search', 'heron', '--ceiling', ceiling)).answer.hits.map(({ path }) => path);
    expect(await paths('public')).toEqual([]);
    expect(await paths('restricted')).toEqual(['board.md']);
  });
});

describe('CLI-05: flags before or after text', () => {
  it('means the same', async () => {
    const lines = [
      ['search', 'gate', '--limit', '1', '--json'],
      ['--json', 'search', '--limit', '1', 'gate'],
      ['search', '--json', 'gate', '--limit=1'],
      ['search', '--limit', '1', '--json', '--', 'gate'],
    ];
    const answers = await Promise.all(lines.map((line) => run(...line)));
    expect(new Set(answers.map(({ stdout }) => stdout)).size).toBe(1);
    expect(answers[0]?.code).toBe(0);
  });

  it('takes what follows -- for text', async () => {
    expect((await run('search', '--', '--now')).stdout).toContain('keys.md');
    expect((await run('--', 'search', 'gate')).stdout).toContain('“search gate”');
  });

  it('explains an unknown option', async () => {
    const done = await run('search', '--nonsense', 'gate');
    expect(done).toMatchObject({ code: 2, stdout: '' });
    expect(done.stderr).toContain('--nonsense');
    expect(done.stderr).toContain('`--`');
  });
});

describe('stdout is data only', () => {
  it('--json prints one object and nothing else, even with everything switched on', async () => {
    const noisy = { ...environment(home.path), DEBUG: '*', FORCE_COLOR: '1', NODE_OPTIONS: '--trace-warnings' };
    const done = await runCommand(['index', '--full', '--json'], { cwd: docs.path, env: noisy });
    expect(() => JSON.parse(done.stdout)).not.toThrow();
  });

  it('NO_COLOR beats FORCE_COLOR', async () => {
    const env = { ...environment(home.path), FORCE_COLOR: '1' };
    expect((await runCommand(['search', 'gate'], { cwd: docs.path, env })).stdout).toContain('\u001b[');
    expect((await runCommand(['search', 'gate'], { cwd: docs.path, env: { ...env, NO_COLOR: '1' } })).stdout).not.toContain('\u001b[');
  });

  it('prints versions, help and completion scripts', async () => {
    expect((await run('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await run('--help')).stdout).toContain('why-not');
    expect((await run('search', '--help')).stdout).toContain('--limit');
    expect((await run('get', 'keys.md', '--lines', '5')).stdout).toBe('# Signing keys\n');
    for (const shell of ['bash', 'zsh', 'fish']) expect((await run('completion', shell)).stdout).toContain('why-not');
  });
});

it('init writes a file that the next command reads, and never over another', async () => {
  const folder = temporaryFolder();
  try {
    folder.write('docs/a.md', '# A\n\nThe tern nests.\n');
    const here = (...args: string[]) => runCommand(args, { cwd: folder.path, env: { PATH: process.env['PATH'] ?? '', HOME: home.path } });
    expect((await here('init')).code).toBe(0);
    expect(readFileSync(join(folder.path, 'colophon.yaml'), 'utf8').split('\n')[0]).toMatch(
      /^# yaml-language-server: \$schema=.*colophon\.schema\.json$/,
    );
    expect((await here('init')).code).toBe(2);
    expect((await here('init', '--team', '--force')).code).toBe(0);
    expect((await here('status')).code).toBe(4);
    expect((await here('init', '--force')).code).toBe(0);
    expect((await here('index')).code).toBe(0);
    expect((await here('search', 'tern')).stdout).toContain('a.md');
    expect(readFileSync(join(folder.path, '.colophon/.gitignore'), 'utf8')).toBe('*\n');
    expect(existsSync(join(folder.path, 'docs/.colophon'))).toBe(false);
  } finally {
    folder.dispose();
  }
});
