/**
 * Runs in another process (store-processes.ts starts it), works on a library without end, and says each thing that was
 * acknowledged on a line of its own, after it was: `ack DIGEST`, `indexed GENERATION DIGEST`, `seen GENERATION DIGEST`,
 * `refused CODE MILLISECONDS`.
 *
 *   work ROOT SEED     edits pages, indexes, freezes packages, in turns that the seed decides
 *   read ROOT SEED     takes snapshots and reads the ledger
 *   hold ROOT          opens a snapshot and keeps it
 *   write ROOT MS      keeps the writer's lease, by a clock that is MS off, and forgets an absent source every 50 ms
 */
import { writeSync } from 'node:fs';
import { learn } from '../../src/app/learning/learn.js';
import type { Library } from '../../src/app/library.js';
import type { Instant } from '../../src/kernel/clock.js';
import { Fault } from '../../src/kernel/errors.js';
import { everythingIn, layPage, openLibrary, PAGES, packageOf, sequence } from './durable-library.js';

const say = (line: string) => writeSync(1, `${line}\n`);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const now = () => Date.now() as Instant;

/** What another process holds at the moment is a plain answer; anything else ends the process. */
async function attempt(work: () => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'index/busy') throw error;
    say(`refused ${error.code} ${Math.ceil(performance.now() - startedAt)}`);
  }
}

async function work(library: Library, root: string, seed: number): Promise<void> {
  const random = sequence(seed);
  const pick = (below: number) => Math.floor(random() * below);
  for (let turn = 0; ; turn++) {
    for (let edits = pick(3); edits > 0; edits--) layPage(root, pick(PAGES), pick(40));
    await attempt(async () => {
      const { generation, contentDigest } = await learn(library, { full: pick(12) === 0 });
      say(`indexed ${generation} ${contentDigest}`);
    });
    for (let frozen = pick(4); frozen > 0; frozen--) {
      await attempt(async () => {
        const entry = packageOf(`${seed}-${turn}-${frozen}`);
        await library.records.packages.store(entry, { attempt: `run-${seed}`, createdAt: now(), annex: {} });
        say(`ack ${entry.digest}`);
      });
    }
  }
}

async function read(library: Library): Promise<void> {
  for (;;) {
    await attempt(async () => {
      const snapshot = await library.reader.snapshot();
      say(`seen ${snapshot.manifest.generation} ${await snapshot.projectedManifest(everythingIn(await snapshot.compartments()))}`);
      await snapshot.close();
      const entries = await library.records.packages.entries({ limit: 20 });
      const [last] = entries;
      if (last !== undefined && (await library.records.packages.get(last.digest)) === undefined) throw new Error('listed, and not there');
      say(`listed ${last?.seq ?? 0}`);
    });
    await pause(3);
  }
}

async function hold(library: Library): Promise<void> {
  const snapshot = await library.reader.snapshot();
  const entries = await library.records.packages.entries({ limit: 1 });
  say(`seen ${snapshot.manifest.generation} ${entries.length}`);
  await pause(600_000);
}

async function write(library: Library): Promise<void> {
  const writer = await library.writer('a slow one');
  say(`writing ${process.pid}`);
  for (;;) {
    await attempt(async () => {
      await writer.forget('nothing of this name');
      say('wrote');
    });
    await pause(50);
  }
}

const [mode = '', root = '', given = '0'] = process.argv.slice(2);
const offset = mode === 'write' ? Number(given) : 0;
const library = await openLibrary(root, { now: () => (Date.now() + offset) as Instant });
say('ready');
if (mode === 'work') await work(library, root, Number(given));
else if (mode === 'read') await read(library);
else if (mode === 'hold') await hold(library);
else await write(library);
