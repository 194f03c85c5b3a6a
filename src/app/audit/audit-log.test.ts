/** OBS-03, OBS-04, OBS-05: every change of the log shows, and what it must not hold is not in it. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '../../kernel/errors.js';
import type { KeyFor } from '../access/local-key.js';
import { AuditLog } from './audit-log.js';
import type { AuditEvent } from './audit-record.js';
import { type AuditVerdict, auditLines, verifyAudit } from './verify-audit.js';

const key: KeyFor = (use) => Buffer.from(use.padEnd(32, '.'));
const event = (verb: string, more: Partial<AuditEvent> = {}): AuditEvent => ({
  surface: 'http',
  verb,
  outcome: 'allowed',
  principal: 'person:ana',
  workload: 'workload://api',
  tenant: 'north',
  purpose: 'assist',
  policy: '0011223344556677',
  ...more,
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'colophon-audit-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = () => join(folder, 'audit.jsonl');
const open = (flushMs = 0) => new AuditLog({ stateFolder: folder, flushMs, key, now: () => 1_700_000_000_000 });
const verify = () => verifyAudit(folder, { key });
const written = (count: number): Buffer => {
  const log = open();
  for (let at = 0; at < count; at += 1) log.add(event(`verb-${at}`));
  return readFileSync(file());
};

describe('a log that nobody touched', () => {
  it('OBS-03 is whole, however many processes and batches wrote it', async () => {
    const [one, two] = [open(), open(10_000)];
    for (let at = 0; at < 20; at += 1) (at % 3 === 0 ? two : one).add(event(`verb-${at}`));
    two.flush();
    expect(await verify()).toMatchObject({ ok: true, lines: 20, findings: [] });
  });

  it('is whole when it is empty', async () => {
    expect(await verify()).toMatchObject({ ok: true, lines: 0 });
  });

  it('OBS-04 writes a denial at once, and other lines together', () => {
    const log = open(60_000);
    log.add(event('search'));
    expect(() => readFileSync(file())).toThrow(/ENOENT/);
    log.add(event('get', { outcome: 'denied', code: 'access/denied' }));
    expect(readFileSync(file(), 'utf8').split('\n')).toHaveLength(3);
  });

  it('OBS-05 holds a question as a keyed digest alone', () => {
    const log = open();
    const digest = log.queryDigest('what does ana earn');
    expect(digest).toMatch(/^[0-9a-f]{32}$/);
    expect(log.queryDigest('what does ana earn')).toBe(digest);
    expect(new AuditLog({ stateFolder: folder, flushMs: 0, key: () => Buffer.alloc(32) }).queryDigest('what does ana earn')).not.toBe(
      digest,
    );
  });

  it('is for its owner alone', () => {
    written(1);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'audit.head')).mode & 0o777).toBe(0o600);
  });
});

describe('OBS-03 a log that was tampered with', () => {
  const LINES = 4;
  /** Each byte in the long proofs, every seventeenth otherwise. */
  const STEP = process.env['COLOPHON_PROOF_SCALE'] === undefined ? 17 : 1;
  const broken = async (bytes: Buffer | string): Promise<AuditVerdict> => {
    writeFileSync(file(), bytes);
    return verify();
  };

  it('shows for every byte that is changed, and names the line or the one beside it', async () => {
    const whole = written(LINES);
    const missed: number[] = [];
    for (let at = 0; at < whole.length; at += STEP) {
      const line = whole.subarray(0, at).toString('latin1').split('\n').length;
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 0x01;
      const { ok, findings } = await broken(bytes);
      if (ok || !findings.some((each) => Math.abs(each.line - line) <= 1)) missed.push(at);
    }
    expect(missed).toEqual([]);
  });

  it('shows for every line that is taken out, doubled or moved', async () => {
    const lines = written(LINES).toString().trimEnd().split('\n');
    const joined = (parts: readonly string[]) => `${parts.join('\n')}\n`;
    for (let at = 0; at < LINES; at += 1) {
      expect((await broken(joined(lines.toSpliced(at, 1)))).ok, `without ${at + 1}`).toBe(false);
      expect((await broken(joined(lines.toSpliced(at, 0, lines[at] ?? '')))).ok, `${at + 1} twice`).toBe(false);
      for (let to = at + 1; to < LINES; to += 1) {
        const moved = lines.with(at, lines[to] ?? '').with(to, lines[at] ?? '');
        expect((await broken(joined(moved))).ok, `${at + 1} and ${to + 1} exchanged`).toBe(false);
      }
    }
    expect((await broken(joined(lines))).ok).toBe(true);
  });

  it('shows where the end is cut off, at every byte', async () => {
    const whole = written(LINES);
    // Without its line end alone the last line is still what was written.
    for (let size = 0; size < whole.length - 1; size += STEP) {
      writeFileSync(file(), whole.subarray(0, size));
      const { ok, findings } = await verify();
      expect(ok, `cut to ${size}`).toBe(false);
      expect(
        findings.some(({ kind }) => kind === 'cut'),
        `cut to ${size}`,
      ).toBe(true);
    }
  });

  it('shows for a log that was written anew, since its end is signed', async () => {
    written(LINES);
    rmSync(file());
    rmSync(join(folder, 'audit.head'));
    const forger = new AuditLog({ stateFolder: folder, flushMs: 0, key: () => Buffer.alloc(32, 7) });
    forger.add(event('innocent'));
    expect((await verify()).findings.map(({ kind }) => kind)).toContain('head-forged');
  });

  it('shows for an older state of both files, to who noted a digest', async () => {
    const early = written(2);
    const head = readFileSync(join(folder, 'audit.head'));
    open().add(event('late'));
    const { head: noted } = await verify();
    writeFileSync(file(), early);
    writeFileSync(join(folder, 'audit.head'), head);
    expect((await verify()).ok).toBe(true);
    expect((await verifyAudit(folder, { key, expect: noted.digest })).findings.map(({ kind }) => kind)).toEqual(['not-expected']);
  });
});

describe('OBS-03 a log that was tampered with, and then written on', () => {
  const LINES = 6;
  /** Two processes, so that the second goes on from what the first left. */
  const goOn = () => {
    open().add(event('afterwards'));
    open().add(event('later'));
  };
  const found = async () => {
    const { ok, findings } = await verify();
    return { ok, findings: findings.map(({ kind, line, detail }) => ({ kind, line, detail })) };
  };

  it('names for good the lines that were cut off', async () => {
    const lines = written(LINES).toString().split('\n').slice(0, 2);
    writeFileSync(file(), `${lines.join('\n')}\n`);
    goOn();
    const missing = { kind: 'missing', line: 3, detail: 'numbers 3 to 6 are missing before line 3' };
    expect(await found()).toEqual({ ok: false, findings: [missing] });
    goOn();
    expect(await found()).toEqual({ ok: false, findings: [missing] });
  });

  it('names for good that the whole log was deleted, under a running writer too', async () => {
    const running = open();
    for (let at = 0; at < LINES; at += 1) running.add(event(`verb-${at}`));
    rmSync(file());
    running.add(event('afterwards'));
    running.add(event('later'));
    const missing = { kind: 'missing', line: 1, detail: 'numbers 1 to 6 are missing before line 1' };
    expect(await found()).toEqual({ ok: false, findings: [missing] });
  });

  it('names for good an end that was replaced by other lines, as many or more', async () => {
    const lines = written(LINES).toString().split('\n').slice(0, LINES);
    for (const more of [0, 1, 3]) {
      rmSync(join(folder, 'audit.head'));
      rmSync(file());
      written(LINES);
      const forged = lines.map((line, at) => (at === LINES - 1 ? line.replace('person:ana', 'person:bob') : line));
      const extra = Array.from({ length: more }, (_, at) => `{"seq":${LINES + 1 + at},"prev":"${'1'.repeat(64)}"}`);
      writeFileSync(file(), `${[...forged, ...extra].join('\n')}\n`);
      goOn();
      expect((await found()).ok, `${more} more`).toBe(false);
      goOn();
      expect((await found()).findings.map(({ kind }) => kind)).toContain('changed');
    }
  });

  it('names for good a head that was deleted or is not ours', async () => {
    for (const [kind, tamper] of [
      ['head-absent', () => rmSync(join(folder, 'audit.head'))],
      ['head-forged', () => writeFileSync(join(folder, 'audit.head'), 'x')],
    ] as const) {
      written(1);
      tamper();
      goOn();
      goOn();
      expect((await found()).findings.map((each) => each.kind)).toContain(kind);
      expect((await found()).ok).toBe(false);
    }
  });

  it('names for good a line that was cut in the middle', async () => {
    const whole = written(LINES);
    writeFileSync(file(), whole.subarray(0, whole.length - 40));
    goOn();
    expect((await found()).ok).toBe(false);
  });

  it('is whole where the last line lost its end alone, and where a process died before its head', async () => {
    const whole = written(LINES);
    writeFileSync(file(), whole.subarray(0, whole.length - 1));
    goOn();
    expect((await found()).ok).toBe(true);
    const head = readFileSync(join(folder, 'audit.head'));
    const batch = open(60_000);
    for (let at = 0; at < 300; at += 1) batch.add(event('many'));
    batch.flush();
    writeFileSync(join(folder, 'audit.head'), head);
    goOn();
    expect((await found()).ok).toBe(true);
  });
});

describe('a process that died while it wrote', () => {
  it('leaves a torn line that the next one names, and the log is sound', async () => {
    const whole = written(3);
    const head = readFileSync(join(folder, 'audit.head'));
    for (const cut of [1, 40, 200]) {
      writeFileSync(file(), whole);
      writeFileSync(join(folder, 'audit.head'), head);
      appendFileSync(file(), whole.subarray(0, cut));
      open().add(event('afterwards'));
      const verdict = await verify();
      expect(verdict).toMatchObject({ ok: true, lines: 5 });
      expect(verdict.findings).toMatchObject([{ kind: 'torn', line: 4 }]);
    }
  });

  it('may have written more than the head says', async () => {
    written(2);
    const head = readFileSync(join(folder, 'audit.head'));
    open().add(event('third'));
    writeFileSync(join(folder, 'audit.head'), head);
    expect((await verify()).ok).toBe(true);
  });
});

describe('OBS-03 a log in several files', () => {
  const FILE_BYTES = 1_000;
  const rotating = () => new AuditLog({ stateFolder: folder, auditFileBytes: FILE_BYTES, flushMs: 0, key, now: () => 1_700_000_000_000 });
  const full = () =>
    readdirSync(folder)
      .filter((name) => /^audit-\d{15}\.jsonl$/.test(name))
      .sort();
  /** By two processes in turn, so that each finds a file that the other put aside. */
  const fill = (count: number) => {
    const logs = [rotating(), rotating()];
    for (let at = 0; at < count; at += 1) logs[at % 2]?.add(event(`verb-${at}`));
  };
  const kinds = async () => (await verify()).findings.map(({ kind }) => kind);
  const last = () => join(folder, full().at(-1) ?? '');

  it('is one chain through all of them, and each is as large as it may be and no more than a line larger', async () => {
    fill(30);
    expect(full().length).toBeGreaterThan(5);
    for (const name of full()) {
      const { size, mode } = statSync(join(folder, name));
      expect(size).toBeGreaterThanOrEqual(FILE_BYTES);
      expect(size).toBeLessThan(2 * FILE_BYTES);
      expect(mode & 0o777).toBe(0o600);
      const ends = readFileSync(join(folder, name), 'utf8').trimEnd().split('\n').at(-1) ?? '';
      expect(name).toBe(`audit-${String((JSON.parse(ends) as { seq: number }).seq).padStart(15, '0')}.jsonl`);
    }
    expect(await verify()).toMatchObject({ ok: true, lines: 30, findings: [], head: { seq: 30 } });
    const verbs: string[] = [];
    for await (const { verb } of auditLines(folder)) verbs.push(verb);
    expect(verbs).toEqual(Array.from({ length: 30 }, (_, at) => `verb-${at}`));
  });

  it('shows a file that was taken out, changed or cut, whichever it is', async () => {
    fill(20);
    for (const name of [...full(), 'audit.jsonl']) {
      const bytes = readFileSync(join(folder, name));
      rmSync(join(folder, name));
      expect((await verify()).ok, `without ${name}`).toBe(false);
      writeFileSync(join(folder, name), bytes.subarray(0, bytes.length - 50));
      expect((await verify()).ok, `${name} cut`).toBe(false);
      writeFileSync(join(folder, name), bytes.toString().replace('person:ana', 'person:bob'));
      expect((await verify()).ok, `${name} changed`).toBe(false);
      writeFileSync(join(folder, name), bytes);
    }
    expect((await verify()).ok).toBe(true);
  });

  it('goes on after a process that died between putting a file aside and its first line, and before its head', async () => {
    fill(10);
    const head = readFileSync(join(folder, 'audit.head'));
    const aside = full().length;
    while (full().length === aside || statSync(file()).size < 400) rotating().add(event('more'));
    // The head of some lines ago, which stands in a full file now.
    writeFileSync(join(folder, 'audit.head'), head);
    expect((await verify()).ok).toBe(true);
    rmSync(join(folder, 'audit.head'));
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    while (!existsSync(file()) || statSync(file()).size < FILE_BYTES) rotating().add(event('full'));
    const { head: end } = await verify();
    renameSync(file(), join(folder, `audit-${String(end.seq).padStart(15, '0')}.jsonl`));
    expect((await verify()).ok).toBe(true);
    const ended = readFileSync(join(folder, 'audit.head'));
    rotating().add(event('next'));
    writeFileSync(join(folder, 'audit.head'), ended);
    rotating().add(event('after'));
    expect(await verify()).toMatchObject({ ok: true, findings: [], head: { seq: end.seq + 2 } });
  });

  it('names for good what was taken from it before it went on', async () => {
    fill(12);
    rmSync(file());
    rotating().add(event('afterwards'));
    rotating().add(event('later'));
    expect(await kinds()).toEqual(['missing']);
    rmSync(last());
    expect(await kinds()).toContain('missing');
  });

  it('leaves a file that was tampered with where it is, and goes on in it', async () => {
    fill(3);
    while (statSync(file()).size < FILE_BYTES) rotating().add(event('more'));
    const aside = full().length;
    writeFileSync(file(), readFileSync(file(), 'utf8').replace(/person:ana(?=[^\n]*\n$)/, 'person:bob'));
    rotating().add(event('afterwards'));
    expect(full()).toHaveLength(aside);
    expect((await verify()).ok).toBe(false);
  });
});

describe('a log in whose place something else stands', () => {
  const PIPE = process.platform === 'win32';

  it.skipIf(PIPE).each(['audit.head', 'audit.jsonl'])('is refused and waited for by nobody: a pipe for %s', async (name) => {
    written(1);
    rmSync(join(folder, name));
    execFileSync('mkfifo', [join(folder, name)]);
    expect(() => open().add(event('second'))).toThrow(/no regular file/);
    await expect(verify()).rejects.toThrow(/no regular file/);
  });
});

describe('a log that cannot be written', () => {
  it('is a fault, again and again, and is caught up on once it can be', () => {
    const log = open();
    log.add(event('first'));
    truncateSync(file(), 0);
    rmSync(file());
    writeFileSync(join(folder, 'elsewhere'), '');
    symlinkSync(join(folder, 'elsewhere'), file());
    expect(() => log.add(event('second'))).toThrow(Fault);
    expect(() => log.add(event('third'))).toThrow(/cannot be written: it is a link\./);
    expect(readFileSync(join(folder, 'elsewhere'), 'utf8')).toBe('');
    rmSync(file());
    log.add(event('fourth'));
    expect(readFileSync(file(), 'utf8').match(/"verb":"\w+"/g)).toEqual(['"verb":"second"', '"verb":"third"', '"verb":"fourth"']);
  });
});

describe('a line without an end', () => {
  const huge = (bytes: number) => appendFileSync(file(), Buffer.alloc(bytes, 120));
  const cpuMs = async (run: () => Promise<unknown> | undefined): Promise<number> => {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };

  it('OBS-03 is named with its file and place, and what stands around it is still read', async () => {
    const before = written(3).length;
    huge(300_000);
    appendFileSync(file(), '\n');
    const { ok, lines, findings } = await verify();
    expect(ok).toBe(false);
    expect(lines).toBe(4);
    expect(findings).toEqual([
      { kind: 'too-long', line: 4, detail: `line 4 is too long to be one: 300000 bytes from byte ${before} of audit.jsonl` },
    ]);
    open().add(event('after'));
    expect((await verify()).findings.map(({ kind }) => kind)).toContain('too-long');
    const verbs: string[] = [];
    for await (const { verb } of auditLines(folder)) verbs.push(verb);
    expect(verbs).toEqual(['verb-0', 'verb-1', 'verb-2', 'after']);
  });

  it('T7.5 costs time by its length alone, to check and to go on from, and others get their turn', async () => {
    written(3);
    huge(8_000_000);
    const short = await cpuMs(verify);
    let turns = 0;
    const ticking = setInterval(() => {
      turns += 1;
    }, 1);
    huge(56_000_000);
    const long = await cpuMs(verify);
    clearInterval(ticking);
    // Eight times the bytes: squared it would be sixty-four times.
    expect(long).toBeLessThan(25 * (short + 5));
    expect(turns).toBeGreaterThan(3);
    expect(await cpuMs(async () => open().add(event('after')))).toBeLessThan(1_500);
    expect((await verify()).ok).toBe(false);
  });

  it('ends when it is told to', async () => {
    written(3);
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    await expect(verifyAudit(folder, { key, signal: stop.signal })).rejects.toThrow('enough');
  });

  it('finds the line of its head over the borders of blocks, and behind what is no line', async () => {
    const lines = written(400);
    const head = readFileSync(join(folder, 'audit.head'));
    for (let at = 0; at < 600; at += 1) open().add(event(`later-${at}`));
    writeFileSync(join(folder, 'audit.head'), head);
    expect(statSync(file()).size - lines.length).toBeGreaterThan(131_072);
    open().add(event('after'));
    expect(await verify()).toMatchObject({ ok: true, lines: 1_001 });
  });
});

describe('what is no file of its own', () => {
  it.each(['audit.jsonl', 'audit-000000000000003.jsonl', 'audit.head'])(
    'OBS-03 a link in place of %s is told in a sentence',
    async (name) => {
      written(3);
      writeFileSync(join(folder, 'elsewhere'), readFileSync(file()));
      rmSync(join(folder, name), { force: true });
      symlinkSync(join(folder, 'elsewhere'), join(folder, name));
      await expect(verify()).rejects.toMatchObject({ code: 'library/unsafe', message: `${join(folder, name)} is not used: it is a link.` });
    },
  );
});
