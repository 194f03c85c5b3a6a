import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyRetrieved, BREAKOUTS, candidate, compileInput, retrieved } from '../../tests/support/candidates.js';
import { runs } from '../../tests/support/proof-scale.js';
import { explainHtml } from './explain-html.js';
import { compileContext } from './pipeline.js';

const VOID = new Set(['meta', 'br']);
const KNOWN =
  /^(?:html|head|meta|title|style|body|div|header|main|footer|section|article|h1|h2|h3|p|ul|ol|li|span|i|strong|bdi|pre|details|summary|table|thead|tbody|tr|th|td|br|code|a|mark|dl|dt|dd)$/;

/** Every tag of the page, opened and closed in order: text that got out of its place would show up here. */
function structure(page: string): number {
  const open: string[] = [];
  let tags = 0;
  for (const [, close, name = '', attributes = ''] of page.replace('<!doctype html>', '').matchAll(/<(\/?)([^\s>]*)([^>]*)>/g)) {
    tags += 1;
    expect(name).toMatch(KNOWN);
    expect(attributes).toMatch(/^(?: [a-z-]+(?:="[^"<>]*")?)*$/);
    expect(attributes).not.toMatch(/ on[a-z]+=| src=| href=(?!"#term-[a-z-]+")/);
    if (close === '/') expect(open.pop()).toBe(name);
    else if (!VOID.has(name)) open.push(name);
  }
  expect(open).toEqual([]);
  return tags;
}

const hostile = BREAKOUTS.concat([
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='x",
  '</style><script>',
  '`$' + '{x}`',
  '&lt;',
]);

describe('INJ-13 explain page', () => {
  it('runs nothing and asks for nothing, and says so in its policy', () => {
    const page = explainHtml(compileContext(compileInput(retrieved([candidate()]))).package);
    expect(page).toContain(
      'content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;"',
    );
    expect(page).not.toMatch(/<script|<link|<iframe|<img|<svg|@import|url\(|javascript:|https?:/i);
    expect(structure(page)).toBeGreaterThan(60);
  });

  it('escapes every string of the package, wherever it stands', () => {
    for (const attack of hostile) {
      const bad = candidate({
        title: attack,
        headingPath: [attack],
        path: attack,
        excerpt: attack,
        tier: 'untrusted',
        source: attack,
        duplicates: [{ source: attack, path: attack, lines: { start: 1, end: 1 } }],
        why: { matched: [{ surface: attack, fields: ['body'], share: 1 }] },
      });
      const from = retrieved([bad], {
        excluded: [{ artifact: 'ka_x', source: attack, path: attack, title: attack, reason: 'below-floor', detail: attack }],
        conflicts: [{ artifacts: ['ka_x', attack], reason: attack }],
        unheld: [attack],
      });
      structure(explainHtml(compileContext(compileInput(from, { text: attack })).package));
    }
  });

  it('is well formed for any package', () => {
    fc.assert(
      fc.property(anyRetrieved, fc.string({ unit: 'binary' }), (from, text) => {
        structure(explainHtml(compileContext(compileInput(from, { text })).package));
      }),
      { numRuns: runs(60) },
    );
  });

  it('can be read by assistive technology: one main, headings in order, headed tables, named regions', () => {
    const page = explainHtml(
      compileContext(compileInput(retrieved([candidate(), candidate({ path: 'x.md', meta: { supersededBy: 'y.md' } })]))).package,
    );
    expect(page.match(/<main>/g)).toHaveLength(1);
    expect(page.match(/<h1>/g)).toHaveLength(1);
    expect([...page.matchAll(/<table>/g)]).toHaveLength([...page.matchAll(/<thead>/g)].length);
    expect(page).toContain('<html lang="en">');
    for (const [, label] of page.matchAll(/role="(?:region|img)" aria-label="([^"]*)"/g)) expect(label).not.toBe('');
  });

  it('shows the reason when there is no context', () => {
    const page = explainHtml(compileContext(compileInput(retrieved([], { noContext: true, reason: 'too little of “haiku”' }))).package);
    expect(page).toContain('too little of “haiku”');
    structure(page);
  });
});
