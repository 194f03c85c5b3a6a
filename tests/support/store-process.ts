/** Runs in another process (store-processes.ts starts it): writes batches of two pages without end, or counts what readers see until they see so many. */
import { openIndexReader } from '../../src/adapters/stores/sqlite/index-reader.js';
import { openIndexWriter } from '../../src/adapters/stores/sqlite/index-writer.js';
import type { Instant } from '../../src/kernel/clock.js';
import { batchOf, eligibleTo, GROUPS, type PageSpec } from './arbitraries.js';

const clock = { now: () => Date.now() as Instant };
const manifest = { analyzer: 'test', segmenter: 'test', embedder: 'none' };

function page(at: number): PageSpec {
  const section = { heading: 'rate', words: ['limit', 'configure', `word${at}`], repeats: false };
  return {
    source: 'handbook',
    path: `written-${at}.md`,
    group: 'staff',
    title: ['install'],
    summary: [],
    sections: [section],
    links: [],
    tags: [],
    aliases: [],
  };
}

async function write(file: string): Promise<void> {
  const writer = await openIndexWriter({ file, clock, holder: 'another process', manifest });
  for (let at = 0; ; at += 2) {
    await writer.apply(batchOf({ source: 'handbook', upserts: [page(at), page(at + 1)], removals: [] }));
    process.stdout.write(`${at + 2}\n`);
    // Lets what was acknowledged leave the process.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** However slow the writer is, short of a minute. */
const PATIENCE_MS = 60_000;

async function count(file: string, atLast: number): Promise<void> {
  const reader = openIndexReader({ file, clock });
  const until = Date.now() + PATIENCE_MS;
  for (let seen = 0; seen < atLast && Date.now() < until; ) {
    const snapshot = await reader.snapshot();
    const { documents } = await snapshot.counts(eligibleTo(await snapshot.compartments(), GROUPS));
    await snapshot.close();
    process.stdout.write(`${documents}\n`);
    seen = documents;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await reader.close();
}

const [mode = '', file = '', atLast = '0'] = process.argv.slice(2);
await (mode === 'write' ? write(file) : count(file, Number(atLast)));
