/**
 * T1.1 with the cache of compiled contexts on: what a server tells somebody, warm with everybody's questions, is byte for byte what a
 * library tells that never held a hidden page and remembers nothing; and only what they may see decides whether it had to be ranked.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ContextCache } from '../../src/app/asking/context-cache.js';
import { resolveConfig } from '../../src/app/configuration/config.js';
import { openContainer } from '../../src/app/container.js';
import { learn } from '../../src/app/learning/learn.js';
import type { Library } from '../../src/app/library.js';
import type { Instant } from '../../src/kernel/clock.js';
import { type Asking, ask, counting, NOW, page, sourceText, told } from '../support/asked-contexts.js';
import { runs } from '../support/proof-scale.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';

const TRIALS = runs(5);
const WORDS = ['gate', 'valve', 'sluice', 'berth', 'crane'];

const config = (sources: string) => `version: 1
profile: team
identity: { principal: person:ada, tenants: [north, south], purposes: [assist, audit], groups: [staff, directors], ceiling: restricted }
permissions: { everyone: [staff, directors], board: [directors] }
sources:
${sources}`;

interface Step {
  readonly kind: 'staff' | 'directors' | 'hidden' | 'visible';
  readonly word: number;
}
const kinds = ['staff', 'staff', 'staff', 'staff', 'directors', 'directors', 'hidden', 'hidden', 'visible'] as const;
const anyStep: fc.Arbitrary<Step> = fc.record({ kind: fc.constantFrom(...kinds), word: fc.nat(WORDS.length - 1) });

let texts = 0;
const unique = (): number => {
  texts += 1;
  return texts;
};

let full: { readonly folder: TemporaryFolder; readonly library: Library };
let permitted: typeof full;
let server: Library;

beforeAll(async () => {
  full = await open(['open', 'minutes'], sourceText('open', 'everyone') + sourceText('minutes', 'board'));
  permitted = await open(['open'], sourceText('open', 'everyone'));
  server = { ...full.library, reader: counting(full.library.reader), contexts: new ContextCache() };
});
afterAll(async () => {
  for (const { library, folder } of [full, permitted]) {
    await library.close();
    folder.dispose();
  }
});

describe('T1.1 non-interference, warm', () => {
  it(`a server that remembers tells staff nothing of the board in ${TRIALS} runs of questions and edits`, async () => {
    let hits = 0;
    const done: Readonly<Record<Step['kind'], (word: number, known: Set<number>) => Promise<void>>> = {
      hidden: (word) => edit(full, `minutes/p${word}.md`, page(word, `Minute ${unique()}.`)),
      visible: async (word, known) => {
        const text = page(word, `Edit ${unique()}.`);
        for (const each of [full, permitted]) await edit(each, `open/p${word}.md`, text);
        known.clear();
      },
      directors: async (word) => {
        await ask(server, question(word, ['staff', 'directors']));
      },
      staff: async (word, known) => {
        const { answer, ranked } = await ask(server, question(word, ['staff']));
        expect(told(answer)).toBe(told((await ask(permitted.library, question(word, ['staff']))).answer));
        if (known.has(word)) expect(ranked).toBe(0);
        if (ranked === 0) hits += 1;
        known.add(word);
      },
    };
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 10, maxLength: 16 }), async (steps) => {
        // What staff asked since something that they may see was another.
        const known = new Set<number>();
        for (const { kind, word } of steps) await done[kind](word, known);
      }),
      { numRuns: TRIALS, endOnFailure: true },
    );
    // A proof without a hit says nothing about remembering.
    expect(hits).toBeGreaterThan(TRIALS / 2);
  }, 7_200_000);
});

function question(word: number, groups: readonly string[]): Asking {
  const who = { tenant: 'north', purpose: 'assist', client: 'terminal', groups };
  return { who, query: `how is the lower ${WORDS[word]} drained`, model: 'generic', at: NOW, pageWeight: 0.5 };
}

async function edit({ folder, library }: typeof full, path: string, text: string): Promise<void> {
  folder.write(path, text);
  await learn(library);
}

async function open(ids: readonly string[], sources: string): Promise<typeof full> {
  const folder = temporaryFolder();
  folder.write('colophon.yaml', config(sources));
  for (const id of ids) {
    mkdirSync(join(folder.path, id));
    for (let n = 0; n < 5; n += 1) folder.write(`${id}/p${n}.md`, page(n, `Of ${id}.`));
  }
  const library = await openContainer(await resolveConfig({ env: {}, cwd: folder.path }), { now: () => NOW as Instant });
  await learn(library);
  return { folder, library };
}
