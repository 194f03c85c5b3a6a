import { describe, expect, it } from 'vitest';
import { candidate, compileInput, retrieved, type TODAY } from '../../tests/support/candidates.js';
import type { PackageBody, PackageItem } from '../domain/context-package.js';
import { sha256 } from '../kernel/digest.js';
import { diffPackages, pageKey } from './diff-packages.js';
import { axesOf } from './package-axes.js';
import { compileContext } from './pipeline.js';

const [drain, ropes, gate] = [
  candidate(),
  candidate({ path: 'ropes.md', headingPath: ['Ropes'], excerpt: 'Ropes are dry.' }),
  candidate({ path: 'gate.md', headingPath: ['Gate'], excerpt: 'The gate is shut.' }),
];
const bodyOf = (...candidates: Parameters<typeof retrieved>[0]): PackageBody =>
  compileContext(compileInput(retrieved(candidates))).package.body;
const BODY = bodyOf(drain, ropes);

const withItem = (body: PackageBody, at: number, change: Partial<PackageItem>): PackageBody => ({
  ...body,
  items: body.items.map((item, index) => (index === at ? { ...item, ...change } : item)),
});
const manifest = (body: PackageBody): PackageBody => ({ ...body, versions: { ...body.versions, manifest: sha256('another library') } });
const said = (a: PackageBody, b: PackageBody, now?: Parameters<typeof diffPackages>[2]) =>
  diffPackages({ body: a }, { body: b }, now).items.map(({ change, path, causes }) => [
    change,
    path,
    causes.map(({ kind, certain }) => `${certain ? '' : '?'}${kind}`).join(' '),
  ]);

describe('the axes of a difference', () => {
  it('are none between a package and itself', () => {
    expect(diffPackages({ body: BODY }, { body: BODY })).toMatchObject({ axes: [], items: [], gaps: { added: [], removed: [] } });
  });

  it('cover every part of a request and of its versions, and one that no version knows yet', () => {
    for (const part of ['request', 'versions'] as const)
      for (const key of [...Object.keys(BODY[part]), 'unheard-of']) {
        const body = { ...BODY, [part]: { ...BODY[part], [key]: 'another' } };
        expect(axesOf({ body: BODY }, { body }), `${part}.${key}`).toHaveLength(1);
      }
    const kinds = (a: object, b: object) => axesOf({ body: BODY, versions: a }, { body: BODY, versions: b }).map(({ kind }) => kind);
    expect(kinds({ segmenter: 'a' }, { segmenter: 'b' })).toEqual(['index']);
    expect(kinds({}, { segmenter: 'b' })).toEqual([]);
  });
});

describe('what made a passage come, go, move or change', () => {
  it('an edit of its page, certain', () => {
    const edited = withItem(BODY, 0, { artifact: 'ka_other', blob: 'f'.repeat(40), excerpt: 'Open the valve.' });
    expect(said(BODY, manifest(edited))).toEqual([['changed', 'guides/pumps.md', 'page-edited']]);
    const around = withItem(BODY, 0, { blob: 'f'.repeat(40), lines: { start: 40, end: 40 } });
    expect(said(BODY, manifest(around))).toEqual([['changed', 'guides/pumps.md', 'page-edited']]);
  });

  it('the index, when the page is the same and the passage is not', () => {
    const cut = withItem(BODY, 0, { artifact: 'ka_other', excerpt: 'Close the valve', lines: { start: 12, end: 11 } });
    const versions = { ...cut.versions, analyzer: 'analyzer@9' };
    expect(said(BODY, { ...cut, versions })).toEqual([['changed', 'guides/pumps.md', 'index']]);
  });

  it('its declaration, its source, its day', () => {
    expect(said(BODY, withItem(BODY, 0, { classification: 'confidential' }))).toEqual([['changed', 'guides/pumps.md', 'registration']]);
    expect(said(BODY, withItem(BODY, 0, { labels: ['degraded-source'] }))).toEqual([['changed', 'guides/pumps.md', 'source-state']]);
    expect(said(BODY, withItem(BODY, 0, { labels: ['unverified-changed'] }))).toEqual([['changed', 'guides/pumps.md', 'page-edited']]);
    const later = { ...withItem(BODY, 0, { labels: ['overdue'] }), request: { ...BODY.request, asOf: '2027-01-01' as typeof TODAY } };
    expect(said(BODY, later)).toEqual([['changed', 'guides/pumps.md', 'day']]);
  });

  it('a page that is gone, superseded, or said something else', () => {
    const without = manifest(bodyOf(ropes));
    const now = (blob: string | undefined) => new Map([[pageKey('handbook', 'guides/pumps.md'), blob]]);
    expect(said(BODY, without, now(undefined))).toEqual([['out', 'guides/pumps.md', 'page-gone']]);
    expect(said(BODY, without, now('f'.repeat(40)))).toEqual([['out', 'guides/pumps.md', 'page-edited']]);
    expect(said(BODY, without)).toEqual([['out', 'guides/pumps.md', 'library']]);
    const superseded = bodyOf(candidate({ meta: { supersededBy: 'new.md' } }), ropes);
    expect(said(BODY, manifest(superseded))).toEqual([['out', 'guides/pumps.md', 'lifecycle']]);
  });

  it('the one axis that differs, certain; of two, each perhaps; of none, what stood beside it', () => {
    const other = bodyOf(drain, gate);
    const asked = { ...other, request: { ...other.request, text: 'another question' } };
    expect(said(BODY, asked)).toEqual([
      ['in', 'gate.md', 'request'],
      ['out', 'ropes.md', 'request'],
    ]);
    expect(said(BODY, manifest(asked))[0]).toEqual(['in', 'gate.md', '?request ?library']);
    expect(said(BODY, other)[0]).toEqual(['in', 'gate.md', '?other-passages']);
    expect(said(BODY, bodyOf(ropes, drain))).toEqual([
      ['moved', 'ropes.md', '?other-passages'],
      ['moved', 'guides/pumps.md', '?other-passages'],
    ]);
  });

  it('the budget, when what is left out says so and the ceiling differs', () => {
    const small = compileContext(compileInput(retrieved([drain, ropes]), { ceilingTokens: 90 })).package.body;
    expect(small.excluded.map(({ reason }) => reason)).toContain('budget');
    for (const [change, , cause] of said(BODY, small)) expect([change, cause]).toEqual(['out', 'budget']);
    expect(said(BODY, small).length).toBeGreaterThan(0);
    for (const [change, , cause] of said(small, BODY)) expect([change, cause]).toEqual(['in', 'budget']);
  });
});
