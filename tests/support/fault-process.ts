/**
 * Runs in another process, on a disk that fails: indexes and freezes packages until something is refused, and says what.
 * `ack DIGEST`, `indexed GENERATION`, `fault CODE MESSAGE`, and at the end `read PAGES PACKAGES`, which is asked in any case, and `end`.
 *
 *   ROOT SEED TURNS
 */
import { writeSync } from 'node:fs';
import { learn } from '../../src/app/learning/learn.js';
import type { Instant } from '../../src/kernel/clock.js';
import { Fault } from '../../src/kernel/errors.js';
import { everythingIn, layPage, openLibrary, PAGES, packageOf, sequence } from './durable-library.js';

const say = (line: string) => writeSync(1, `${line}\n`);
const [root = '', seed = '0', turns = '0'] = process.argv.slice(2);
const random = sequence(Number(seed));

async function told(work: () => Promise<string>): Promise<boolean> {
  try {
    say(await work());
    return true;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    say(`fault ${error.code} ${error.message}`);
    return false;
  }
}

const library = await openLibrary(root);
say('ready');
let faults = 0;
for (let turn = 0; turn < Number(turns) && faults < 3; turn++) {
  for (let edit = 0; edit < 4; edit++) layPage(root, Math.floor(random() * PAGES), Math.floor(random() * 40));
  const indexed = await told(async () => `indexed ${(await learn(library)).generation}`);
  const frozen = await told(async () => {
    const entry = packageOf(`${seed}-${turn}`);
    await library.records.packages.store(entry, { attempt: 'a', createdAt: Date.now() as Instant, annex: {} });
    return `ack ${entry.digest}`;
  });
  faults += (indexed ? 0 : 1) + (frozen ? 0 : 1);
}
await told(async () => {
  const snapshot = await library.reader.snapshot();
  const { documents } = await snapshot.counts(everythingIn(await snapshot.compartments()));
  await snapshot.close();
  return `read ${documents} ${(await library.records.packages.entries({ limit: 10_000 })).length}`;
});
await told(async () => {
  await library.close();
  return 'closed';
});
say('end');
