/** Reading written postings straight into a list gives what decoding and uniting them gives. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blend } from './blend.js';
import { ByteWriter } from './bytes.js';
import { type Corpus, corpusOf } from './corpus.js';
import { decodeDocTable } from './doc-table.js';
import { ListBuilder } from './list-builder.js';
import { decodePostings, type Postings, writePlaces } from './postings.js';
import { SegmentBuilder } from './segment.js';

const PAGES = 30;
const PLACES = 8;

function corpusWith(deadPages: readonly number[]): Corpus {
  const builder = new SegmentBuilder();
  const document = { fields: [['a'], [], [], [], []], lengths: [1, 0, 0, 0, 0] };
  for (let page = 0; page < PAGES; page++) builder.add(page, [document, document]);
  return corpusOf([{ id: 1, source: 's', table: decodeDocTable(builder.finish().table), deadPages }]);
}

/** Occurrences in documents and fields, often many in one place. */
const anyWritten = fc
  .array(fc.tuple(fc.nat(2 * PAGES - 1), fc.nat(4), fc.integer({ min: 1, max: 20 })), { maxLength: 40 })
  .map((occurrences) => {
    const places = occurrences.flatMap(([doc, field, times]) => new Array<number>(times).fill(doc * PLACES + field)).sort((a, b) => a - b);
    if (places.length === 0) return new Uint8Array(0);
    const out = new ByteWriter();
    writePlaces(out, Int32Array.from(places), PLACES);
    return out.finish();
  });

const NO_WORDS: Postings = { docs: new Int32Array(0), masks: new Uint8Array(0), counts: new Uint16Array(0) };
const decoded = (written: Uint8Array): Postings => (written.length === 0 ? NO_WORDS : decodePostings(written));

const unite = (a: Postings, b: Postings): Postings => blend(a, b, (x, y) => x + y, Uint16Array);
const weigh = (exact: Postings, whole: Postings, weight: number): Postings =>
  blend(exact, whole, (e, c) => e + weight * Math.max(0, c - e), Float64Array);

/** Document, mask and counts of what is still there. */
function rows({ docs, masks, counts }: Postings, { pageOf, live }: Corpus): readonly (readonly number[])[] {
  let at = 0;
  return [...docs].flatMap((doc, each) => {
    const own: number[] = [];
    for (let rest = masks[each] ?? 0; rest !== 0; rest &= rest - 1) own.push(counts[at++] ?? 0);
    return live[pageOf[doc] ?? 0] === 0 ? [] : [[doc, masks[each] ?? 0, ...own]];
  });
}

describe('ListBuilder', () => {
  it('unites, weighs, and leaves out what was removed; one builder makes list after list', () => {
    const everywhere = corpusWith([]);
    fc.assert(
      fc.property(anyWritten, anyWritten, anyWritten, fc.uniqueArray(fc.nat(PAGES - 1), { maxLength: 6 }), (a, b, exact, dead) => {
        const corpus = dead.length === 0 ? everywhere : corpusWith(dead);
        const builder = new ListBuilder(corpus);
        builder.addBoth(0, a, b);
        const both = builder.finish();
        expect(rows(both.postings, corpus)).toEqual(rows(unite(decoded(a), decoded(b)), corpus));
        expect(both.frequency).toBe(both.postings.docs.length);
        expect(both.pageFrequency).toBe(new Set([...both.postings.docs].map((doc) => corpus.pageOf[doc])).size);
        builder.addWeighed(0, exact, a, b, 0.5);
        const weighed = a.length + b.length === 0 ? NO_WORDS : weigh(decoded(exact), unite(decoded(a), decoded(b)), 0.5);
        expect(rows(builder.finish().postings, corpus)).toEqual(rows(weighed, corpus));
        // A word that is its own stem, with others of that stem and without.
        for (const more of [b, new Uint8Array(0)]) {
          builder.addWeighed(0, a, a, more, 0.5);
          const own = a.length + more.length === 0 ? NO_WORDS : weigh(decoded(a), unite(decoded(a), decoded(more)), 0.5);
          expect(rows(builder.finish().postings, corpus)).toEqual(rows(own, corpus));
        }
        builder.add(0, a);
        expect(rows(builder.finish().postings, corpus)).toEqual(rows(decoded(a), corpus));
      }),
    );
  });
});
