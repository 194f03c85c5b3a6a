/** OBS-03: several processes write one audit log of many files, some are killed while they do, and it stays one whole chain. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { auditLines, verifyAudit } from '../../src/app/audit/verify-audit.js';
import { buildStoreProcesses } from '../support/store-processes.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';

const key = (use: string) => Buffer.from(use.padEnd(32, '.'));
const PROCESSES = 4;
const EACH = 300;

let folder: TemporaryFolder;
let program = '';
beforeAll(async () => {
  folder = temporaryFolder();
  [program] = await buildStoreProcesses(folder, 'audit-process');
});
afterAll(() => folder.dispose());

const start = (state: string, name: string) => spawn(process.execPath, [program, state, name, String(EACH)], { stdio: 'inherit' });

it(`${PROCESSES} processes, ${EACH} lines each: every line is there once, in one chain`, async () => {
  const state = temporaryFolder();
  try {
    const children = Array.from({ length: PROCESSES }, (_, at) => start(state.path, `p${at}`));
    const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
    expect(codes).toEqual(children.map(() => 0));
    expect(await verifyAudit(state.path, { key })).toMatchObject({ ok: true, lines: PROCESSES * EACH, findings: [] });
    const seen = new Map<string, number>();
    // Each process's own lines stand in its own order.
    for await (const { principal, verb } of auditLines(state.path)) {
      expect(Number(verb)).toBe(seen.get(principal) ?? 0);
      seen.set(principal, Number(verb) + 1);
    }
  } finally {
    state.dispose();
  }
});

it('30 of them are killed at some moment, and the others go on: what was written stays whole', async () => {
  const state = temporaryFolder();
  try {
    for (let round = 0; round < 30; round += 1) {
      const [doomed, other] = [start(state.path, `doomed-${round}`), start(state.path, `other-${round}`)];
      setTimeout(() => doomed.kill('SIGKILL'), 60 + round * 7);
      const [[code]] = await Promise.all([once(other, 'exit'), once(doomed, 'exit')]);
      expect(code).toBe(0);
    }
    const verdict = await verifyAudit(state.path, { key });
    expect(verdict.findings.filter(({ kind }) => kind !== 'torn')).toEqual([]);
    expect(verdict.ok).toBe(true);
    expect(verdict.lines).toBeGreaterThanOrEqual(30 * EACH);
  } finally {
    state.dispose();
  }
});
