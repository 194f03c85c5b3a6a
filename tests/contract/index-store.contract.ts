/**
 * What every index store must do, whatever engine is underneath. The oracle is the reference store: every answer of the store
 * under test must be the reference's, on generated libraries, after generated histories.
 */
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { Checkpoint } from '../../src/domain/checkpoint.js';
import type { EligibleSet } from '../../src/domain/eligibility.js';
import { DEFAULT_RANKING } from '../../src/domain/ranking-policy.js';
import type { Instant } from '../../src/kernel/clock.js';
import { sha256 } from '../../src/kernel/digest.js';
import type { IndexReader, IndexSnapshot, LexicalQuery, StoredPage } from '../../src/ports/index-reader.js';
import type { IndexWriter } from '../../src/ports/index-writer.js';
import {
  anyBatch,
  anyLongHistory,
  anyNear,
  anyQuery,
  type BatchSpec,
  batchOf,
  eligibleTo,
  GROUPS,
  type PageSpec,
  SOURCES,
  TODAY,
  termOf,
} from '../support/arbitraries.js';
import { runs } from '../support/proof-scale.js';
import { referenceStore } from '../support/reference-store.js';

export interface StoreUnderTest {
  readonly reader: IndexReader;
  readonly writer: IndexWriter;
  dispose(): Promise<void>;
}

const anyHistory = fc.oneof(
  { weight: 3, arbitrary: fc.array(anyBatch, { minLength: 1, maxLength: 6 }) },
  { weight: 1, arbitrary: anyLongHistory },
);
/** Of an id: a digit, an odd and an even number of them, as many as a context writes, all. */
const BEGINNINGS = [4, 6, 7, 11, 35];
const anyGroups = fc.subarray([...GROUPS]);

export function plainQuery(words: readonly string[], rest: Partial<LexicalQuery> = {}): LexicalQuery {
  return { terms: words.map((word) => termOf(word)), scope: {}, policy: DEFAULT_RANKING, stemming: {}, today: TODAY, limit: 50, ...rest };
}

export const simplePage: PageSpec = {
  source: 'handbook',
  path: 'a.md',
  group: 'staff',
  title: ['install'],
  summary: [],
  sections: [{ heading: 'limits', words: ['rate', 'limit', 'configure'], repeats: false }],
  links: [],
  tags: [],
  aliases: [],
};

export function indexStoreContract(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`index store: ${name}`, () => {
    const opened: StoreUnderTest[] = [];
    const fresh = async (): Promise<StoreUnderTest> => {
      const store = await open();
      opened.push(store);
      return store;
    };
    afterEach(async () => {
      for (const store of opened.splice(0)) await store.dispose();
    });

    it('answers what the reference answers, after any history: lexical, linked, named (T1.1, K-04)', async () => {
      await fc.assert(
        fc.asyncProperty(anyHistory, anyGroups, fc.array(anyQuery, { minLength: 1, maxLength: 4 }), async (history, groups, queries) => {
          const { store, reference } = await both(fresh, history);
          await withSnapshots(store, reference, async (actual, expected) => {
            for (const query of queries) {
              const mine = eligibleTo(await actual.compartments(), groups);
              const theirs = eligibleTo(await expected.compartments(), groups);
              const words = query.terms.map((term) => term.surface.toLowerCase());
              const answer = await expected.lexical(theirs, query);
              expect(await actual.lexical(mine, query)).toEqual(answer);
              expect(await actual.frequencies(mine, query)).toEqual(answer.frequencies);
              expect(await actual.linked(mine, query)).toEqual(await expected.linked(theirs, query));
              expect(await actual.named(mine, words, query)).toEqual(await expected.named(theirs, words, query));
            }
          });
          await store.dispose();
        }),
        { numRuns: runs(60) },
      );
    });

    it('finds words spelt nearly like one, among those of the eligible pages, as the reference does', async () => {
      const anyAsked = fc.record({ words: fc.array(anyNear, { minLength: 1, maxLength: 4 }), limit: fc.constantFrom(1, 2, 10) });
      let found = 0;
      await fc.assert(
        fc.asyncProperty(anyHistory, anyGroups, anyAsked, async (history, groups, { words, limit }) => {
          const { store, reference } = await both(fresh, history);
          await withSnapshots(store, reference, async (actual, expected) => {
            const near = await expected.near(eligibleTo(await expected.compartments(), groups), words, limit);
            expect(await actual.near(eligibleTo(await actual.compartments(), groups), words, limit)).toEqual(near);
            found += near.flat().length;
          });
          await store.dispose();
        }),
        { numRuns: runs(12), seed: 3 },
      );
      expect(found).toBeGreaterThan(3);
    });

    it('returns exactly min(limit, matches) hits, all of them eligible', async () => {
      await fc.assert(
        fc.asyncProperty(anyHistory, anyGroups, anyQuery, async (history, groups, query) => {
          const { store, reference } = await both(fresh, history);
          await withSnapshots(store, reference, async (actual, expected) => {
            const eligible = eligibleTo(await actual.compartments(), groups);
            const all = await expected.lexical(eligibleTo(await expected.compartments(), groups), { ...query, limit: 10_000 });
            const { hits } = await actual.lexical(eligible, query);
            expect(hits.length).toBe(Math.min(query.limit, all.hits.length));
            const { artifacts, damaged } = await actual.artifacts(
              eligible,
              hits.map((hit) => hit.artifact),
            );
            expect(damaged).toEqual([]);
            expect(artifacts.map((each) => each.id)).toEqual(hits.map((hit) => hit.artifact));
            for (const each of artifacts) expect(eligible.keys.has(each.page.compartment.key)).toBe(true);
            const permitted = eligibleTo(await expected.compartments(), groups);
            for (const start of [
              '',
              'ka_',
              'ka_0',
              'ka_7',
              'ka_g',
              ...hits.slice(0, 3).flatMap(({ artifact }) => BEGINNINGS.map((end) => artifact.slice(0, end))),
            ])
              expect(await actual.idsBeginning(eligible, start, 4), start).toEqual(await expected.idsBeginning(permitted, start, 4));
          });
          await store.dispose();
        }),
        { numRuns: runs(25) },
      );
    });

    it('gives pages, texts, segments, links and counts as the reference does', async () => {
      await fc.assert(
        fc.asyncProperty(anyHistory, anyGroups, async (history, groups) => {
          const { store, reference } = await both(fresh, history);
          await withSnapshots(store, reference, async (actual, expected) => {
            const mine = eligibleTo(await actual.compartments(), groups);
            const theirs = eligibleTo(await expected.compartments(), groups);
            expect(await library(actual, mine)).toEqual(await library(expected, theirs));
          });
          await store.dispose();
        }),
        { numRuns: runs(16) },
      );
    });

    it('SM-A4: without the pages withheld it answers, counts and sums as a store that never held them (T1.1)', async () => {
      let held = 0;
      await fc.assert(
        fc.asyncProperty(anyHistory, anyGroups, anyQuery, fc.nat({ max: 6 }), async (history, groups, query, place) => {
          const store = await fresh();
          for (const spec of history) await store.writer.apply(batchOf(spec));
          const whole = await store.reader.snapshot();
          const all = await whole.pages(eligibleTo(await whole.compartments(), GROUPS), {}, { limit: 1_000 });
          const withheld = all
            .filter((_, at) => at % 7 === place)
            .map(({ source, path, blob }, at) => ({ source, path, ...(at % 2 === 0 ? {} : { blob }) }));
          held += withheld.length;
          const never = await fresh();
          for (const spec of finalTree(history)) {
            const isKept = ({ path }: PageSpec) => !withheld.some((each) => each.source === spec.source && each.path === path);
            await never.writer.apply(batchOf({ ...spec, upserts: spec.upserts.filter(isKept) }));
          }
          const bare = await never.reader.snapshot();
          const less = eligibleTo(await whole.compartments(), groups, withheld);
          const without = eligibleTo(await bare.compartments(), groups);
          const words = query.terms.map((term) => term.surface.toLowerCase());
          const near = words.map((word) => ({ word, mostEdits: 2 }));
          expect(await whole.lexical(less, query)).toEqual(await bare.lexical(without, query));
          expect(await whole.frequencies(less, query)).toEqual(await bare.frequencies(without, query));
          expect(await whole.linked(less, query)).toEqual(await bare.linked(without, query));
          expect(await whole.named(less, words, query)).toEqual(await bare.named(without, words, query));
          expect(await whole.near(less, near, 5)).toEqual(await bare.near(without, near, 5));
          expect(await library(whole, less)).toEqual(await library(bare, without));
          expect(await whole.projectedManifest(less)).toEqual(await bare.projectedManifest(without));
          expect([...(await whole.inhabited(less))].sort()).toEqual([...(await bare.inhabited(without))].sort());
          for (const { source, path } of withheld) expect(await whole.page(less, source, path)).toBeUndefined();
          await whole.close();
          await bare.close();
          await store.dispose();
          await never.dispose();
        }),
        { numRuns: runs(16) },
      );
      expect(held).toBeGreaterThan(0);
    });

    it('SM-A4: another version of a page is not the one withheld; its sections are, with the page itself', async () => {
      const { writer, reader } = await fresh();
      const section = { ...simplePage, path: 'a§limits-3fa9c1d2.md' };
      // Files of their own: one has the sign in its name, the other is of a page with another ending.
      const others = ['ab.md', 'a§mine.md', 'a§limits-3fa9c1d2.mdx'].map((path) => ({ ...simplePage, path }));
      await writer.apply(batchOf({ source: 'handbook', upserts: [simplePage, section, ...others], removals: [] }));
      const snapshot = await reader.snapshot();
      const compartments = await snapshot.compartments();
      const of = { source: 'handbook', path: 'a.md' };
      const left = async (withheld: EligibleSet['withheld']) =>
        (await snapshot.pages(eligibleTo(compartments, GROUPS, withheld), {}, { limit: 10 })).map(({ path }) => path);
      expect(await left([{ ...of, blob: 'f'.repeat(40) }])).toEqual([
        'a.md',
        'ab.md',
        'a§limits-3fa9c1d2.md',
        'a§limits-3fa9c1d2.mdx',
        'a§mine.md',
      ]);
      expect(await left([of])).toEqual(['ab.md', 'a§limits-3fa9c1d2.mdx', 'a§mine.md']);
      expect(await left([{ ...of, source: 'elsewhere' }])).toHaveLength(5);
      await snapshot.close();
    });

    it('IDX-14: any sequence of batches equals a fresh build of the final tree', async () => {
      await fc.assert(
        fc.asyncProperty(anyHistory, anyQuery, async (history, query) => {
          const { store } = await both(fresh, history);
          const rebuilt = await fresh();
          for (const batch of finalTree(history)) await rebuilt.writer.apply(batchOf(batch));
          expect(await store.reader.totals()).toEqual(await rebuilt.reader.totals());
          await withSnapshots(store, rebuilt, async (actual, expected) => {
            const mine = eligibleTo(await actual.compartments(), GROUPS);
            const theirs = eligibleTo(await expected.compartments(), GROUPS);
            expect(await actual.projectedManifest(mine)).toBe(await expected.projectedManifest(theirs));
            expect(await actual.lexical(mine, query)).toEqual(await expected.lexical(theirs, query));
          });
          await store.dispose();
          await rebuilt.dispose();
        }),
        { numRuns: runs(25) },
      );
    });

    it('has the reference content digest, over sorted (artifact, text digest, compartment)', async () => {
      await fc.assert(
        fc.asyncProperty(anyHistory, async (history) => {
          const { store, reference } = await both(fresh, history);
          expect(await store.writer.totals()).toEqual(await reference.writer.totals());
          expect(await store.reader.totals()).toEqual(await reference.reader.totals());
          await store.dispose();
        }),
        { numRuns: runs(15) },
      );
    });

    it('applies a batch a second time without a change', async () => {
      await fc.assert(
        fc.asyncProperty(anyBatch, async (spec) => {
          const store = await fresh();
          const batch = { ...batchOf(spec), removals: [] };
          await store.writer.apply(batch);
          const before = await manifestOf(store);
          expect(await store.writer.apply(batch)).toEqual({ writes: 0 });
          expect(await manifestOf(store)).toEqual(before);
          await store.dispose();
        }),
        { numRuns: runs(15) },
      );
    });

    it('knows what it holds, by path', async () => {
      const { writer } = await fresh();
      await writer.apply(batchOf({ source: 'handbook', upserts: [simplePage, { ...simplePage, path: 'b.md' }], removals: [] }));
      await writer.apply({ ...batchOf({ source: 'handbook', upserts: [], removals: ['b.md'] }), transformation: 'other' });
      const known = await writer.known('handbook');
      expect([...known.keys()]).toEqual(['a.md']);
      expect(known.get('a.md')).toMatchObject({ signature: 'mtime-a.md', transformation: 'transformation-1' });
      expect((await writer.known('product')).size).toBe(0);
    });

    it('keeps the new signature of a page whose bytes are the same, until the page is stored again', async () => {
      const { writer } = await fresh();
      const signatureOf = async (path: string) => (await writer.known('handbook')).get(path)?.signature;
      const sign = (path: string, signature: string) =>
        writer.apply({ ...batchOf({ source: 'handbook', upserts: [], removals: [] }), signatures: [{ path, signature }] });
      await writer.apply(batchOf({ source: 'handbook', upserts: [simplePage, { ...simplePage, path: 'b.md' }], removals: [] }));
      expect(await sign('a.md', 'touched')).toEqual({ writes: 1 });
      expect(await sign('a.md', 'touched again')).toEqual({ writes: 1 });
      expect(await sign('nowhere.md', 'touched')).toEqual({ writes: 0 });
      expect([await signatureOf('a.md'), await signatureOf('b.md')]).toEqual(['touched again', 'mtime-b.md']);
      await writer.apply(batchOf({ source: 'handbook', upserts: [simplePage], removals: [] }));
      expect(await signatureOf('a.md')).toBe('mtime-a.md');
      await sign('a.md', 'touched');
      await writer.apply(batchOf({ source: 'handbook', upserts: [], removals: ['a.md'] }));
      await writer.apply(batchOf({ source: 'handbook', upserts: [simplePage], removals: [] }));
      expect(await signatureOf('a.md')).toBe('mtime-a.md');
    });

    it('keeps both twins, and follows a rename and a rename of case only', async () => {
      const { writer, reader } = await fresh();
      const twins = [simplePage, { ...simplePage, path: 'b.md' }];
      await writer.apply(batchOf({ source: 'handbook', upserts: twins, removals: [] }));
      expect(await paths(reader)).toEqual(['a.md', 'b.md']);
      await writer.apply(batchOf({ source: 'handbook', upserts: [{ ...simplePage, path: 'A.md' }], removals: ['a.md'] }));
      expect(await paths(reader)).toEqual(['A.md', 'b.md']);
      expect((await reader.totals()).documents).toBe(2);
    });

    it('moves a page whose compartment changed, leaving nothing behind', async () => {
      const { writer, reader } = await fresh();
      await writer.apply(batchOf({ source: 'handbook', upserts: [simplePage], removals: [] }));
      await writer.apply(batchOf({ source: 'handbook', upserts: [{ ...simplePage, group: 'board' }], removals: [] }));
      const snapshot = await reader.snapshot();
      const compartments = await snapshot.compartments();
      expect(compartments.map((each) => each.permissionsRef)).toEqual(['board']);
      const query = plainQuery(['limit']);
      expect((await snapshot.lexical(eligibleTo(compartments, ['staff']), query)).hits).toEqual([]);
      expect((await snapshot.lexical(eligibleTo(compartments, ['board']), query)).hits.length).toBe(1);
      await snapshot.close();
    });

    it('IDX-09: a snapshot stays as it was when taken', async () => {
      const { writer, reader } = await fresh();
      await writer.apply(batchOf({ source: 'handbook', upserts: [simplePage], removals: [] }));
      const before = await reader.snapshot();
      const eligible = eligibleTo(await before.compartments(), GROUPS);
      await writer.apply(batchOf({ source: 'handbook', upserts: [{ ...simplePage, title: ['rotation'] }], removals: [] }));
      expect((await before.page(eligible, 'handbook', 'a.md'))?.title).toBe('install');
      expect((await before.lexical(eligible, plainQuery(['rotation']))).hits).toEqual([]);
      const after = await reader.snapshot();
      expect((await after.page(eligible, 'handbook', 'a.md'))?.title).toBe('rotation');
      expect(after.manifest.generation).toBeGreaterThan(before.manifest.generation);
      await before.close();
      await after.close();
    });

    it('gives absent and ineligible ids and pages alike', async () => {
      const { writer, reader } = await fresh();
      await writer.apply(batchOf({ source: 'handbook', upserts: [simplePage], removals: [] }));
      const snapshot = await reader.snapshot();
      const compartments = await snapshot.compartments();
      const all = eligibleTo(compartments, GROUPS);
      const none = eligibleTo(compartments, ['ops']);
      const [segment] = await snapshot.segments(all, (await snapshot.page(all, undefined, 'a.md')) as StoredPage);
      const absent = `ka_${'0'.repeat(32)}`;
      expect(await snapshot.artifacts(none, [segment?.id ?? '', absent, 'no id at all'])).toEqual({ artifacts: [], damaged: [] });
      expect(await snapshot.page(none, 'handbook', 'a.md')).toBeUndefined();
      expect(await snapshot.idsBeginning(all, segment?.id.slice(0, 11) ?? '', 2)).toEqual([segment?.id]);
      expect(await snapshot.idsBeginning(none, segment?.id.slice(0, 11) ?? '', 2)).toEqual([]);
      await snapshot.close();
    });

    it('stores a checkpoint once, and writes nothing when only its time differs (ING-03)', async () => {
      const { writer, reader } = await fresh();
      const checkpoint: Checkpoint = {
        source: 'handbook',
        connectorVersion: 'directory@1',
        cursor: 'cursor-1',
        schemaVersion: 'page@1',
        transformation: sha256('t'),
        contentDigest: sha256('c'),
        walk: 'complete',
        at: 1000 as Instant,
      };
      expect(await writer.checkpoint('handbook')).toBeUndefined();
      expect(await writer.close(checkpoint, [])).toEqual({ writes: 1 });
      expect(await writer.close({ ...checkpoint, at: 2000 as Instant }, [])).toEqual({ writes: 0 });
      expect(await writer.close({ ...checkpoint, cursor: 'cursor-2', at: 3000 as Instant }, [])).toEqual({ writes: 1 });
      expect(await writer.checkpoint('handbook')).toMatchObject({ cursor: 'cursor-2', at: 3000 });
      expect((await reader.checkpoints()).length).toBe(1);
    });

    it('tells what it holds of a path, for operators, as its writer knows it', async () => {
      const { writer, reader } = await fresh();
      await writer.apply(batchOf({ source: 'handbook', upserts: [simplePage], removals: [] }));
      const { blob, transformation } = (await writer.known('handbook')).get('a.md') ?? {};
      expect(await reader.held('handbook', 'a.md')).toEqual({ blob, texts: [blob], transformation });
      expect([await reader.held('handbook', 'b.md'), await reader.held('wiki', 'a.md')]).toEqual([undefined, undefined]);
    });

    it('says what is pending until it is not', async () => {
      const { writer, reader } = await fresh();
      await writer.pending('handbook', 12);
      expect(await reader.pending()).toBe(12);
      await writer.pending('handbook', 0);
      expect(await reader.pending()).toBe(0);
    });

    it('forgets a source whole and leaves the others alone', async () => {
      const { writer, reader } = await fresh();
      await writer.apply(batchOf({ source: 'handbook', upserts: [simplePage], removals: [] }));
      await writer.apply(batchOf({ source: 'product', upserts: [{ ...simplePage, source: 'product' }], removals: [] }));
      await writer.forget('handbook');
      expect(await writer.sources()).toEqual(['product']);
      expect((await reader.totals()).documents).toBe(1);
      const snapshot = await reader.snapshot();
      expect((await snapshot.compartments()).map((each) => each.source)).toEqual(['product']);
      await snapshot.close();
    });
  });
}

async function both(fresh: () => Promise<StoreUnderTest>, history: readonly BatchSpec[]) {
  const store = await fresh();
  const reference = referenceStore();
  for (const spec of history) {
    const batch = batchOf(spec);
    expect(await store.writer.apply(batch)).toEqual(await reference.writer.apply(batch));
  }
  return { store, reference };
}

async function withSnapshots(
  store: { readonly reader: IndexReader },
  reference: { readonly reader: IndexReader },
  work: (actual: IndexSnapshot, expected: IndexSnapshot) => Promise<void>,
): Promise<void> {
  const actual = await store.reader.snapshot();
  const expected = await reference.reader.snapshot();
  await work(actual, expected);
  await actual.close();
  await expected.close();
}

/** Everything there is to see of the pages, in one value. */
async function library(snapshot: IndexSnapshot, eligible: EligibleSet): Promise<unknown> {
  const pages = await snapshot.pages(eligible, {}, { limit: 3 });
  const last = pages.at(-1)?.path;
  const rest = last === undefined ? [] : await snapshot.pages(eligible, {}, { limit: 1000, after: last });
  const all = [...pages, ...rest];
  return {
    pages: all,
    inGuide: await snapshot.pages(eligible, { paths: ['guide/'], tags: ['howto'] }, { limit: 10 }),
    counts: await snapshot.counts(eligible),
    versions: [await snapshot.hasVersion(eligible, '1.0'), await snapshot.hasVersion(eligible, '3.0')],
    each: await Promise.all(
      all.map(async (page) => ({
        page: await snapshot.page(eligible, page.source, page.path),
        anySource: await snapshot.page(eligible, undefined, page.path),
        text: await snapshot.text(eligible, page),
        segments: await snapshot.segments(eligible, page),
        links: await snapshot.links(eligible, page),
        backlinks: await snapshot.backlinks(eligible, page),
      })),
    ),
  };
}

/** The pages a history leaves, as one batch per source. */
function finalTree(history: readonly BatchSpec[]): BatchSpec[] {
  return SOURCES.map((source) => {
    const pages = new Map<string, PageSpec>();
    for (const batch of history.filter((each) => each.source === source)) {
      for (const path of batch.removals) pages.delete(path);
      for (const page of batch.upserts) pages.set(page.path, page);
    }
    return { source, upserts: [...pages.values()].reverse(), removals: [] };
  });
}

async function manifestOf(store: StoreUnderTest): Promise<unknown> {
  const snapshot = await store.reader.snapshot();
  await snapshot.close();
  return snapshot.manifest;
}

async function paths(reader: IndexReader): Promise<string[]> {
  const snapshot = await reader.snapshot();
  const pages = await snapshot.pages(eligibleTo(await snapshot.compartments(), GROUPS), {}, { limit: 100 });
  await snapshot.close();
  return pages.map((page) => page.path);
}
