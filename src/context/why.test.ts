import { describe, expect, it } from 'vitest';
import { candidate, compileInput, retrieved } from '../../tests/support/candidates.js';
import { EXCLUSIONS, type ExcludedItem } from '../domain/context-package.js';
import { compileContext } from './pipeline.js';
import { whyIncluded, whyNot } from './why.js';

const out = (reason: ExcludedItem['reason'], path: string, detail = 'because'): ExcludedItem => ({
  artifact: `ka_${reason}`,
  source: 'handbook',
  path,
  title: path,
  reason,
  detail,
});
const excluded = [
  ...EXCLUSIONS.map((reason) => out(reason, `${reason}.md`)),
  out('below-floor', 'twice.md'),
  out('budget', 'twice.md', 'needs 900 tokens'),
];
const entry = compileContext(compileInput(retrieved([candidate()], { excluded }))).package;
const [{ page: shown }] = [candidate()];
const page = (path: string, more: Partial<typeof shown.compartment> = {}) => ({
  source: 'handbook',
  path,
  compartment: { ...shown.compartment, ...more },
});

describe('why', () => {
  it('finds an item by id, short id, path and source:path', () => {
    const id = entry.body.items[0]?.artifact ?? '';
    for (const name of [id, id.slice(0, 12), 'guides/pumps.md', 'handbook:guides/pumps.md']) {
      expect(whyIncluded(entry, name)).toEqual({
        included: true,
        step: 'included',
        sentence: 'handbook guides/pumps.md:12 is item 1: best match for “gate” in title and text.',
      });
    }
    for (const name of ['', 'ka_', 'pumps.md', 'wiki:guides/pumps.md']) expect(whyIncluded(entry, name)).toBeUndefined();
  });
});

describe('why-not', () => {
  it.each([
    ['below-floor', 'floor'],
    ['page-cap', 'diversify'],
    ['superseded', 'candidates'],
    ['budget', 'select'],
    ['damaged', 'candidates'],
  ])('names the step for %s: %s', (reason, step) => {
    const answer = whyNot(entry, page(`${reason}.md`));
    expect(answer).toMatchObject({ included: false, step });
    expect(answer.sentence).toMatch(new RegExp(`^handbook ${reason}\\.md .*: because\\.$`));
  });

  it('has a sentence for every reason there is', () => {
    for (const reason of EXCLUSIONS) expect(whyNot(entry, page(`${reason}.md`)).sentence).toContain('because');
  });

  it('lets the passage that came furthest speak for its page', () => {
    expect(whyNot(entry, page('twice.md'))).toMatchObject({
      step: 'select',
      sentence: 'handbook twice.md matches, but did not fit the budget: needs 900 tokens.',
    });
  });

  it('says so when the page is in, or was never proposed', () => {
    expect(whyNot(entry, page('guides/pumps.md')).included).toBe(true);
    expect(whyNot(entry, page('bees.md'))).toMatchObject({ step: 'candidates' });
  });

  it('says what keeps a page the asker may see from whoever the context was made for', () => {
    const forRemote: typeof entry = {
      ...entry,
      body: { ...entry.body, request: { ...entry.body.request, locality: 'remote', client: 'agent' } },
    };
    expect(whyNot(forRemote, page('d.md', { egress: 'local-only' }))).toEqual({
      included: false,
      step: 'eligible',
      sentence:
        'handbook d.md is kept from remote clients (`sensitivity: private`, or `egress: local-only` of its source), and this context was made for one, “agent”; ask with `--client terminal` to ask as yourself.',
    });
    const below: typeof entry = { ...entry, body: { ...entry.body, request: { ...entry.body.request, ceiling: 'public' } } };
    expect(whyNot(below, page('d.md', { classification: 'internal' })).sentence).toBe(
      'handbook d.md is internal, above the ceiling that this context was asked with (public).',
    );
  });

  it('ATH-06 gives absent and forbidden pages the same bytes, also when the package once held the page', () => {
    expect(whyNot(entry, undefined)).toEqual({ included: false, step: 'eligible', sentence: 'This page is not in this library for you.' });
  });
});
