/** T7.2: which thread answers what, and what becomes of those that end. */
import { expect, it } from 'vitest';
import type { LibraryConfig } from '../library.js';
import type { Call, Operation } from '../operations/catalogue.js';
import { AnswerThreads, openAnswerThreads } from './answer-threads.js';

const search = { name: 'search', run: async () => 'here' } as unknown as Operation;
const status = { name: 'status', run: async () => 'here' } as unknown as Operation;
const callOf = (principal: string) => ({ ask: { requester: { principal, tenant: 'main' } } }) as unknown as Call;

function threads(count: number) {
  const started: { load: number; isEnded: boolean; hasAnswered: boolean }[] = [];
  const log: string[] = [];
  const start = () => {
    const number = started.length;
    const thread = { load: 0, isEnded: false, hasAnswered: true, run: async () => number, end: async () => undefined };
    started.push(thread);
    return thread;
  };
  return { started, log, answering: new AnswerThreads({ count, log: (text) => log.push(text), start }) };
}

it('the same question of the same caller comes to the same thread, and all have some', async () => {
  const { answering } = threads(3);
  const ask = (at: number, who = 'ana') => answering.run(search, { query: `question ${at}` }, callOf(who));
  const first = await Promise.all(Array.from({ length: 60 }, (_, at) => ask(at)));
  expect(await Promise.all(Array.from({ length: 60 }, (_, at) => ask(at)))).toEqual(first);
  expect(new Set(first)).toEqual(new Set([0, 1, 2]));
  expect(await Promise.all(Array.from({ length: 60 }, (_, at) => ask(at, 'bo')))).not.toEqual(first);
});

it('nobody waits behind others while a thread has nothing to do', async () => {
  const { answering, started } = threads(2);
  const [zero] = started;
  if (zero === undefined) throw new Error('no thread');
  zero.load = 2;
  const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => answering.run(search, { at }, callOf('ana'))));
  expect(new Set(answers)).toEqual(new Set([1]));
});

it('what takes little, and everything where one thread is enough or none can be started, is answered here', async () => {
  expect(await threads(3).answering.run(status, {}, callOf('ana'))).toBe('here');
  expect(await threads(1).answering.run(search, {}, callOf('ana'))).toBe('here');
  // From TypeScript sources no thread can be started.
  const answering = await openAnswerThreads({} as LibraryConfig, { count: 3, log: () => undefined });
  expect(await answering.run(search, {}, callOf('ana'))).toBe('here');
});

it('one that ended is followed by another; one that never answered is not, and at last answers are made here', async () => {
  const { answering, started, log } = threads(2);
  const end = (at: number, hasAnswered: boolean) => Object.assign(started[at] ?? {}, { isEnded: true, hasAnswered });
  end(0, true);
  await answering.run(search, {}, callOf('ana'));
  expect([started.length, log.length]).toEqual([3, 1]);
  end(1, false);
  end(2, false);
  expect(await answering.run(search, {}, callOf('ana'))).toBe('here');
  expect([started.length, log.length]).toEqual([3, 3]);
});
