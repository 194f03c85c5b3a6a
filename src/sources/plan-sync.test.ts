import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ListedDocument } from '../ports/connector.js';
import type { KnownPage } from '../ports/index-writer.js';
import { planSync, unseenTest } from './plan-sync.js';

const page = (blob: string, signature?: string, transformation = 't1'): KnownPage => ({
  blob,
  transformation,
  ...(signature === undefined ? {} : { signature }),
});
const listed = (path: string, told: { blob?: string; signature?: string } = {}): ListedDocument => ({ path, sizeBytes: 1, ...told });
const names = (documents: readonly ListedDocument[]) => documents.map(({ path }) => path);

describe('planSync', () => {
  test('ING-06 equal blobs or signatures are skipped; what neither vouches for is read', () => {
    const known = new Map([
      ['a', page('1')],
      ['b', page('2', 's')],
      ['c', page('3', 's')],
      ['d', page('4', 's')],
      ['e', page('5')],
    ]);
    const documents = [
      listed('a', { blob: '1' }),
      listed('b', { signature: 's' }),
      listed('c', { signature: 'other' }),
      listed('d'),
      listed('e', { blob: '9' }),
      listed('f'),
    ];
    const plan = planSync({ documents, unseen: [] }, known, 't1');
    expect(names(plan.unchanged)).toEqual(['a', 'b']);
    expect(names(plan.unsure)).toEqual(['c', 'd']);
    expect(names(plan.changed)).toEqual(['e']);
    expect(names(plan.added)).toEqual(['f']);
    expect(names(plan.toRead)).toEqual(['c', 'd', 'e', 'f']);
  });

  test('a page made by another transformation is made again, and so is everything in a full run', () => {
    const known = new Map([
      ['a', page('1', 's', 't0')],
      ['b', page('2', 's')],
    ]);
    const documents = [listed('a', { blob: '1' }), listed('b', { signature: 's' })];
    expect(names(planSync({ documents, unseen: [] }, known, 't1').changed)).toEqual(['a']);
    expect(names(planSync({ documents, unseen: [] }, known, 't1', true).changed)).toEqual(['a', 'b']);
  });

  test('ING-07 only what the walk vouches for is removed', () => {
    const known = new Map(['a.md', 'closed/b.md', 'closed/deep/c.md', 'closedish.md', 'one.md'].map((path) => [path, page('1')]));
    const plan = planSync({ documents: [], unseen: ['closed/', 'one.md'] }, known, 't1');
    expect(plan.removed).toEqual(['a.md', 'closedish.md']);
    expect(plan.kept).toEqual(['closed/b.md', 'closed/deep/c.md', 'one.md']);
    expect(planSync({ documents: [], unseen: [''] }, known, 't1').removed).toEqual([]);
  });

  test('carrying out the plan leaves exactly what the source holds, whatever was known', () => {
    const path = fc.constantFrom('a', 'b', 'c/d', 'c/e', 'f');
    const blob = fc.constantFrom('1', '2', '3');
    const state = fc.dictionary(path, blob);
    const knownPage = fc.record({ blob, transformation: fc.constantFrom('t0', 't1') });
    fc.assert(
      fc.property(state, fc.dictionary(path, knownPage), fc.boolean(), (source, held, tellsBlobs) => {
        const documents = Object.keys(source)
          .sort()
          .map((each) => listed(each, tellsBlobs ? { blob: source[each] ?? '' } : {}));
        const plan = planSync({ documents, unseen: [] }, new Map(Object.entries(held)), 't1');
        const after = new Map(Object.entries(held).map(([each, { blob: id }]) => [each, id]));
        for (const gone of plan.removed) after.delete(gone);
        for (const { path: each } of plan.toRead) after.set(each, source[each] ?? '1');
        expect(Object.fromEntries(after)).toEqual(source);
        expect(plan.added.length + plan.changed.length + plan.unsure.length + plan.unchanged.length).toBe(documents.length);
      }),
    );
  });

  test('a folder is unseen with everything below it, a path alone', () => {
    const isUnseen = unseenTest(['a/', 'b.md']);
    expect(['a/x', 'a/y/z', 'b.md', 'ab', 'b.md2', 'c'].map(isUnseen)).toEqual([true, true, true, false, false, false]);
  });
});
