import { describe, expect, it } from 'vitest';
import type { Page, PageMeta } from '../domain/page.js';
import { prefixOf } from './prefix.js';

const META: PageMeta = { tags: [], aliases: [], audience: [], related: [], other: {} };

function page(title: string, meta: Partial<PageMeta> = {}, summary = ''): Page {
  return {
    source: 's',
    path: 'p.md',
    blob: '',
    title,
    summary,
    meta: { ...META, ...meta },
    tier: 'trusted',
    authorityClass: 'reference',
    curated: false,
    lineCount: 1,
  };
}

const textOf = (of: Page, ...headingPath: string[]) => prefixOf(of, headingPath, '').text;

describe('the prefix of a segment (ART-08)', () => {
  it('is title, headings and summary, and names a heading that is the title once', () => {
    expect(textOf(page('Pumps', {}, 'How they run.'), 'Pumps', 'Draining')).toBe('Pumps › Draining\nHow they run.');
    expect(textOf(page('Pumps'))).toBe('Pumps');
  });

  it('keeps a title that the author gave to the whole page', () => {
    expect(textOf(page('Handbook', { title: 'Handbook' }), 'Chapter two', 'Spacing')).toBe('Handbook › Chapter two › Spacing');
  });

  it('does not file a chapter under the first one, whose heading became the title', () => {
    expect(textOf(page('Chapter one'), 'Chapter two', 'Spacing')).toBe('Chapter two › Spacing');
  });
});
