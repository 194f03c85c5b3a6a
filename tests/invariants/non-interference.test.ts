/**
 * T1.1, store level: the answer is byte for byte what it would be had the forbidden documents never existed.
 *
 * Each trial asks one store that holds everything, and one that holds only what the asker may see, the same questions; then
 * hidden documents are added, changed and removed, and the answers must still be the same bytes.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EligibleSet } from '../../src/domain/eligibility.js';
import { canonicalJson } from '../../src/kernel/digest.js';
import type { IndexSnapshot, LexicalQuery, NearQuery } from '../../src/ports/index-reader.js';
import { anyPage, anyQuery, type BatchSpec, batchOf, eligibleTo, GROUPS, type PageSpec, SOURCES, termOf } from '../support/arbitraries.js';
import { runs } from '../support/proof-scale.js';
import { MUTANTS, mutated } from '../support/reference-store-mutants.js';
import { type TemporaryIndex, temporaryIndex } from '../support/temporary-index.js';

const TRIALS = runs(100);
const MUTANT_TRIALS = 40;

/** Each is near a word that some libraries hold on hidden pages alone. */
const SLIPS: readonly NearQuery[] = ['agnet', 'rotatio', 'configre', 'instll', 'limis', 'kezs'].map((word) => ({ word, mostEdits: 2 }));

interface Trial {
  readonly pages: readonly PageSpec[];
  readonly hiddenEdits: readonly PageSpec[];
  readonly groups: readonly string[];
  readonly queries: readonly LexicalQuery[];
}

const anyTrial: fc.Arbitrary<Trial> = fc.record({
  pages: fc.array(anyPage, { minLength: 6, maxLength: 24 }),
  hiddenEdits: fc.array(anyPage, { maxLength: 8 }),
  groups: fc.subarray([...GROUPS], { minLength: 1, maxLength: GROUPS.length - 1 }),
  queries: fc.array(anyQuery, { minLength: 1, maxLength: 3 }),
});

describe('T1.1 non-interference', () => {
  let full: TemporaryIndex;
  let permitted: TemporaryIndex;

  beforeAll(async () => {
    full = await temporaryIndex();
    permitted = await temporaryIndex();
  });
  afterAll(async () => {
    await full.dispose();
    await permitted.dispose();
  });

  it(`hidden documents change no byte of any answer in ${TRIALS} trials, nor do edits of them`, async () => {
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(anyTrial, async (trial) => {
        await load(full, distinct(trial.pages));
        await load(
          permitted,
          distinct(trial.pages).filter((page) => trial.groups.includes(page.group)),
        );
        const expected = await answers(permitted, trial);
        expect(await answers(full, trial)).toBe(expected);
        await editHidden(full, trial);
        expect(await answers(full, trial)).toBe(expected);
        if (expected.includes('"artifact":')) answered += 1;
      }),
      { numRuns: TRIALS },
    );
    // A proof over empty answers proves nothing.
    expect(answered).toBeGreaterThan(TRIALS / 3);
  }, 7_200_000);

  describe('the proof can fail', () => {
    const caught = new Map<string, number>();

    // Loading the libraries is what costs; each mutant is asked of the same ones.
    beforeAll(async () => {
      const asked = { limit: 3, scope: {}, terms: ['agents', 'limit', 'rate', 'install'].map((word) => termOf(word)) };
      for (const trial of fc.sample(anyTrial, { numRuns: MUTANT_TRIALS, seed: 7 })) {
        const fixed = { ...trial, groups: ['staff', 'ops'], queries: trial.queries.map((query): LexicalQuery => ({ ...query, ...asked })) };
        const pages = distinct(trial.pages);
        await load(full, pages);
        await load(
          permitted,
          pages.filter((page) => fixed.groups.includes(page.group)),
        );
        const right = await answers(permitted, fixed);
        for (const [name, mutant] of MUTANTS) {
          const wrong = await answers(full, fixed, (snapshot) => mutated(snapshot, mutant));
          if (wrong !== right) caught.set(name, (caught.get(name) ?? 0) + 1);
        }
      }
    }, 300_000);

    it.each(MUTANTS)('the mutant with %s is caught in most trials', (name) => {
      expect(caught.get(name)).toBeGreaterThan(MUTANT_TRIALS / 2);
    });
  });
});

/** One version of each page: the last. */
function distinct(pages: readonly PageSpec[]): PageSpec[] {
  return [...new Map(pages.map((page) => [`${page.source}\n${page.path}`, page])).values()];
}

async function load({ writer }: TemporaryIndex, pages: readonly PageSpec[]): Promise<void> {
  for (const source of SOURCES) {
    await writer.forget(source);
    // Two batches, so that there is more than one segment.
    const own = pages.filter((page) => page.source === source);
    const half = Math.ceil(own.length / 2);
    for (const upserts of [own.slice(0, half), own.slice(half)]) await writer.apply(batchOf({ source, upserts, removals: [] }));
  }
}

async function editHidden({ writer }: TemporaryIndex, trial: Trial): Promise<void> {
  const pages = distinct(trial.pages);
  const hidden = pages.filter((page) => !trial.groups.includes(page.group));
  const visible = new Set(pages.filter((page) => trial.groups.includes(page.group)).map((page) => `${page.source}\n${page.path}`));
  const closed = GROUPS.filter((group) => !trial.groups.includes(group));
  const hiddenGroup = (at: number) => closed[at % closed.length] ?? '';
  for (const source of SOURCES) {
    const own = hidden.filter((page) => page.source === source);
    const batch: BatchSpec = {
      source,
      upserts: [
        // Other readers, the same text: the page moves to another compartment.
        ...own.map((page, at) => ({ ...page, group: hiddenGroup(at) })),
        ...trial.hiddenEdits
          .filter((page) => page.source === source && !visible.has(`${source}\n${page.path}`))
          .map((page, at) => ({ ...page, group: hiddenGroup(at) })),
      ],
      removals: [],
    };
    await writer.apply(batchOf(batch));
    await writer.apply(batchOf({ source, upserts: [], removals: own.filter((_, at) => at % 2 === 0).map(({ path }) => path) }));
  }
}

/** Everything an answer can be made of, as bytes. */
async function answers(
  index: TemporaryIndex,
  trial: Trial,
  through: (snapshot: IndexSnapshot) => IndexSnapshot = (snapshot) => snapshot,
): Promise<string> {
  return withEligible(index, trial.groups, async (honest, eligible) => {
    const snapshot = through(honest);
    const found: unknown[] = [await snapshot.counts(eligible), await snapshot.projectedManifest(eligible)];
    found.push(await snapshot.near(eligible, SLIPS, 3));
    for (const digit of '0123456789abcdef') found.push(await snapshot.idsBeginning(eligible, `ka_${digit}`, 2));
    for (const query of trial.queries) {
      const answer = await snapshot.lexical(eligible, query);
      const words = query.terms.map((term) => term.surface.toLowerCase());
      found.push(
        answer,
        await snapshot.frequencies(eligible, query),
        await snapshot.linked(eligible, query),
        await snapshot.named(eligible, words, query),
      );
      found.push(
        await snapshot.artifacts(
          eligible,
          answer.hits.map((hit) => hit.artifact),
        ),
      );
    }
    for (const page of await snapshot.pages(eligible, {}, { limit: 100 })) {
      found.push(page, await snapshot.text(eligible, page), await snapshot.links(eligible, page), await snapshot.backlinks(eligible, page));
    }
    found.push(await snapshot.hasVersion(eligible, '1.0'), await snapshot.hasVersion(eligible, '2.0'));
    return canonicalJson(found);
  });
}

async function withEligible<T>(
  { reader }: TemporaryIndex,
  groups: readonly string[],
  work: (snapshot: IndexSnapshot, eligible: EligibleSet) => Promise<T>,
): Promise<T> {
  const snapshot = await reader.snapshot();
  try {
    return await work(snapshot, eligibleTo(await snapshot.compartments(), groups));
  } finally {
    await snapshot.close();
  }
}
