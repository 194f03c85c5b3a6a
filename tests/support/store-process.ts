/** Runs in another process (store-processes.ts starts it): writes batches of two pages without end, or counts what readers see. */
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

async function count(file: string, forMs: number): Promise<void> {
  const reader = openIndexReader({ file, clock });
  const until = Date.now() + forMs;
  while (Date.now() < until) {
    const snapshot = await reader.snapshot();
    const { documents } = await snapshot.counts(eligibleTo(await snapshot.compartments(), GROUPS));
    await snapshot.close();
    process.stdout.write(`${documents}\n`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await reader.close();
}

const [mode = '', file = '', forMs = '0'] = process.argv.slice(2);
await (mode === 'write' ? write(file) : count(file, Number(forMs)));
