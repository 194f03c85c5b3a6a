import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeDocTable, ID_BYTES, idText } from './doc-table.js';
import { mergeSegments } from './merge-segments.js';
import { decodePostings, type Postings } from './postings.js';
import { type NewDocument, SegmentBuilder, type WrittenSegment } from './segment.js';
import { blockOf, findKey, keysOf } from './term-blocks.js';
import { keyBytes, keyOf, keyText } from './term-keys.js';

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
  const key = keyBytes(keyOf(term));
  const block = segment.blocks[blockOf(table.directory, key)];
  const found = block === undefined ? undefined : findKey(block, key);
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
        const ids = pages.flat().map((_, doc) => idText(segment.ids.subarray(doc * ID_BYTES, (doc + 1) * ID_BYTES)));
        expect(ids).toEqual(pages.flat().map((document) => document.id));
      }),
      { numRuns: 60 },
    );
  });

  it('keep their terms in order and once', () => {
    fc.assert(
      fc.property(anyPages, (pages) => {
        const keys = build(pages, 0).blocks.flatMap((block) => [...keysOf(block)].map((each) => each.key));
        expect(keys).toEqual([...new Set(pages.flat().flatMap(({ fields }) => fields.flat()))].map(keyOf).sort());
      }),
      { numRuns: 40 },
    );
  });

  it('merge into what one batch would have made of the live pages', () => {
    fc.assert(
      fc.property(anyPages, anyPages, fc.array(fc.nat(15), { maxLength: 6 }), (first, second, dead) => {
        const deadPages = new Set(dead);
        const inputs = [build(first, 0), build(second, first.length)].map((segment) => ({
          ...segment,
          table: decodeDocTable(segment.table),
          deadPages,
        }));
        const merged = mergeSegments(inputs);
        const live = [...first, ...second].filter((_, at) => !deadPages.has(at));
        if (live.length === 0) expect(merged).toBeUndefined();
        for (const term of WORDS.slice(0, 30)) expect(merged === undefined ? [] : read(merged, term)).toEqual(expected(live, term));
      }),
      { numRuns: 60 },
    );
  });

  it('order their keys by code unit, and read back what was written', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 6 }), { maxLength: 20 }), (keys) => {
        const bytes = [...new Set(keys)].sort().map((key) => Buffer.from(keyBytes(key)));
        expect(bytes).toEqual([...bytes].sort(Buffer.compare));
        expect(bytes.map(keyText)).toEqual([...new Set(keys)].sort());
      }),
    );
  });
});
