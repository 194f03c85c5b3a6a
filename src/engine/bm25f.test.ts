/** Early termination: leaving windows out changes no answer. A corpus of many windows is asked for few hits, and for all of them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { QueryTerm } from '../domain/query.js';
import { DEFAULT_RANKING } from '../domain/ranking-policy.js';
import { type Ranking, rank, scoreAll } from './bm25f.js';
import { type Corpus, corpusOf } from './corpus.js';
import { decodeDocTable } from './doc-table.js';
import { PAGE_OUTSIDE, PAGE_RETIRED, PAGE_SERVING } from './page-states.js';
import { NOTHING } from './posting-cache.js';
import { type NewDocument, SegmentBuilder } from './segment.js';
import { blockOf, findKey } from './term-blocks.js';
import { keyBytes, keyOf } from './term-keys.js';
import { TermListCache, TermReader } from './term-reader.js';
import { windowsOf } from './windows.js';

const VOCABULARY = 40;
const PAGES = 400;

/** A generator of its own, so that a corpus is one number. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

function makeCorpus(seed: number): { readonly corpus: Corpus; readonly reader: TermReader; readonly states: Uint8Array } {
  const next = random(seed);
  // Squared, so that some words are everywhere and others hardly anywhere.
  const word = () => `w${Math.floor(next() ** 3 * VOCABULARY)}`;
  const words = (most: number) => Array.from({ length: Math.floor(next() * most) }, word);
  const segments = [0, 1].map((id) => {
    const builder = new SegmentBuilder();
    for (let page = 0; page < PAGES; page++) {
      const title = words(3);
      const documents = Array.from({ length: 1 + Math.floor(next() * 6) }, (): NewDocument => {
        const fields = [title, [], [], words(30), []];
        const digits = Array.from({ length: 32 }, () => Math.floor(next() * 16).toString(16)).join('');
        return { fields, lengths: fields.map((field) => field.length), id: `ka_${digits}` };
      });
      builder.add(page, documents);
    }
    return { id, ...builder.finish() };
  });
  const corpus = corpusOf(segments.map(({ id, table }) => ({ id, source: 's', table: decodeDocTable(table), deadPages: [3, 77] })));
  const reader = new TermReader(new TermListCache(1 << 24), (wanted, terms) => (at, term) => {
    const { table, blocks } = segments[wanted[at] ?? 0] ?? { table: NOTHING, blocks: [] };
    const key = keyBytes(keyOf(terms[term] ?? ''));
    const block = blocks[blockOf(decodeDocTable(table).directory, key)];
    return (block === undefined ? undefined : findKey(block, key)) ?? NOTHING;
  });
  const states = Uint8Array.from({ length: corpus.pages }, () => {
    const kind = next();
    return kind < 0.1 ? PAGE_RETIRED : kind < 0.2 ? PAGE_OUTSIDE : PAGE_SERVING;
  });
  return { corpus, reader, states };
}

const anyTerm = fc.record({
  word: fc.nat(VOCABULARY),
  weight: fc.constantFrom(0, 0.05, 0.2, 1, 1.5),
  required: fc.nat(9),
  content: fc.boolean(),
});

function ask(made: ReturnType<typeof makeCorpus>, terms: readonly QueryTerm[], limit: number, retiredLimit: number): Ranking {
  return rank(made.corpus, {
    terms,
    policy: DEFAULT_RANKING,
    pageStates: made.states,
    limit,
    retiredLimit,
    lists: made.reader.lists(made.corpus, terms, () => 1),
    ties: (a, b) => a - b,
  });
}

function termsOf(picked: readonly { word: number; weight: number; required: number; content: boolean }[]): QueryTerm[] {
  return picked.map(({ word, weight, required, content }) => {
    const term = `w${word}`;
    return { kind: 'word', surface: term, term, stem: term, weight, required: required === 0, content };
  });
}

describe('ranking with windows left out', () => {
  it('gives the hits that ranking everything gives, in the same order with the same scores', () => {
    const corpora = [1, 2, 3].map(makeCorpus);
    for (const { corpus } of corpora) expect(windowsOf(corpus).count).toBeGreaterThan(20);
    fc.assert(
      fc.property(
        fc.nat(2),
        fc.array(anyTerm, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 0, max: 20 }),
        (which, picked, limit, retiredLimit) => {
          const made = corpora[which];
          if (made === undefined) throw new Error('no such corpus');
          const terms = termsOf(picked);
          const all = ask(made, terms, 1_000_000, 1_000_000);
          const few = ask(made, terms, limit, retiredLimit);
          expect(few.hits).toEqual(all.hits.slice(0, limit));
          expect(few.retired).toEqual(all.retired.slice(0, retiredLimit));
          expect(few.frequencies).toEqual(all.frequencies);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('finds every document that scores a share of the best, of those that count, and no other', () => {
    const made = makeCorpus(4);
    const { corpus, reader, states } = made;
    const accepts = (document: number) => document % 3 !== 0;
    fc.assert(
      fc.property(fc.array(anyTerm, { minLength: 1, maxLength: 6 }), fc.constantFrom(0.3, 0.5, 0.9, 1), (picked, share) => {
        const terms = termsOf(picked);
        const request = { terms, lists: reader.lists(corpus, terms, () => 1), policy: DEFAULT_RANKING, pageStates: states, accepts };
        const all = scoreAll(corpus, { ...request, share: 0 });
        const best = Math.max(0, ...all.map(({ score }) => score));
        const enough = all.filter(({ score }) => Math.round(score * 1e6) >= Math.round(share * best * 1e6));
        const byDocument = (found: typeof all) => [...found].sort((a, b) => a.document - b.document);
        expect(byDocument(scoreAll(corpus, { ...request, share }))).toEqual(byDocument(enough));
      }),
      { numRuns: 100 },
    );
  });
});
