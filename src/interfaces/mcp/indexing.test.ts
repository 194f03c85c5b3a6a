import { describe, expect, it } from 'vitest';
import { Fault } from '../../kernel/errors.js';
import { Indexing, type LearnOnce } from './indexing.js';

interface Held {
  readonly indexing: Indexing;
  readonly log: string[];
  runs(): number;
}

function indexingOf(learn: LearnOnce, isBuilt = true): Held {
  let runs = 0;
  const log: string[] = [];
  const indexing = new Indexing({
    learn: (signal, progress) => {
      runs += 1;
      return learn(signal, progress);
    },
    isBuilt: async () => isBuilt,
    now: () => 0,
    log: (text) => log.push(text),
  });
  return { indexing, log, runs: () => runs };
}

const never: LearnOnce = (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
const nobody = () => undefined;

describe('indexing beside a conversation', () => {
  it('an answer waits for a short run, and then has nothing to add', async () => {
    const { indexing, runs } = indexingOf(async () => undefined, false);
    await indexing.beforeAnswer([], nobody);
    expect(indexing.problems(true)).toEqual([]);
    expect(runs()).toBe(1);
  });

  it('T7.2 where only the first waits, others are answered at once from what is there, and told so', async () => {
    let end: () => void = () => undefined;
    const learn = () => new Promise<void>((resolve) => (end = resolve));
    const indexing = new Indexing({ learn, isBuilt: async () => true, now: () => 0, log: () => undefined, onlyFirstWaits: true });
    const first = indexing.beforeAnswer([], nobody);
    await indexing.beforeAnswer([AbortSignal.abort()], nobody);
    const before = performance.now();
    for (let at = 0; at < 5; at += 1) await indexing.beforeAnswer([], nobody);
    expect(performance.now() - before).toBeLessThan(350);
    expect(indexing.problems(true)).toMatchObject([{ code: 'index/building' }]);
    end();
    await first;
    expect(indexing.problems(true)).toEqual([]);
  });

  it('an answer does not wait for a long one, and says how far it is', async () => {
    const { indexing } = indexingOf((signal, progress) => {
      progress({ phase: 'reading', done: 310, total: 1500 });
      return never(signal, progress);
    });
    await indexing.beforeAnswer([], nobody);
    expect(indexing.problems(true)).toMatchObject([
      { code: 'index/building', severity: 'info', message: expect.stringContaining('310 of 1500') },
    ]);
    expect(indexing.problems(false)).toMatchObject([{ code: 'index/building', message: expect.stringContaining('brought up to date') }]);
    expect(JSON.stringify(indexing.problems(false))).not.toMatch(/\d/);
    await indexing.stop();
  });

  it('a cancelled call and a leaving client stop waiting at once', async () => {
    const { indexing } = indexingOf(never, false);
    const gone = new AbortController();
    const waiting = indexing.beforeAnswer([gone.signal], nobody);
    gone.abort();
    await waiting;
    await indexing.beforeAnswer([AbortSignal.abort()], nobody);
    await indexing.stop();
  });

  it('asked for during a run, exactly one more follows it', async () => {
    let release = nobody as () => void;
    const { indexing, runs } = indexingOf(() => new Promise<void>((resolve) => (release = resolve)));
    const first = indexing.update();
    void indexing.update();
    void indexing.update();
    release();
    await Promise.resolve();
    while (runs() < 2) await new Promise((resolve) => setImmediate(resolve));
    release();
    await first;
    expect(runs()).toBe(2);
  });

  it('while another process indexes, it waits for that one’s end and tries again', async () => {
    let busy = true;
    const { indexing, runs } = indexingOf(async () => {
      if (!busy) return;
      busy = false;
      throw new Fault('index/busy', { holder: 'index, process 1' });
    }, false);
    await indexing.beforeAnswer([], nobody);
    expect(runs()).toBe(2);
    expect(indexing.problems(true)).toEqual([]);
  });

  it('a failure is said in every answer and on the log, and a later success takes it back (ING-17)', async () => {
    let broken = true;
    const { indexing, log } = indexingOf(async () => {
      if (broken) throw new Fault('store/full', { file: 'index.db' });
    });
    await indexing.update();
    expect(indexing.problems(true)).toMatchObject([{ severity: 'warning', message: expect.stringContaining('The disk is full') }]);
    expect(JSON.stringify(indexing.problems(false))).not.toContain('index.db');
    expect(log.join()).toContain('The disk is full');
    broken = false;
    await indexing.update();
    expect(indexing.problems(true)).toEqual([]);
  });

  it('once stopped it starts nothing more', async () => {
    const { indexing, runs } = indexingOf(never);
    void indexing.update();
    await indexing.stop();
    await indexing.update();
    expect(runs()).toBe(1);
  });
});
