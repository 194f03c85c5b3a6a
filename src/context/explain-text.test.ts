import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyRetrieved, candidate, compileInput, retrieved } from '../../tests/support/candidates.js';
import { runs } from '../../tests/support/proof-scale.js';
import { columnsOf, cutToColumns, wrapToColumns } from './columns.js';
import { explainPackage } from './explain-text.js';
import { compileContext } from './pipeline.js';

describe('explain in a terminal', () => {
  it('shows what went in, what stayed out, the budget, gaps and disagreement', () => {
    const from = retrieved([candidate(), candidate({ path: 'old.md', meta: { supersededBy: 'new.md' } })], {
      unheld: ['flux'],
      conflicts: [{ artifacts: [candidate().artifact.id, 'ka_gone'], reason: 'they differ' }],
    });
    const text = explainPackage(compileContext(compileInput(from)).package, 80);
    for (const part of [
      '“How do I drain the gate?”',
      'Went in',
      'guides/pumps.md:12',
      'Stayed out (1)',
      'superseded by new.md',
      ' of 1500 tokens',
      '“flux”',
      'they differ',
      'usable until 2026-03-22',
    ])
      expect(text).toContain(part);
  });

  it('leaves out the names of pages that hold nothing of the question, and shows both ends of a long path', () => {
    const below = (path: string, detail: string) => ({
      artifact: path,
      source: 'docs',
      path,
      title: path,
      reason: 'below-floor' as const,
      detail,
    });
    const far = `${'deep/'.repeat(20)}the-page.md`;
    const from = retrieved([candidate()], {
      excluded: [below('nothing.md', 'holds 0 % of the question, 50 % needed'), below(far, 'holds 30 % of the question, 50 % needed')],
    });
    const text = explainPackage(compileContext(compileInput(from)).package, 100);
    expect(text).toContain('Stayed out (1)');
    expect(text).not.toContain('nothing.md');
    expect(text).toMatch(/docs deep\/.*….*the-page\.md/);
    const bare = retrieved([candidate()], { excluded: [below('nothing.md', 'holds 0 % of the question, 50 % needed')] });
    expect(explainPackage(compileContext(compileInput(bare)).package, 100)).not.toContain('Stayed out');
  });

  it('says why there is nothing', () => {
    const text = explainPackage(compileContext(compileInput(retrieved([], { noContext: true, reason: 'too little' }))).package, 80);
    expect(text).toContain('no context');
    expect(text).toContain('too little');
    expect(text).not.toContain('Went in');
  });

  it('no line is wider than asked, and no page can move the cursor', () => {
    fc.assert(
      fc.property(anyRetrieved, fc.integer({ min: 10, max: 140 }), (from, width) => {
        const text = explainPackage(compileContext(compileInput(from)).package, width);
        expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
        for (const line of text.split('\n')) expect(columnsOf(line)).toBeLessThanOrEqual(Math.min(110, Math.max(40, width)));
      }),
      { numRuns: runs(150) },
    );
  });

  it('paints every line and leaves the bytes to the painter', () => {
    const entry = compileContext(compileInput(retrieved([candidate({ tier: 'untrusted' })]))).package;
    const roles = new Set<string>();
    const plain = explainPackage(entry, 80, (role, text) => {
      roles.add(role);
      return text;
    });
    expect(plain).toBe(explainPackage(entry, 80));
    expect([...roles].sort()).toEqual(['accent', 'dim', 'good', 'heading', 'plain', 'strong', 'warn']);
  });
});

describe('columns', () => {
  it('counts wide signs as two and marks as none', () => {
    expect(columnsOf('液压')).toBe(4);
    expect(columnsOf('e\u0301')).toBe(1);
    expect(cutToColumns('液压系统', 5)).toBe('液压…');
  });

  it('wraps at words and breaks a word that is too long', () => {
    expect(wrapToColumns('close the valve', 9)).toEqual(['close the', 'valve']);
    expect(wrapToColumns('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
    expect(wrapToColumns('', 4)).toEqual([]);
  });
});
