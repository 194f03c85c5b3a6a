/** index: brings the index up to date with the sources, and says what it found. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { SOURCE_STATES } from '../../domain/source.js';
import { Fault } from '../../kernel/errors.js';
import { tellsOfAll } from '../tells-of-all.js';
import { type Call, operation } from './catalogue.js';
import type { Seen } from './index-told.js';
import { answer, distinct } from './wire.js';

const input = z.object({
  full: z.boolean().default(false).describe('Make every page again, whatever is known of it.'),
  allowEmpty: z.boolean().default(false).describe('Take out the pages of a source that lists none any more.'),
  source: z.array(z.string().min(1)).optional().describe('Only these sources.'),
});

const count = z.int().nonnegative();
const output = answer('index', {
  generation: count,
  contentDigest: z.string(),
  documents: count,
  artifacts: count,
  writes: count,
  elapsedMs: count,
  sources: z.array(
    z.object({
      id: z.string(),
      state: z.enum(SOURCE_STATES),
      walk: z.enum(['complete', 'partial']),
      seen: count,
      added: count,
      changed: count,
      removed: count,
      unchanged: count,
      withheld: count,
      failed: count,
    }),
  ),
});
export type IndexAnswer = z.output<typeof output>;

export const indexSources = operation({
  name: 'index',
  summary: 'Read the sources and bring the index up to date.',
  authority: 'index',
  surfaces: ['cli', 'library'],
  input,
  output,
  async run(request, call) {
    const { library } = call;
    const { learn } = await import('../learning/learn.js');
    const report = await whenFree(call, () =>
      learn(library, {
        full: request.full,
        allowEmpty: request.allowEmpty,
        sources: request.source,
        signal: call.signal,
        progress: call.progress,
      }),
    );
    const answer = {
      schema: 'colophon/index@1' as const,
      ...report,
      problems: distinct([...(library.config.problems ?? []), ...report.problems]),
    };
    if (tellsOfAll(call)) return answer;
    const { seenBy } = await import('./index-told.js');
    return asSeen(answer, await seenBy(call));
  },
});

/** For somebody whom the process asks for: that it was done, and what they may see. */
function asSeen(answer: IndexAnswer, seen: Seen): IndexAnswer {
  const nothing = { seen: 0, added: 0, changed: 0, removed: 0, unchanged: 0, withheld: 0, failed: 0 };
  return {
    ...answer,
    ...seen.figures,
    generation: 0,
    writes: 0,
    elapsedMs: 0,
    sources: answer.sources.filter(seen.source).map(({ id, state, walk }) => ({ id, state, walk, ...nothing })),
    problems: answer.problems.filter(seen.problem),
  };
}

/** One writer at a time: the next one waits its turn, as long as a large run may take, and gives up with the fault it got. */
const PATIENCE_MS = 120_000;
const ASK_AGAIN_MS = 250;

async function whenFree<T>({ library, signal, progress }: Call, run: () => Promise<T>): Promise<T> {
  const until = library.clock.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'index/busy' || library.clock.now() > until) throw error;
      progress({ phase: 'waiting for another index run', done: 0, total: 0 });
      await sleep(ASK_AGAIN_MS, undefined, { signal });
    }
  }
}
