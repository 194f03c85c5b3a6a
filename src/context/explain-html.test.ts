import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyRetrieved, BREAKOUTS, candidate, compileInput, retrieved } from '../../tests/support/candidates.js';
import { runs } from '../../tests/support/proof-scale.js';
import type { Retrieved } from '../domain/candidate.js';
import type { Day } from '../kernel/clock.js';
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

  it('leads every link to a term of its own legend, and explains no term twice', () => {
    fc.assert(
      fc.property(anyRetrieved, (from) => {
        const page = explainHtml(compileContext(compileInput(from)).package);
        const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
        expect(new Set(ids).size).toBe(ids.length);
        for (const [, term] of page.matchAll(/ href="#([^"]*)"/g)) expect(ids).toContain(term);
      }),
      { numRuns: runs(60) },
    );
  });
});

describe('CTX-12 what a reader who has never seen a package learns', () => {
  const pageOf = (from: Retrieved, text = 'How do I drain the gate?') => explainHtml(compileContext(compileInput(from, { text })).package);

  it('what the page is, that it is no answer, and how to check it', () => {
    const { package: entry } = compileContext(compileInput(retrieved([candidate()])));
    const page = explainHtml(entry);
    expect(page).toMatch(/On <strong>2026-03-15<\/strong> the client .*terminal.*not its answer\./);
    expect(page).toContain(`colophon package verify ${entry.digest.slice(0, 12)}`);
    expect(page).toContain(`<code>${entry.digest}</code>`);
    expect(page).toContain('colophon why-not PATH');
    const elsewhere = explainHtml(entry, (command) => `${command} --root "a <b>"`);
    expect(elsewhere.match(/colophon (?:package verify|package explain|why-not)[^<]* --root &#34;a &#60;b&#62;&#34;/g)).toHaveLength(3);
    expect(pageOf(retrieved([], { noContext: true, reason: 'too little' }))).toContain('The agent was given nothing to read');
  });

  it('where the words of the question stand, as whole words, without a change to the text', () => {
    const page = pageOf(retrieved([candidate({ excerpt: 'Gate & gates: drain, gateway' })]));
    expect(page).toContain('<mark>Gate</mark> &#38; <mark>gates</mark>: <mark>drain</mark>, gateway');
  });

  it('what holds for all passages once, and what holds for one on its card', () => {
    const [a, b] = [
      candidate({ path: 'a.md', curated: false }),
      candidate({ path: 'b.md', curated: false, meta: { other: { date: '2016-03-03' } } }),
    ];
    const page = pageOf(retrieved([a, b]));
    expect(page.match(/<a class="chip[^"]*" href="#term-unreviewed">/g)).toHaveLength(1);
    expect(page.match(/page dated 2016-03-03/g)).toHaveLength(1);
    expect(page).toContain('True of both:');
  });

  it('green only where somebody looked', () => {
    expect(pageOf(retrieved([candidate({ curated: false, meta: { verifiedAt: '2026-01-02' as Day } })]))).not.toContain('chip good');
    expect(pageOf(retrieved([candidate()]))).not.toContain('chip good');
    expect(pageOf(retrieved([candidate({ meta: { verifiedAt: '2026-01-02' as Day } })]))).toContain('chip good');
  });

  it('what stayed out page by page, nearest first, with its lines and how near it came', () => {
    const below = (path: string, percent: number) => ({
      artifact: `ka_${path}`,
      source: 'handbook',
      path,
      title: path,
      headingPath: [path, 'Deep'],
      lines: { start: 3, end: 9 },
      reason: 'below-floor' as const,
      detail: `holds ${percent} % of the question, 50 % needed`,
      closeness: { of: 'question' as const, percent, neededPercent: 50 },
    });
    const page = pageOf(retrieved([candidate()], { excluded: [below('far.md', 12), below('near.md', 40), below('none.md', 0)] }));
    expect(page).toMatch(/near\.md[\s\S]*Deep<\/bdi>, lines 3-9: [\s\S]*holds 40 %[\s\S]*far\.md[\s\S]*holds 12 %/);
    expect(page).not.toContain('none.md');
  });

  it('a long passage whole, the rest of it folded with what is marked in there', () => {
    const page = pageOf(retrieved([candidate({ excerpt: [...Array.from({ length: 40 }, (_, n) => `line ${n}`), 'the gate'].join('\n') })]));
    expect(page).toMatch(/Show the other 23 lines of this passage, with 1 marked word</);
    expect(page).toContain('line 39\nthe <mark>gate</mark></pre>');
  });
});
