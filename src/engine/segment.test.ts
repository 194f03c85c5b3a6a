import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DamagedSegment, openBytes } from './bytes.js';
import { decodeDocTable, idAt } from './doc-table.js';
import { decodePostings, type Postings } from './postings.js';
import { mergeSegments, type NewDocument, SegmentBuilder, type WrittenSegment } from './segment.js';
import { blockOf, findTerm, termsOf } from './term-blocks.js';

const WORDS = ['a', 'ab', 'abc', 'abd', 'b', 'é', '液压', '😀', '~ab', '#err-4012', ...Array.from({ length: 300 }, (_, at) => `word${at}`)];
const anyTerms = fc.array(fc.constantFrom(...WORDS), { maxLength: 20 });
const anyDocument = fc.record({
  fields: fc.tuple(anyTerms, anyTerms, anyTerms, anyTerms, anyTerms),
  id: fc.stringMatching(/^ka_[0-9a-f]{32}$/),
});
const anyPages = fc.array(fc.array(anyDocument, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 8 });
type Pages = readonly (readonly { readonly fields: readonly (readonly string[])[]; readonly id: string }[])[];

function build(pages: Pages, firstRow: number): WrittenSegment {
  const builder = new SegmentBuilder();
  pages.forEach((page, at) => {
    builder.add(
      firstRow + at,
      page.map((document): NewDocument => ({ ...document, lengths: document.fields.map((terms) => terms.length) })),
    );
  });
  return builder.finish();
}

function find(segment: WrittenSegment, term: string): Postings | undefined {
  const table = decodeDocTable(segment.table);
  const block = segment.blocks[blockOf(table.firstTerms, term)];
  const found = block === undefined ? undefined : findTerm(openBytes(block), term);
  return found === undefined ? undefined : decodePostings(found);
}

/** Per document that holds the term: its counts, field by field. */
function read(segment: WrittenSegment, term: string): [number, number[]][] {
  const postings = find(segment, term);
  if (postings === undefined) return [];
  let at = 0;
  return [...postings.docs].map((doc, each) => {
    const counts = [0, 1, 2, 3, 4].map((field) => ((postings.masks[each] ?? 0) & (1 << field) ? (postings.counts[at++] ?? 0) : 0));
    return [doc, counts];
  });
}

function expected(pages: Pages, term: string): [number, number[]][] {
  return pages
    .flat()
    .map(({ fields }, doc): [number, number[]] => [doc, fields.map((terms) => terms.filter((each) => each === term).length)])
    .filter(([, counts]) => counts.some((count) => count > 0));
}

describe('segments', () => {
  it('give back what was put in, term by term', () => {
    fc.assert(
      fc.property(anyPages, (pages) => {
        const segment = build(pages, 5);
        for (const term of [...WORDS.slice(0, 30), 'absent', '']) expect(read(segment, term)).toEqual(expected(pages, term));
        const table = decodeDocTable(segment.table);
        expect([...table.pageRows]).toEqual(pages.map((_, at) => 5 + at));
        expect(pages.flat().map((_, doc) => idAt(table, doc))).toEqual(pages.flat().map((document) => document.id));
      }),
      { numRuns: 60 },
    );
  });

  it('keep their terms in order and once', () => {
    fc.assert(
      fc.property(anyPages, (pages) => {
        const terms = build(pages, 0).blocks.flatMap((block) => [...termsOf(openBytes(block))].map((each) => each.term));
        expect(terms).toEqual([...new Set(pages.flat().flatMap(({ fields }) => fields.flat()))].sort());
      }),
      { numRuns: 40 },
    );
  });

  it('merge into what one batch would have made of the live pages', () => {
    fc.assert(
      fc.property(anyPages, anyPages, fc.array(fc.nat(15), { maxLength: 6 }), (first, second, dead) => {
        const deadPages = new Set(dead);
        const inputs = [build(first, 0), build(second, first.length)].map((segment) => ({
          table: decodeDocTable(segment.table),
          deadPages,
          blocks: segment.blocks.map(openBytes),
        }));
        const merged = mergeSegments(inputs);
        const live = [...first, ...second].filter((_, at) => !deadPages.has(at));
        if (live.length === 0) expect(merged).toBeUndefined();
        for (const term of WORDS.slice(0, 30)) expect(merged === undefined ? [] : read(merged, term)).toEqual(expected(live, term));
      }),
      { numRuns: 60 },
    );
  });

  it('T4.6: any flipped bit is noticed', () => {
    const segment = build([[{ fields: [['a'], [], [], ['b', 'ab'], []], id: `ka_${'0'.repeat(32)}` }]], 1);
    for (const sealed of [segment.table, ...segment.blocks]) {
      for (let bit = 0; bit < sealed.length * 8; bit++) {
        const flipped = Uint8Array.from(sealed);
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(() => openBytes(flipped)).toThrow(DamagedSegment);
      }
    }
  });
});
