/** T7.5: how much is let through, and what is turned away. */
import { expect, it } from 'vitest';
import { Fault } from '../../kernel/errors.js';
import { Lag, RateLimit, Turnstile } from './traffic.js';

const never = new AbortController().signal;
const refusal = (run: () => unknown) => {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.data;
    throw error;
  }
};

it('a caller has its burst, then its rate, and is told when to come back; another caller is not touched', () => {
  let now = 0;
  const limit = new RateLimit({ requestsPerSecond: 10, burst: 3 }, () => now);
  for (let at = 0; at < 3; at += 1) limit.take('ana');
  expect(refusal(() => limit.take('ana'))).toEqual({ retryAfterSeconds: 1 });
  limit.take('bo');
  now = 100;
  limit.take('ana');
  expect(refusal(() => limit.take('ana'))).toBeDefined();
  now = 10_000;
  for (let at = 0; at < 3; at += 1) limit.take('ana');
  expect(refusal(() => limit.take('ana'))).toBeDefined();
  // A clock that goes backwards gives nothing and takes nothing.
  now = 0;
  expect(refusal(() => limit.take('ana'))).toBeDefined();
});

it('over any time a caller gets no more than its burst and its rate, whatever it does', () => {
  let now = 0;
  const limit = new RateLimit({ requestsPerSecond: 50, burst: 20 }, () => now);
  let passed = 0;
  for (; now < 10_000; now += 1) if (refusal(() => limit.take('ana')) === undefined) passed += 1;
  expect(passed).toBeLessThanOrEqual(20 + 50 * 10);
  expect(passed).toBeGreaterThan(500);
});

it('forgets callers rather than grow without end', () => {
  const limit = new RateLimit({ requestsPerSecond: 1, burst: 1 }, () => 0);
  for (let at = 0; at < 12_000; at += 1) limit.take(`caller ${at}`);
  expect((limit as unknown as { buckets: Map<string, unknown> }).buckets.size).toBeLessThanOrEqual(10_000);
});

it('so many at a time, so many wait, in their order, and the rest is turned away', async () => {
  const turnstile = new Turnstile({ concurrent: 2, queued: 3, waitMs: 60_000 });
  const open: (() => void)[] = [];
  const order: string[] = [];
  const enter = (name: string) =>
    turnstile.pass(name, never, async () => {
      order.push(name);
      await new Promise<void>((resolve) => open.push(resolve));
    });
  const all = ['a', 'b', 'c', 'd', 'e'].map(enter);
  await Promise.resolve();
  expect([turnstile.running, turnstile.queued]).toEqual([2, 3]);
  await expect(enter('f')).rejects.toMatchObject({ code: 'limit/too-many-requests' });
  while (order.length < 5) {
    open.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const each of open) each();
  await Promise.all(all);
  expect(order).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect([turnstile.running, turnstile.queued]).toEqual([0, 0]);
});

it('one caller cannot fill the queue of all, and who leaves gives up the place', async () => {
  const turnstile = new Turnstile({ concurrent: 1, queued: 4, waitMs: 60_000 });
  let finish: () => void = () => undefined;
  const first = turnstile.pass('greedy', never, () => new Promise<void>((resolve) => (finish = resolve)));
  const leaving = new AbortController();
  const waiting = [1, 2].map(() => turnstile.pass('greedy', leaving.signal, async () => undefined));
  await expect(turnstile.pass('greedy', never, async () => undefined)).rejects.toBeInstanceOf(Fault);
  const other = turnstile.pass('modest', never, async () => 'served');
  leaving.abort(new Error('gone'));
  for (const each of waiting) await expect(each).rejects.toThrow('gone');
  finish();
  expect(await other).toBe('served');
  await first;
  expect([turnstile.running, turnstile.queued]).toEqual([0, 0]);
});

it('T7.2 nobody is let in to wait longer than the pace of the last requests allows', async () => {
  let now = 0;
  const turnstile = new Turnstile({ concurrent: 1, queued: 100, waitMs: 400 }, { now: () => now });
  const finish: (() => void)[] = [];
  const waits: number[] = [];
  const refusals: unknown[] = [];
  const ask = (at: number) => {
    const since = now;
    turnstile
      .pass(`caller ${at}`, new AbortController().signal, async () => {
        waits.push(now - since);
        await new Promise<void>((resolve) => finish.push(resolve));
      })
      .catch((error: unknown) => refusals.push(error));
  };
  // Twenty come in the time that one takes.
  for (let round = 0; round < 200; round += 1) {
    for (let at = 0; at < 20; at += 1) ask(at);
    now += 20;
    finish.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  // The pace is not known before the first have gone.
  const steady = waits.slice(100);
  expect(steady.length).toBeGreaterThan(80);
  expect(Math.max(...steady)).toBeLessThanOrEqual(420);
  expect(Math.min(...steady)).toBeGreaterThan(300);
  expect(refusals.length).toBeGreaterThan(3_000);
  expect(refusals.at(-1)).toMatchObject({ code: 'limit/too-many-requests', data: { retryAfterSeconds: 1 } });
});

it('T7.2 who has waited for as long as anybody may is refused then, though nobody departs, and is counted', async () => {
  const refused: string[] = [];
  const turnstile = new Turnstile({ concurrent: 1, queued: 10, waitMs: 30 }, { refused: (why) => refused.push(why) });
  let finish: () => void = () => undefined;
  const first = turnstile.pass('slow', never, () => new Promise<void>((resolve) => (finish = resolve)));
  const late = turnstile.pass('late', never, async () => 'too late');
  await expect(late).rejects.toMatchObject({ code: 'limit/too-many-requests', data: { retryAfterSeconds: 1 } });
  expect([turnstile.running, turnstile.queued, refused]).toEqual([1, 0, ['late']]);
  finish();
  await first;
  expect(await turnstile.pass('next', never, async () => 'answered')).toBe('answered');
});

it('T7.2 a process that is behind lets fewer wait, and still answers whoever finds a place', async () => {
  let behind = 0;
  const refused: string[] = [];
  const turnstile = new Turnstile(
    { concurrent: 1, queued: 10, waitMs: 1_000 },
    { refused: (why) => refused.push(why), behindMs: () => behind },
  );
  behind = 2_000;
  expect(await turnstile.pass('ana', never, async () => 'answered')).toBe('answered');
  let finish: () => void = () => undefined;
  const first = turnstile.pass('ana', never, () => new Promise<void>((resolve) => (finish = resolve)));
  await expect(turnstile.pass('bo', never, async () => undefined)).rejects.toMatchObject({ data: { retryAfterSeconds: 2 } });
  expect(() => turnstile.requireRoom('bo')).toThrow(Fault);
  expect(refused).toEqual(['wait', 'wait']);
  finish();
  await first;
});

it('one long turn of the process is a pause; several in a row are a process that is behind', async () => {
  let now = 0;
  const lag = new Lag(() => now);
  // As much time as the clock is told to have passed for each turn of the timer.
  const turns = async (...passed: readonly number[]) => {
    for (const ms of passed) {
      const before = lag.turns;
      now += ms;
      while (lag.turns === before) await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return lag.ms();
  };
  try {
    expect(await turns(20, 20, 520)).toBe(0);
    expect(await turns(320, 220)).toBe(200);
    expect(await turns(20)).toBe(0);
  } finally {
    lag.stop();
  }
});
