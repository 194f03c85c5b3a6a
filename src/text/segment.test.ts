import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../tests/support/proof-scale.js';
import { outline } from './outline.js';
import { type Segment, type SegmentLimits, segment } from './segment.js';
import { tokenBound } from './tokens.js';

const SMALL: SegmentLimits = { targetTokens: 40, maxTokens: 80 };

function cut(
  text: string,
  limits: SegmentLimits = SMALL,
  tokens: (text: string) => number = tokenBound,
): { readonly segments: readonly Segment[]; readonly excerpts: readonly string[]; readonly paths: readonly string[] } {
  const { blocks, headings } = outline(text, { bodyStart: 0, components: false });
  const slice = (start: number, end: number) => text.slice(start, end);
  const segments = segment({ text, blocks, tokens, served: slice, excerpt: slice, limits });
  return {
    segments,
    excerpts: segments.map(({ start, end, before, after }) => before + text.slice(start, end) + after),
    paths: segments.map(({ heading }) => headings[heading]?.path.join(' | ') ?? ''),
  };
}

const lines = (count: number, line: (index: number) => string) => Array.from({ length: count }, (_, index) => line(index + 1)).join('\n');

describe('segment', () => {
  it('ART-03 is bounded by headings; text before the first and without any is a segment', () => {
    const { excerpts, paths } = cut('Preamble.\n\n# A\n\nOne.\n\n## B\n\nTwo.');
    expect(excerpts).toEqual(['Preamble.', '# A\n\nOne.', '## B\n\nTwo.']);
    expect(paths).toEqual(['', 'A', 'A | B']);
    expect(cut('Only text.').excerpts).toEqual(['Only text.']);
  });

  it('makes no blank segment, none of a title alone beside a body, and none that ends in a heading with a body', () => {
    const { excerpts, paths } = cut(
      `# Manual\n\n## Part A\n\n### Limits\n\nTwelve.\n${'\n'.repeat(50)}## Empty\n\n## Part B\n\n### Test\n\nDawn.\n`,
    );
    expect(paths).toEqual(['Manual | Part A | Limits', 'Manual | Part B | Test']);
    expect(excerpts[0]).toMatch(/^### Limits\n\nTwelve\.\n+## Empty$/);
    expect(cut('# Alone').excerpts).toEqual(['# Alone']);
    expect(cut('\n \n').excerpts).toEqual([]);
    expect(cut('## Empty\n\n## Full\n\nText.').excerpts).toEqual(['## Empty\n\n## Full\n\nText.']);
  });

  it('ART-04 keeps a fence, a table, an item and a formula whole when they fit', () => {
    const blocks = [
      '```sh\n# a\n\nb\n```',
      '| a | b |\n|---|---|\n| 1 | 2 |',
      '- item one\n\n  more of it',
      '$$\nx\n\ny\n$$',
      '<details>\n<summary>s</summary>\n</details>',
    ];
    const text = blocks.map((block, index) => `Paragraph ${index} ${'with some words in it '.repeat(4)}\n\n${block}`).join('\n\n');
    const { excerpts } = cut(text);
    for (const block of blocks) expect(excerpts.some((excerpt) => excerpt.includes(block))).toBe(true);
  });

  it('ART-04 cuts a fence that is too large between lines, each piece fenced, each line once', () => {
    const body = lines(60, (index) => `key_${index}: { level: ${index}, zone: "z" }`);
    const { excerpts, segments } = cut(`# T\n\nThe map:\n\n\`\`\`yaml title="a"\n${body}\n\`\`\`\n\nAfter.`);
    const fenced = excerpts.filter((excerpt) => excerpt.includes('key_'));
    expect(fenced.length).toBeGreaterThan(3);
    for (const excerpt of fenced) {
      expect(excerpt).toMatch(/^```yaml title="a"\n[^`]*\n```$/);
      expect(tokenBound(excerpt)).toBeLessThanOrEqual(SMALL.maxTokens);
    }
    expect(fenced.flatMap((excerpt) => excerpt.split('\n').slice(1, -1)).join('\n')).toBe(body);
    expect(segments.every(({ tokens }) => tokens <= SMALL.maxTokens)).toBe(true);
  });

  it('ART-04 cuts a table between rows and repeats header and delimiter', () => {
    const rows = lines(40, (index) => `| param_${index} | text | none |`);
    const { excerpts } = cut(`| name | type | default |\n|:---|---|---|\n${rows}`);
    expect(excerpts.length).toBeGreaterThan(3);
    for (const excerpt of excerpts) expect(excerpt.startsWith('| name | type | default |\n|:---|---|---|\n| param_')).toBe(true);
    expect(excerpts.flatMap((excerpt) => excerpt.split('\n').slice(2)).join('\n')).toBe(rows);
  });

  it('cuts inside a container with its fences balanced', () => {
    const code = lines(30, (index) => `  step_${index} --now`);
    const { excerpts } = cut(`- Do this:\n\n  ~~~sh\n${code}\n  ~~~\n- Then that.\n`);
    for (const excerpt of excerpts) expect((excerpt.match(/^ *(?:- )?~~~/gm) ?? []).length % 2).toBe(0);
    expect(excerpts.join('\n')).toContain('Then that.');
  });

  it('keeps a sentence that introduces a block with it', () => {
    const filler = 'Words that fill the segment up to its target without saying anything more than that they do so here.';
    const { excerpts } = cut(`${filler}\n\nRun this:\n\n\`\`\`\nmake\n\`\`\``, { targetTokens: 30, maxTokens: 90 });
    expect(excerpts.some((excerpt) => excerpt.includes('Run this:\n\n```\nmake\n```'))).toBe(true);
  });

  it('cuts a giant line after sentences, between words, and never inside a character', () => {
    const prose = cut('A sentence of some words. '.repeat(200)).excerpts;
    expect(prose.slice(0, -1).every((excerpt) => /\. ?$/.test(excerpt))).toBe(true);
    for (const unit of ['🚢', '👩‍👩‍👧', '🇳🇴', 'é', '日本語。']) {
      const text = unit.repeat(500);
      const { excerpts } = cut(text);
      expect(excerpts.join('')).toBe(text);
      if (unit.length > 1) for (const excerpt of excerpts) expect(excerpt.length % unit.length === 0 || unit === '日本語。').toBe(true);
    }
  });

  it('passes no limit where a whole costs more than its parts', () => {
    const dear = (text: string) => tokenBound(text) + (text.length > 100 ? 30 : 0);
    const paragraphs = lines(12, (index) => `Paragraph ${index} has a few words.\n`);
    const rows = lines(30, (index) => `row ${index} of the block`);
    const { segments, excerpts } = cut(`# T\n\n${paragraphs}\n\`\`\`\n${rows}\n\`\`\`\n\n${paragraphs}`, SMALL, dear);
    expect(segments.length).toBeGreaterThan(5);
    for (const [index, { tokens }] of segments.entries()) {
      expect(tokens).toBe(dear(excerpts[index] ?? ''));
      expect(tokens).toBeLessThanOrEqual(SMALL.maxTokens);
    }
  });

  it('loses and repeats nothing of any page, and passes no limit', () => {
    const block = fc.oneof(
      fc.constantFrom(
        '# H',
        '## H2',
        '### H3',
        '- a\n- b\n  - c',
        '> quote\n> more',
        '```\ncode\n\nmore\n```',
        '| a |\n|---|\n| b |',
        '---',
        '$$\nx\n$$',
        '<div>\nx\n</div>',
        '1. one\n\n   two',
      ),
      fc
        .array(fc.constantFrom('word', 'longer-word', '日本', '🚢', 'a_b.c', 'é'), { minLength: 1, maxLength: 120 })
        .map((words) => words.join(' ')),
    );
    fc.assert(
      fc.property(fc.array(block, { maxLength: 14 }), (blocks) => {
        const text = blocks.join('\n\n');
        const { segments, excerpts } = cut(text);
        let end = 0;
        for (const each of segments) {
          expect(each.start).toBeGreaterThanOrEqual(end);
          expect(each.end).toBeGreaterThan(each.start);
          end = each.end;
        }
        for (const [index, excerpt] of excerpts.entries()) {
          expect(segments[index]?.tokens).toBe(tokenBound(excerpt));
          expect(excerpt.trim()).not.toBe('');
          expect(tokenBound(excerpt)).toBeLessThanOrEqual(SMALL.maxTokens);
        }
        const words = (value: string) => value.replace(/[^\p{L}\p{So}]/gu, '').replace(/H[23]?/g, '');
        expect(words(segments.map(({ start, end: to }) => text.slice(start, to)).join(''))).toBe(words(text));
      }),
      { numRuns: runs(300) },
    );
  });
});
