/**
 * T1.7, without a clock: a word that stands on hidden pages alone is looked up with the very reads of a word that stands nowhere,
 * and those are the reads of a store that never held the hidden pages. Whoever reads nothing else can take no other time.
 *
 * The list of reads is taken where statements reach the driver; the answers are taken again after everything hidden was
 * overwritten in the file.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../src/adapters/stores/sqlite/driver.js';
import { openIndexReader } from '../../src/adapters/stores/sqlite/index-reader.js';
import type { EligibleSet } from '../../src/domain/eligibility.js';
import { DEFAULT_RANKING } from '../../src/domain/ranking-policy.js';
import { canonicalJson } from '../../src/kernel/digest.js';
import type { IndexSnapshot, LexicalQuery } from '../../src/ports/index-reader.js';
import { batchOf, eligibleTo, type PageSpec, TODAY, termOf } from '../support/arbitraries.js';
import { runs } from '../support/proof-scale.js';
import { allOf } from '../support/reference-store-mutants.js';
import { type StorageRead, storageReads } from '../support/storage-reads.js';
import { fixedClock, type TemporaryIndex, temporaryIndex } from '../support/temporary-index.js';

const TRIALS = runs(60);
const PAGES = 120;
const READERS = ['staff'];

/** Words of both kinds of page, enough of them that a segment's terms fill many blocks. */
const SHARED = Array.from({ length: 900 }, (_, at) => `${'bcdfghklmnprstvz'[at % 16]}a${(at * 7919).toString(36)}o`);

/** A word of hidden pages alone, and one of no page that differs in its last letter, so that both would stand in one place. */
interface Pair {
  readonly hidden: string;
  readonly absent: string;
}
const KINDS: readonly ((stem: string, last: string) => string)[] = [
  (stem, last) => `${stem}q${last}`,
  (stem, last) => `${stem}_max_q${last}`,
  (stem, last) => `ERR-${stem}-4${last === 'x' ? 7 : 8}`,
  (stem, last) => `${stem}.config.q${last}`,
];
const CODES: readonly Pair[] = Array.from({ length: 64 }, (_, at) => {
  const kind = KINDS[at % KINDS.length] ?? KINDS[0];
  const stem = `${'abcdefghijklmnopqrstuvwxyz'[(at * 5) % 26]}u${(at + 40).toString(36)}w`;
  return { hidden: kind?.(stem, 'x') ?? '', absent: kind?.(stem, 'z') ?? '' };
});
/** Of letters alone, so that the one is a slip of the hand for the other. */
const SLIPS: readonly Pair[] = ['b', 'm', 'q', 't'].map((first) => ({ hidden: `${first}alvexian`, absent: `${first}alvexiam` }));
const PAIRS: readonly Pair[] = [...SLIPS, ...CODES];

function pagesOf(group: string, secrets: readonly Pair[]): PageSpec[] {
  return Array.from({ length: PAGES }, (_, n): PageSpec => {
    const words = (from: number) => Array.from({ length: 30 }, (_, at) => SHARED[(n * 37 + from + at * 11) % SHARED.length] ?? '');
    const own = secrets.filter((_, at) => at % PAGES === n % Math.max(1, secrets.length)).map(({ hidden }) => hidden);
    return {
      source: 'handbook',
      path: `${group}/p${String(n).padStart(3, '0')}.md`,
      group,
      title: [SHARED[n] ?? '', ...own],
      summary: words(3).slice(0, 4),
      sections: [
        { heading: SHARED[n + 100] ?? '', words: [...words(0), ...own], repeats: false },
        { heading: SHARED[n + 300] ?? '', words: words(400), repeats: false },
      ],
      // Every page links to one that is hidden, and to one that is not there; both names are as long.
      links: [
        { to: `board/p${String(n).padStart(3, '0')}.md`, kind: 'path', words: [SHARED[n] ?? '', ...own] },
        { to: `other/p${String(n).padStart(3, '0')}.md`, kind: 'path', words: [SHARED[n] ?? ''] },
      ],
      tags: [],
      aliases: own,
    };
  });
}

const VISIBLE = pagesOf('staff', []);
const HIDDEN = pagesOf('board', PAIRS);

type Look = (snapshot: IndexSnapshot, eligible: EligibleSet, asked: string) => Promise<unknown>;

const queryFor = (asked: string): LexicalQuery => ({
  terms: [termOf(asked), termOf(SHARED[11] ?? '')],
  scope: {},
  policy: DEFAULT_RANKING,
  stemming: {},
  today: TODAY,
  limit: 10,
});

/** All that a question does with its words. */
const ask: Look = async (snapshot, eligible, asked) => {
  const query = queryFor(asked);
  const frequencies = await snapshot.frequencies(eligible, query);
  const answer = await snapshot.lexical(eligible, query);
  return [
    frequencies,
    answer,
    await snapshot.linked(eligible, query),
    await snapshot.named(eligible, [asked.toLowerCase()], query),
    await snapshot.artifacts(
      eligible,
      answer.hits.map((hit) => hit.artifact),
    ),
    await snapshot.hasVersion(eligible, asked),
    await snapshot.near(eligible, [{ word: asked.toLowerCase(), mostEdits: 2 }], 3),
  ];
};

const lookUp: Look = async (snapshot, eligible, path) => [
  await snapshot.page(eligible, 'handbook', path),
  await snapshot.page(eligible, undefined, path),
  await snapshot.pages(eligible, { paths: [path] }, { limit: 5 }),
];

const PLACES = ['board/p007.md', 'other/p007.md'] as const;

describe('T1.7 the list of reads', () => {
  let full: TemporaryIndex;
  let permitted: TemporaryIndex;

  beforeAll(async () => {
    full = await temporaryIndex();
    permitted = await temporaryIndex();
    for (const index of [full, permitted]) await index.writer.apply(batchOf({ source: 'handbook', upserts: VISIBLE, removals: [] }));
    await full.writer.apply(batchOf({ source: 'handbook', upserts: HIDDEN, removals: [] }));
    // A page of each kind was removed, so that there is something buried.
    for (const [index, paths] of [
      [full, ['staff/p003.md']],
      [permitted, ['staff/p003.md']],
      [full, ['board/p003.md']],
    ] as const) {
      await index.writer.apply(batchOf({ source: 'handbook', upserts: [], removals: paths }));
    }
  });
  afterAll(async () => {
    await full.dispose();
    await permitted.dispose();
  });

  it(`a hidden-only word is looked up with the reads of an absent one, in ${TRIALS} trials, cold and warm`, async () => {
    let reads = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...PAIRS), fc.boolean(), async ({ hidden, absent }, warm) => {
        const ofHidden = await readsOf(full, ask, hidden, warm);
        expect(ofHidden).toEqual(await readsOf(full, ask, absent, warm));
        reads += ofHidden.length;
      }),
      { numRuns: TRIALS },
    );
    expect(reads).toBeGreaterThan(TRIALS);
  });

  it(`and with the reads of a store that never held the hidden pages, in ${TRIALS} trials`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...PAIRS), fc.boolean(), async ({ hidden }, warm) => {
        expect(withoutLists(await readsOf(full, ask, hidden, warm))).toEqual(withoutLists(await readsOf(permitted, ask, hidden, warm)));
      }),
      { numRuns: TRIALS },
    );
  });

  it('a slip of the hand for a hidden word is looked up with the reads of a store without it, and finds nothing', async () => {
    const spell: Look = (snapshot, eligible, word) => snapshot.near(eligible, [{ word, mostEdits: 2 }], 3);
    for (const { absent } of SLIPS) {
      const reads = await readsOf(full, spell, absent, false);
      expect(reads.length).toBeGreaterThan(1);
      expect(withoutLists(reads)).toEqual(withoutLists(await readsOf(permitted, spell, absent, false)));
    }
    expect(await toldOf(full, (snapshot, eligible) => spell(snapshot, eligible, SLIPS[0]?.absent ?? ''), PAIRS.slice(0, 1))).toEqual([
      '[[]]',
    ]);
  });

  it('a hidden page is looked up by its name with the reads of one that is not there', async () => {
    const [hidden, absent] = PLACES;
    const ofHidden = await readsOf(full, lookUp, hidden, false);
    expect(ofHidden.length).toBeGreaterThan(2);
    expect(ofHidden).toEqual(await readsOf(full, lookUp, absent, false));
    expect(withoutLists(ofHidden)).toEqual(withoutLists(await readsOf(permitted, lookUp, hidden, false)));
  });

  it('links to hidden pages, and from them, are followed with the reads of a store without them', async () => {
    const follow: Look = async (snapshot, eligible, path) => {
      const page = await snapshot.page(eligible, 'handbook', path);
      if (page === undefined) throw new Error(`${path} is not there`);
      return [await snapshot.links(eligible, page), await snapshot.backlinks(eligible, page)];
    };
    for (const path of ['staff/p007.md', 'staff/p100.md']) {
      const reads = await readsOf(full, follow, path, false);
      expect(withoutLists(reads)).toEqual(withoutLists(await readsOf(permitted, follow, path, false)));
    }
  });

  it('a hidden passage is looked up by its id with the reads of one that is not there', async () => {
    const [id = ''] = await idsOf(full, 'board/p007.md');
    const look: Look = (snapshot, eligible, asked) => snapshot.artifacts(eligible, [asked]);
    const ofHidden = await readsOf(full, look, id, false);
    expect(ofHidden.length).toBeGreaterThan(0);
    expect(ofHidden).toEqual(await readsOf(full, look, `${id.slice(0, -4)}0000`, false));
    expect(withoutLists(ofHidden)).toEqual(withoutLists(await readsOf(permitted, look, id, false)));
    const begun: Look = (snapshot, eligible, asked) => snapshot.idsBeginning(eligible, asked.slice(0, 11), 2);
    const ofBeginning = await readsOf(full, begun, id, false);
    expect(ofBeginning.length).toBeGreaterThan(0);
    expect(ofBeginning).toEqual(await readsOf(full, begun, `ka_${'0'.repeat(32)}`, false));
    expect(withoutLists(ofBeginning)).toEqual(withoutLists(await readsOf(permitted, begun, id, false)));
  });

  it.each<[string, Look]>([
    ['reads hidden postings, then filters', readsThenFilters],
    ['takes frequencies from a dictionary for all', dictionaryForAll],
    ['learns spelling from a dictionary for all', spellingForAll],
    ['finds a page by its name, then asks who may see it', findsThenJudges],
  ])('can fail: a store that %s reads otherwise', async (_, look) => {
    const pair =
      look === findsThenJudges
        ? { hidden: PLACES[0], absent: PLACES[1] }
        : (PAIRS[look === spellingForAll ? 0 : 9] ?? { hidden: '', absent: '' });
    const ofHidden = await readsOf(full, look, pair.hidden, false);
    const same = (other: readonly StorageRead[]) => canonicalJson(withoutLists(ofHidden)) === canonicalJson(withoutLists(other));
    expect(same(await readsOf(full, look, pair.absent, false)) && same(await readsOf(permitted, look, pair.hidden, false))).toBe(false);
  });

  it('answers are the same bytes when everything hidden was overwritten in the file: nothing of it is read at all', async () => {
    const everything: Look = async (snapshot, eligible, asked) => [
      await ask(snapshot, eligible, asked),
      await lookUp(snapshot, eligible, PLACES[0]),
      await snapshot.counts(eligible),
      await snapshot.projectedManifest(eligible),
      await snapshot.pages(eligible, {}, { limit: 200 }),
    ];
    const before = await toldOf(full, everything, PAIRS);
    expect(overwriteHidden(full.file, 'board')).toBeGreaterThan(PAGES);
    expect(await toldOf(full, everything, PAIRS)).toEqual(before);
    await expect(toldOf(full, readsThenFilters, PAIRS.slice(0, 1))).rejects.toThrow(/posting segment/);
  });
});

/** What a shared full-text index does. */
async function readsThenFilters(snapshot: IndexSnapshot, eligible: EligibleSet, asked: string): Promise<unknown> {
  const found = await snapshot.lexical(allOf(await snapshot.compartments()), queryFor(asked));
  return snapshot.artifacts(
    eligible,
    found.hits.map((hit) => hit.artifact),
  );
}

async function dictionaryForAll(snapshot: IndexSnapshot, eligible: EligibleSet, asked: string): Promise<unknown> {
  const { frequencies } = await snapshot.lexical(allOf(await snapshot.compartments()), queryFor(asked));
  return { ...(await snapshot.lexical(eligible, queryFor(asked))), frequencies };
}

/** Looks through all words, and offers none that the asker may not see. */
async function spellingForAll(snapshot: IndexSnapshot, eligible: EligibleSet, asked: string): Promise<unknown> {
  const [near = []] = await snapshot.near(allOf(await snapshot.compartments()), [{ word: asked, mostEdits: 2 }], 3);
  const { frequencies } = await snapshot.lexical(eligible, { ...queryFor(asked), terms: near.map(({ term }) => termOf(term)) });
  return near.filter((_, at) => (frequencies[at] ?? 0) > 0);
}

async function findsThenJudges(snapshot: IndexSnapshot, eligible: EligibleSet, path: string): Promise<unknown> {
  const page = await snapshot.page(allOf(await snapshot.compartments()), 'handbook', path);
  return page !== undefined && eligible.keys.has(page.compartment.key) ? page : undefined;
}

/** Reads of one look in a process of its own: nothing is remembered, or everything but what is asked is. */
async function readsOf({ file }: TemporaryIndex, look: Look, asked: string, warm: boolean): Promise<readonly StorageRead[]> {
  return withSnapshot(file, async (snapshot, eligible) => {
    if (warm) await ask(snapshot, eligible, SHARED[5] ?? '');
    return storageReads([asked], () => look(snapshot, eligible, asked));
  });
}

async function toldOf({ file }: TemporaryIndex, look: Look, pairs: readonly Pair[]): Promise<readonly string[]> {
  const told: string[] = [];
  for (const { hidden } of pairs) {
    told.push(await withSnapshot(file, async (snapshot, eligible) => canonicalJson(await look(snapshot, eligible, hidden))));
  }
  return told;
}

async function idsOf({ file }: TemporaryIndex, path: string): Promise<string[]> {
  return withSnapshot(file, async (snapshot) => {
    const all = allOf(await snapshot.compartments());
    const page = await snapshot.page(all, 'handbook', path);
    return page === undefined ? [] : (await snapshot.segments(all, page)).map(({ id }) => id);
  });
}

async function withSnapshot<T>(file: string, work: (snapshot: IndexSnapshot, eligible: EligibleSet) => Promise<T>): Promise<T> {
  const reader = openIndexReader({ file, clock: fixedClock() });
  const snapshot = await reader.snapshot();
  try {
    return await work(snapshot, eligibleTo(await snapshot.compartments(), READERS));
  } finally {
    await snapshot.close();
    await reader.close();
  }
}

/** The list of all compartments is what eligibility is decided on; it holds no text and no word. */
function withoutLists(reads: readonly StorageRead[]): readonly StorageRead[] {
  return reads.filter(({ sql }) => !/FROM compartment\b/.test(sql));
}

/** Puts zeros over everything the group's compartments hold; returns how many rows. */
function overwriteHidden(file: string, group: string): number {
  const db = Database.open(file, { readOnly: false, busyTimeoutMs: 1000 });
  try {
    const rows = `(SELECT row FROM compartment WHERE json_extract(body, '$.permissionsRef') = '${group}')`;
    const pages = `(SELECT row FROM page WHERE compartment IN ${rows})`;
    const segments = `(SELECT row FROM segment WHERE compartment IN ${rows})`;
    return [
      `UPDATE posting_block SET body = zeroblob(length(body)) WHERE row / 1048576 IN ${segments}`,
      `UPDATE content SET meta = '', body = zeroblob(length(body)) WHERE page IN ${pages}`,
      `UPDATE segment SET body = zeroblob(length(body)) WHERE compartment IN ${rows}`,
      `UPDATE page SET meta_digest = '', content_digest = '', tags = '[]' WHERE compartment IN ${rows}`,
    ].reduce((sum, sql) => sum + db.run(sql).changes, 0);
  } finally {
    db.close();
  }
}
