/** Bad input, from outside: one clear sentence, what to do, the right exit code, and nothing half-written. */
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { environment, MAIN, type Run, runCommand, startCommand } from '../support/built-command.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';
import { withoutOverride } from '../support/without-override.js';

let place: TemporaryFolder;
beforeEach(() => {
  place = temporaryFolder();
});
afterEach(() => place.dispose());

const run = (args: readonly string[], env: Record<string, string> = {}): Promise<Run> =>
  runCommand(args, { cwd: place.path, env: { PATH: process.env['PATH'] ?? '', HOME: place.path, ...env } });

/** One sentence that says what and where, one line that says what to do, and an empty stdout. */
function expectFault(done: Run, code: number, words: RegExp): void {
  expect(done.stderr.replaceAll('\n', ' ')).toMatch(words);
  expect(done.code).toBe(code);
  expect(done.stdout).toBe('');
  const said = done.stderr.trimEnd().split('\n');
  expect(said.at(-2)).toMatch(/^✗ .+[.)]$/);
  expect(said.at(-1)).toMatch(/^ {2}\S.+[.!]$/);
  expect(done.stderr).not.toMatch(/\n\s+at /);
}

describe('a person is told what to do about', () => {
  it('an unknown configuration key', async () => {
    place.write('colophon.yaml', 'version: 1\nprofile: personal\nsources: [docs]\nclinets: {}\n');
    expectFault(await run(['index']), 2, /colophon\.yaml:4: clinets must be left out or spelled `clients`/);
    const fault = JSON.parse((await run(['search', 'x', '--json'])).stdout);
    expect(fault).toMatchObject({ schema: 'colophon/fault@1', code: 'config/invalid', line: 4, path: join(place.path, 'colophon.yaml') });
  });

  it('a folder that is not there, and one that is a file', async () => {
    place.write('a.md', '# A\n');
    expectFault(await run(['./nowhere', 'what is it']), 2, /no such folder/);
    expectFault(await run(['a.md', 'what is it']), 2, /a file, not a folder/);
    expectFault(await run(['index', '--root', 'nowhere']), 2, /no such folder/);
  });

  it('a missing repository', async () => {
    place.write('colophon.yaml', 'version: 1\nprofile: personal\nsources:\n  - location: { path: gone, connector: git, ref: main }\n');
    expectFault(await run(['index']), 4, /gone/);
  });

  it('a source that vanished: nothing is removed', async () => {
    place.write('colophon.yaml', 'version: 1\nprofile: personal\nsources: [docs]\n');
    place.write('docs/a.md', '# A\n\nThe tern nests.\n');
    expect((await run(['index'])).code).toBe(0);
    place.remove('docs');
    expectFault(await run(['index']), 4, /docs/);
    expect(JSON.parse((await run(['status', '--json'])).stdout)).toMatchObject({ documents: 1 });
  });

  it('a damaged index, and mends it', async () => {
    place.write('colophon.yaml', 'version: 1\nprofile: personal\nsources: [docs]\n');
    for (let page = 0; page < 40; page += 1)
      place.write(`docs/${page}.md`, `# Page ${page}\n\nThe tern ${page} nests. ${'word '.repeat(200)}\n`);
    expect((await run(['index'])).code).toBe(0);
    const before = JSON.parse((await run(['status', '--json'])).stdout);
    writeFileSync(join(place.path, '.colophon/index.db'), 'this is no database '.repeat(500));
    for (const ending of ['-wal', '-shm']) place.remove(`.colophon/index.db${ending}`);
    expectFault(await run(['search', 'tern']), 4, /damaged.*doctor --repair/);
    expect((await run(['doctor', '--json'])).code).toBe(1);
    const mended = await run(['doctor', '--repair', '--json']);
    expect(mended.code).toBe(0);
    expect(JSON.parse(mended.stdout)).toMatchObject({ ok: true, repaired: true });
    expect(JSON.parse((await run(['status', '--json'])).stdout).contentDigest).toBe(before.contentDigest);
    expect(readdirSync(join(place.path, '.colophon')).filter((name) => name.includes('aside'))).toEqual([]);
  });

  it('damaged records: the index is mended all the same, and new records are begun only when asked for', async () => {
    place.write('colophon.yaml', 'version: 1\nprofile: personal\nsources: [docs]\n');
    place.write('docs/a.md', '# Terns\n\nThe tern nests on gravel.\n');
    expect((await run(['where does the tern nest'])).code).toBe(0);
    const state = join(place.path, '.colophon');
    const damage = (name: string) => {
      for (const ending of ['-wal', '-shm']) place.remove(`.colophon/${name}${ending}`);
      writeFileSync(join(state, name), 'this is no database '.repeat(500));
    };
    damage('records.db');
    const told = await run(['search', 'tern']);
    expectFault(told, 4, /records\.db is damaged.*backup.*doctor --repair --set-aside-records/);
    expect(told.stderr).not.toContain('rebuilt from the sources');

    damage('index.db');
    const half = JSON.parse((await run(['doctor', '--repair', '--json'])).stdout);
    expect(half).toMatchObject({ ok: false, repaired: true, recordsSetAside: null });
    expect(half.checks.find(({ name }: { name: string }) => name === 'index')).toMatchObject({ outcome: 'ok' });
    expect(readFileSync(join(state, 'records.db'), 'utf8')).toContain('no database');

    expectFault(await run(['doctor', '--set-aside-records']), 2, /together with --repair/);
    const whole = await run(['doctor', '--repair', '--set-aside-records']);
    expect(whole.code).toBe(0);
    expect(whole.stdout).toContain('every stored package');
    expect(whole.stdout).toContain('state of each source');
    expect(readFileSync(join(state, 'records.db.damaged-1'), 'utf8')).toContain('no database');
    expect((await run(['search', 'tern'])).stdout).toContain('a.md');
    expect((await run(['package', 'list'])).code).toBe(1);
    const sound = JSON.parse((await run(['doctor', '--repair', '--set-aside-records', '--json'])).stdout);
    expect(sound).toMatchObject({ ok: true, repaired: false, recordsSetAside: null });
  });

  it('state that cannot be written', async () => {
    place.write('docs/a.md', '# A\n\nThe tern nests.\n');
    place.write('state', 'a file stands here');
    expectFault(
      await run(['./docs', 'where does the tern nest'], { COLOPHON_HOME: join(place.path, 'state') }),
      4,
      /cannot be written|cannot be made|a file/,
    );
  });

  it('a read-only folder', async () => {
    place.write('docs/a.md', '# A\n\nThe tern nests.\n');
    mkdirSync(join(place.path, 'state'));
    chmodSync(join(place.path, 'state'), 0o555);
    const env = { PATH: process.env['PATH'] ?? '', HOME: place.path, COLOPHON_HOME: join(place.path, 'state') };
    const done = asOrdinaryUser(['./docs', 'where does the tern nest'], place.path, env);
    expectFault(done, 4, /cannot be written: permission denied/);
    expect(readdirSync(join(place.path, 'state'))).toEqual([]);
  });

  it('a state folder that cannot be written: what is there still answers', async () => {
    place.write('colophon.yaml', 'version: 1\nprofile: personal\nsources: [docs]\n');
    place.write('docs/a.md', '# Terns\n\nThe tern nests on gravel.\n');
    expect((await run(['index'])).code).toBe(0);
    chmodSync(place.path, 0o755);
    const state = join(place.path, '.colophon');
    for (const name of readdirSync(state)) chmodSync(join(state, name), 0o444);
    chmodSync(state, 0o555);
    const before = readdirSync(state);
    const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' };
    const ask = (...args: string[]) => asOrdinaryUser(args, place.path, env);
    expect(ask('search', 'tern').stdout).toContain('a.md');
    expect(ask('get', 'a.md').stdout).toContain('gravel');
    expect(JSON.parse(ask('status', '--json').stdout)).toMatchObject({ documents: 1 });
    const answer = ask('where does the tern nest', '--json');
    expect(answer.code).toBe(0);
    expect(JSON.parse(answer.stdout)).toMatchObject({
      status: 'frozen',
      problems: [{ code: 'audit/not-written' }, { code: 'package/not-stored' }],
    });
    const said = ask('where does the tern nest');
    expect(said.stdout).toContain('gravel');
    expect(said.stderr).toContain('was not stored');
    expectFault(ask('index'), 4, /cannot be written/);
    expect(readdirSync(state)).toEqual(before);
    chmodSync(state, 0o755);
  });

  it('a file that may grow no further: the index stays as it was', async () => {
    place.write('colophon.yaml', 'version: 1\nprofile: personal\nsources: [docs]\n');
    place.write('docs/a.md', '# A\n\nThe tern nests.\n');
    expect((await run(['index'])).code).toBe(0);
    const before = JSON.parse((await run(['status', '--json'])).stdout);
    for (let page = 0; page < 300; page += 1) place.write(`docs/${page}.md`, `# Page ${page}\n\n${words(page)}\n`);
    const limit = 200;
    const done = spawnSync('bash', ['-c', `trap '' XFSZ; ulimit -f ${limit}; exec "$0" "$1" index`, process.execPath, MAIN], {
      cwd: place.path,
      env: { PATH: process.env['PATH'] ?? '', HOME: place.path },
      encoding: 'utf8',
    });
    expect(done.status).toBe(4);
    expect(done.stderr).toMatch(/The disk is full/);
    const after = JSON.parse((await run(['status', '--json', '--strict'])).stdout);
    expect(after.integrity).toMatchObject({ ok: true });
    expect(after.documents).toBeGreaterThanOrEqual(before.documents);
    expect((await run(['index'])).code).toBe(0);
    expect(JSON.parse((await run(['status', '--json'])).stdout)).toMatchObject({ documents: 301, pending: 0 });
  });
});

describe('a disk that is full', () => {
  it.skipIf(!canMount())('leaves everything as it was', async () => {
    place.write('colophon.yaml', 'version: 1\nprofile: personal\nsources: [docs]\n');
    for (let page = 0; page < 300; page += 1) place.write(`docs/${page}.md`, `# Page ${page}\n\n${words(page)}\n`);
    const disk = join(place.path, '.colophon');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=600k', 'tmpfs', disk]);
    try {
      expectFault(await run(['index', '--quiet']), 4, /The disk is full/);
      execFileSync('mount', ['-o', 'remount,size=64m', disk]);
      expect((await run(['index', '--quiet'])).code).toBe(0);
      expect(JSON.parse((await run(['status', '--json'])).stdout)).toMatchObject({ documents: 300, integrity: { ok: true } });
    } finally {
      execFileSync('umount', [disk]);
    }
  });
});

describe('an interrupted command', () => {
  it('ends with 130 after Ctrl-C, and the next run finishes the rest', async () => {
    place.write('colophon.yaml', 'version: 1\nprofile: personal\nsources: [docs]\n');
    for (let page = 0; page < 1500; page += 1) place.write(`docs/${page}.md`, `# Page ${page}\n\n${words(page)}\n`);
    const child = startCommand(['index'], { cwd: place.path, env: environment(place.path, {}) });
    const said = await new Promise<string>((resolve) => {
      let text = '';
      let sent = false;
      child.stderr.on('data', (chunk) => {
        text += String(chunk);
        if (!sent && /\d+\/1500/.test(text)) sent = child.kill('SIGINT');
      });
      child.on('close', (code) => resolve(`${code} ${text}`));
    });
    expect(said).toMatch(/^130 /);
    const env = environment(place.path, {});
    const again = await runCommand(['index', '--json'], { cwd: place.path, env });
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ documents: 1500 });
  });

  it('tells by its exit what was found, though nobody reads it to the end', () => {
    place.write('docs/a.md', '# Tern\n\nAbout terns.\n');
    const env = environment(place.path);
    const all = { cwd: place.path, env, encoding: 'utf8' } as const;
    spawnSync(process.execPath, [MAIN, 'search', 'tern', '--root', 'docs'], all);
    const folder = readdirSync(place.path, { recursive: true, encoding: 'utf8' }).find((each) => each.endsWith('audit.jsonl'));
    appendFileSync(join(place.path, folder ?? ''), 'no line\n'.repeat(90));
    const script = `"$0" "$1" audit verify --json --root docs | true; echo "\${PIPESTATUS[0]}"`;
    const done = spawnSync('bash', ['-c', script, process.execPath, MAIN], all);
    expect(done.stdout.trim()).toBe('1');
    expect(done.stderr).not.toContain('EPIPE');
  });

  it('does not mind a reader that leaves', () => {
    for (let page = 0; page < 50; page += 1) place.write(`docs/${page}.md`, `# Tern ${page}\n\n${words(page)}\n`);
    const script = `"$0" "$1" search tern --json --root docs --limit 50 | head -c 20 >/dev/null; echo "\${PIPESTATUS[0]}"`;
    const done = spawnSync('bash', ['-c', script, process.execPath, MAIN], {
      cwd: place.path,
      env: environment(place.path),
      encoding: 'utf8',
    });
    expect(done.stdout.trim()).toBe('0');
    expect(done.stderr).not.toContain('EPIPE');
  });
});

function words(seed: number): string {
  return Array.from({ length: 300 }, (_, at) => `w${(seed * 7919 + at * 104729) % 50_000}`).join(' ');
}

function asOrdinaryUser(args: readonly string[], cwd: string, env: Record<string, string>): Run {
  const [command = '', ...before] = [...withoutOverride(), process.execPath];
  const done = spawnSync(command, [...before, MAIN, ...args], { cwd, env, encoding: 'utf8' });
  return { code: done.status, stdout: done.stdout, stderr: done.stderr, elapsedMs: 0 };
}

function canMount(): boolean {
  if (process.getuid?.() !== 0) return false;
  const probe = temporaryFolder();
  try {
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', probe.path]).status === 0;
    if (mounted) spawnSync('umount', [probe.path]);
    return mounted;
  } finally {
    probe.dispose();
  }
}
