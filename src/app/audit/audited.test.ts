/** What becomes of a question in the log: who, what, with which outcome, and nothing of what it said. */
import { describe, expect, it } from 'vitest';
import type { Ask } from '../../domain/requester.js';
import { Fault } from '../../kernel/errors.js';
import type { LibraryConfig } from '../library.js';
import type { AuditEvent } from './audit-record.js';
import { audited, recordFailure, recordJob } from './audited.js';

const ask = { requester: { principal: 'person:ana', workload: 'workload://api/x', tenant: 'north', purpose: 'assist' } } as unknown as Ask;
const configOf = (profile: 'personal' | 'team') => ({ profile, permissions: {}, identity: {} }) as unknown as LibraryConfig;

function recorderOf(profile: 'personal' | 'team', isBroken = false) {
  const events: AuditEvent[] = [];
  const add = (event: AuditEvent) => {
    if (isBroken) throw new Fault('audit/unwritable', { file: 'audit.jsonl', reason: 'EACCES' });
    events.push(event);
  };
  return { events, log: { add, queryDigest: (text: string) => `digest of ${text.length}` }, config: configOf(profile) };
}
const about = { surface: 'http', verb: 'search', input: { query: 'the salary of bo' }, ask } as const;

describe('an answer', () => {
  it('ATH-02, OBS-05 is recorded with person, program and counts, and without a word of it', async () => {
    const recorder = recorderOf('team');
    const answer = { problems: [], hits: [{ artifact: 'ka_b', excerpt: 'bo earns' }, { artifact: 'ka_a' }, { artifact: 'ka_b' }] };
    expect(await audited(recorder, about, async () => answer)).toBe(answer);
    expect(recorder.events).toMatchObject([
      {
        principal: 'person:ana',
        workload: 'workload://api/x',
        tenant: 'north',
        purpose: 'assist',
        outcome: 'allowed',
        artifacts: { count: 2 },
      },
    ]);
    expect(JSON.stringify(recorder.events)).not.toMatch(/salary|earns|ka_/);
  });

  it.each([
    [{ hits: [] }, 'nothing'],
    [{ status: 'no_context' }, 'nothing'],
    [{ status: 'blocked' }, 'blocked'],
    [{ status: 'frozen' }, 'allowed'],
  ])('%j is %s', async (answer, outcome) => {
    const recorder = recorderOf('team');
    await audited(recorder, about, async () => answer);
    expect(recorder.events[0]?.outcome).toBe(outcome);
  });

  it.each([
    [new Fault('access/denied', { asked: 'x' }), 'denied'],
    [new Fault('not-found', { what: 'x' }), 'absent'],
    [new Fault('input/invalid', { field: 'x', expected: 'y' }), 'refused'],
    [new Fault('index/not-built', { path: 'x' }), 'failed'],
    [new TypeError('x'), 'failed'],
  ])('OBS-04 that is a fault (%s) is recorded as %s, and stays the fault', async (error, outcome) => {
    const recorder = recorderOf('team');
    await expect(
      audited(recorder, about, async () => {
        throw error;
      }),
    ).rejects.toBe(error);
    expect(recorder.events[0]?.outcome).toBe(outcome);
  });
});

describe('where nothing can be recorded', () => {
  it('a team gives no answer', async () => {
    await expect(audited(recorderOf('team', true), about, async () => ({ problems: [] }))).rejects.toMatchObject({
      code: 'audit/unwritable',
    });
  });

  it('one person is told with the answer', async () => {
    const answer = await audited(recorderOf('personal', true), about, async () => ({ problems: [], hits: [] }));
    expect(answer.problems).toMatchObject([{ code: 'audit/not-written' }]);
  });

  it('what went wrong first is what is told', async () => {
    const fault = new Fault('not-found', { what: 'x' });
    await expect(audited(recorderOf('team', true), about, () => Promise.reject(fault))).rejects.toBe(fault);
  });
});

describe('ATH-12 background work', () => {
  it('has an identity of its own, and is recorded when it changed something or failed', async () => {
    const recorder = recorderOf('team');
    const job = { verb: 'index', workload: 'workload://colophon/indexer' };
    await recordJob(recorder, job, async () => ({ writes: 0 }));
    expect(recorder.events).toEqual([]);
    await recordJob(recorder, job, async () => ({ writes: 3 }));
    await expect(recordJob(recorder, job, () => Promise.reject(new Error('disk')))).rejects.toThrow('disk');
    const busy = new Fault('index/busy', { holder: 'another' });
    await expect(recordJob(recorder, job, () => Promise.reject(busy))).rejects.toBe(busy);
    expect(recorder.events).toMatchObject([
      { surface: 'job', principal: job.workload, workload: job.workload, outcome: 'allowed' },
      { surface: 'job', outcome: 'failed' },
    ]);
  });
});

it('who got no further than the door is recorded as far as the name is known', () => {
  const recorder = recorderOf('team');
  const who = { principal: '', workload: '', tenant: '', purpose: '' };
  recordFailure(recorder, { who, surface: 'http', verb: 'search', request: 'r1' }, new Fault('access/unauthenticated', {}));
  expect(recorder.events).toMatchObject([{ ...who, outcome: 'denied', code: 'access/unauthenticated', request: 'r1' }]);
});
