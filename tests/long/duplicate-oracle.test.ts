/**
 * T1.8: taking in a text that equals a hidden page is the same as taking in one that is new: in what is told, and by the clock. Pairs of
 * both are taken in, in an order that a coin decides; the AUC is how often the one that equals a hidden page took longer.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resolveConfig } from '../../src/app/configuration/config.js';
import { openContainer } from '../../src/app/container.js';
import { learn } from '../../src/app/learning/learn.js';
import type { Library } from '../../src/app/library.js';
import { gitBlobId } from '../../src/kernel/digest.js';
import { randomFrom } from '../support/policy-worlds.js';
import { runs } from '../support/proof-scale.js';
import { layRevokingLibrary } from '../support/revoking-library.js';
import { memoryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

/** 500 when the proofs are whole. */
const PAIRS = runs(50);
const ROUNDS = 3;
const HIDDEN = PAIRS * ROUNDS;
/** ASSURANCE T1.8; with fewer pairs, four standard errors. */
const mostApart = (pairs: number) => (pairs >= 500 ? 0.05 : 4 * Math.sqrt((2 * pairs + 1) / (12 * pairs * pairs)));
const LEAST_CAUGHT = 0.2;

let folder: TemporaryFolder;
let root: string;
let library: Library;

/** Texts of one shape and one length; those of even numbers are hidden pages too. */
const textOf = (number: number) =>
  `# Notes ${String(number).padStart(6, '0')}\n\n${'They rotate signing keys in spring, and tell nobody. '.repeat(12)}\n`;
const hiddenText = (at: number) => textOf(2 * at);
const newText = (at: number) => textOf(2 * at + 1);

beforeAll(async () => {
  folder = memoryFolder();
  root = await layRevokingLibrary(folder, 'library');
  for (let at = 0; at < HIDDEN; at += 1) folder.write(`library/board/page-${at}.md`, hiddenText(at));
  library = await openContainer(await resolveConfig({ cwd: root, env: { COLOPHON_HOME: join(root, 'home') } }));
  await learn(library, {});
}, 600_000);
afterAll(async () => {
  await library.close();
  folder.dispose();
});

type TakeIn = (text: string) => Promise<string>;

/** What the writer of `open` is told when a page of theirs has this text now. */
const takeIn: TakeIn = async (text) => {
  writeFileSync(join(root, 'open/mine.md'), text);
  const { sources, problems } = await learn(library, { sources: ['open'] });
  return JSON.stringify([
    sources.map(({ seen, added, changed, unchanged, failed }) => [seen, added, changed, unchanged, failed]),
    problems,
  ]);
};

/** A library that keeps equal texts once, whoever has them. */
const takeInOnce: TakeIn = async (text) => {
  const hidden = await library.reader.held('board', `page-${(Number(/\d+/.exec(text)?.[0]) / 2).toString()}.md`);
  return hidden?.blob === gitBlobId(Buffer.from(text)) ? 'there already' : takeIn(text);
};

interface Measured {
  readonly told: ReadonlySet<string>;
  readonly ofHidden: readonly number[];
  readonly ofNew: readonly number[];
}

async function measure(take: TakeIn, round: number): Promise<Measured> {
  const random = randomFrom(round + 1);
  const told = new Set<string>();
  const ofHidden: number[] = [];
  const ofNew: number[] = [];
  const timed = async (text: string, times: number[]) => {
    const startedAt = performance.now();
    told.add(await take(text));
    times.push(performance.now() - startedAt);
  };
  for (let at = round * PAIRS; at < (round + 1) * PAIRS; at += 1) {
    const pair = [() => timed(hiddenText(at), ofHidden), () => timed(newText(at), ofNew)] as const;
    const [first, second] = random() < 0.5 ? pair : [pair[1], pair[0]];
    await first();
    await second();
  }
  return { told, ofHidden, ofNew };
}

/** How often one of the first took longer than one of the second: Mann-Whitney. */
function auc(first: readonly number[], second: readonly number[]): number {
  let above = 0;
  for (const one of first) for (const other of second) above += one > other ? 1 : one === other ? 0.5 : 0;
  return above / (first.length * second.length);
}

it(`T1.8 ${PAIRS} pairs: what equals a hidden page is told and timed as what is new`, async () => {
  const ofHidden: number[] = [];
  const ofNew: number[] = [];
  const told = new Set<string>();
  await takeIn(newText(HIDDEN));
  // A busy machine may part one round by chance; what is there parts all of them.
  for (let round = 0; round < ROUNDS; round += 1) {
    const found = await measure(takeIn, round);
    ofHidden.push(...found.ofHidden);
    ofNew.push(...found.ofNew);
    for (const each of found.told) told.add(each);
    if (Math.abs(auc(ofHidden, ofNew) - 0.5) <= mostApart(ofNew.length)) break;
  }
  expect([...told]).toHaveLength(1);
  expect(Math.abs(auc(ofHidden, ofNew) - 0.5), `AUC over ${ofNew.length} pairs`).toBeLessThanOrEqual(mostApart(ofNew.length));
}, 1_800_000);

it('the proof can fail: a library that keeps equal texts once is told apart, by words and by the clock', async () => {
  const { told, ofHidden, ofNew } = await measure(takeInOnce, 0);
  expect(told.size).toBe(2);
  expect(Math.abs(auc(ofHidden, ofNew) - 0.5)).toBeGreaterThan(LEAST_CAUGHT);
}, 1_800_000);
