/** OBS-03, OBS-04 on the command line: whatever shows text of a library is recorded first, and in profile team not shown where it cannot be. */
import { EventEmitter } from 'node:events';
import { readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runProgram } from '../../src/interfaces/cli/program.js';
import { teamSource } from '../support/team-source.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';

const CONFIG = `version: 1
profile: team
identity: { principal: person:ada, tenants: [main], purposes: [answer], groups: [staff, role:docs], ceiling: restricted }
permissions: { staff: [staff] }
sources:
${teamSource('docs', { permissions: 'staff', freshness_slo: 'P7D', authority_class: 'governing' })}`;

let place: TemporaryFolder;
let home: TemporaryFolder;
const log = () => join(place.path, '.colophon', 'audit.jsonl');
const lines = () => readFileSync(log(), 'utf8').trimEnd().split('\n').length;

async function run(...args: string[]): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const said = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof said) =>
    Object.assign(new EventEmitter(), {
      write: (text: string) => {
        said[name] += text;
        return true;
      },
      isTTY: false,
      columns: undefined,
    });
  const host = Object.assign(new EventEmitter(), {
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    env: { HOME: home.path, TZ: 'UTC' },
    cwd: () => place.path,
    exit: (code: number) => {
      throw new Error(`exit ${code}`);
    },
  });
  const code = await runProgram(
    args.map((each) => (each === 'answer.md' ? join(place.path, each) : each)),
    host as unknown as Parameters<typeof runProgram>[1],
  );
  return { code, ...said };
}

/** Every verb that shows what is in a library, or in a package of it. */
const SHOWING: readonly (readonly [verb: string, args: readonly string[]])[] = [
  ['context', ['where do terns nest']],
  ['context', ['context', 'where do terns nest']],
  ['search', ['search', 'terns']],
  ['get', ['get', 'docs/tern.md']],
  ['why', ['why']],
  ['why-not', ['why-not', 'docs/tern.md']],
  ['citations check', ['citations', 'check', 'answer.md']],
  ['status', ['status']],
  ['package list', ['package', 'list']],
  ['package show', ['package', 'show']],
  ['package explain', ['package', 'explain']],
  ['package explain', ['package', 'explain', '--json']],
  ['package explain', ['package', 'explain', '--html', '-']],
  ['package verify', ['package', 'verify']],
  ['package check', ['package', 'check']],
  ['package export', ['package', 'export']],
  ['package diff', ['package', 'diff', 'last', 'last']],
  ['package diff', ['context', 'diff', 'last', 'last']],
];

beforeAll(async () => {
  place = temporaryFolder();
  home = temporaryFolder();
  place.write('colophon.yaml', CONFIG);
  place.write('docs/tern.md', '# Terns\n\nTerns nest on gravel.\n');
  place.write('answer.md', 'They nest on gravel (docs/tern.md:3).\n');
  expect((await run('index')).code).toBe(0);
  expect((await run('context', 'where do terns nest')).code).toBe(0);
});
afterAll(() => {
  place.dispose();
  home.dispose();
});

it('OBS-04 each way of showing it leaves one line under its own name', async () => {
  for (const [verb, args] of SHOWING) {
    const before = lines();
    const { stdout } = await run(...args);
    expect(stdout, args.join(' ')).not.toBe('');
    expect(lines(), args.join(' ')).toBe(before + 1);
    const last = JSON.parse(readFileSync(log(), 'utf8').trimEnd().split('\n').at(-1) ?? '') as Record<string, unknown>;
    expect(last, args.join(' ')).toMatchObject({ surface: 'cli', verb, principal: 'person:ada' });
  }
});

it('OBS-03 in profile team nothing is shown that cannot be recorded', async () => {
  rmSync(log());
  symlinkSync(join(place.path, 'elsewhere'), log());
  try {
    for (const [, args] of SHOWING) {
      const { code, stdout, stderr } = await run(...args);
      expect({ code, text: stdout.includes('gravel') }, args.join(' ')).toEqual({ code: 4, text: false });
      expect(`${stdout}${stderr}`).toContain('cannot be written');
    }
  } finally {
    rmSync(log());
  }
});

it('ATH-08 a denial is recorded with its tenant where that is one the asker holds, and without it otherwise', async () => {
  const denied = async (...flags: string[]) => {
    expect((await run('search', 'terns', ...flags)).code).toBe(3);
    const last = JSON.parse(readFileSync(log(), 'utf8').trimEnd().split('\n').at(-1) ?? '') as Record<string, unknown>;
    return { outcome: last['outcome'], principal: last['principal'], tenant: last['tenant'] };
  };
  const by = { outcome: 'denied', principal: 'person:ada' };
  expect(await denied('--tenant', 'main', '--purpose', 'other')).toEqual({ ...by, tenant: 'main' });
  expect(await denied('--tenant', 'other')).toEqual({ ...by, tenant: '' });
});

it('no command reads pages or packages past the record', () => {
  const folder = 'src/interfaces/cli/commands';
  const past = readdirSync(folder).filter((name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    return /app\/(?:packages|agent-view|asking\/asking)/.test(text) && !/recordedAs|runRecorded/.test(text);
  });
  expect(past).toEqual([]);
});
