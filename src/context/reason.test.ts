import { describe, expect, it } from 'vitest';
import { candidate } from '../../tests/support/candidates.js';
import type { Field } from '../domain/fields.js';
import { namesSummary, quotedWords, reasonFor } from './reason.js';

describe('CTX-12 reason', () => {
  it('names the words, strongest first, and where they stand', () => {
    const best = candidate({
      why: {
        matched: [
          { surface: 'drain', fields: ['body'], share: 0.2 },
          { surface: 'gate', fields: ['title', 'headings'], share: 0.8 },
        ],
      },
    });
    expect(reasonFor(best, 1)).toBe('best match for “gate”, “drain” in title, headings and text');
    expect(reasonFor(best, 2)).toBe('match for “gate”, “drain” in title, headings and text');
  });

  it('says what else brought it here, what it lacks and what marks it down, and never a score (T1.10)', () => {
    const other = candidate({
      why: { matched: [], ranks: { links: 2, metadata: 1 }, missing: ['flux'], demotions: { legacy: 0.5, overdue: 1 }, coverage: 0.37 },
      duplicates: [{ source: 'wiki', path: 'a.md', lines: { start: 1, end: 2 } }],
    });
    const reason = reasonFor(other, 3);
    expect(reason).toBe(
      'match; other pages link to it with these words; its title, an alias, a tag or its path holds them; it lacks “flux”; ranked lower as legacy; the same text stands in another place',
    );
    expect(reason).not.toMatch(/\d/);
  });

  it('says under which other name a word stands here, and nothing where it stands itself', () => {
    const part = (surface: string, itself?: false) => ({
      surface,
      share: 0.3,
      fields: ['body'] as const,
      via: ['service level objective'],
      ...(itself === undefined ? {} : { itself }),
    });
    expect(reasonFor(candidate({ why: { matched: [part('SLO', false)] } }), 1)).toBe(
      'best match for “SLO” in text; it says “service level objective” for “SLO”',
    );
    expect(reasonFor(candidate({ why: { matched: [part('SLO')] } }), 1)).toBe('best match for “SLO” in text');
  });

  it('names the places of the words it names, and of no other', () => {
    const part = (surface: string, share: number, ...fields: readonly Field[]) => ({ surface, share, fields });
    const withThe = candidate({ why: { matched: [part('reload', 0.9, 'body', 'summary'), part('the', 0.06, 'title', 'headings')] } });
    expect(reasonFor(withThe, 1)).toBe('best match for “reload” in text');
    expect(namesSummary(withThe)).toBe(false);
    const summarised = candidate({ why: { matched: [part('reload', 0.9, 'identifiers', 'body'), part('Restart', 0.1, 'summary')] } });
    expect(reasonFor(summarised, 1)).toBe('best match for “reload”, “Restart” in text and the summary of its page');
    expect(namesSummary(summarised)).toBe(true);
  });

  it('tells a tag and a path from title and text, which the index does not', () => {
    const page = { title: 'Duty log', path: 'guides/deploying-boards.md', meta: { tags: ['rota'] } };
    const tagged = candidate({ ...page, why: { matched: [{ surface: 'rota', fields: ['title'], share: 1 }], ranks: { metadata: 1 } } });
    expect(reasonFor(tagged, 1)).toBe('best match for “rota” in a tag or another name');
    const called = candidate({ ...page, why: { matched: [{ surface: 'deploy', fields: ['identifiers', 'summary'], share: 1 }] } });
    expect(reasonFor(called, 1)).toBe('best match for “deploy” in path');
    expect(namesSummary(called)).toBe(false);
    const addressed = candidate({ ...page, why: { matched: [{ surface: 'ERR-TT-409', fields: ['identifiers'], share: 1 }] } });
    expect(reasonFor(addressed, 1)).toBe('best match for “ERR-TT-409” in text');
  });

  it('names a name whole, and not its parts beside it', () => {
    const part = (surface: string, share: number) => ({ surface, share, fields: ['body'] as const });
    const named = candidate({ why: { matched: [part('prometheus.yml', 0.5), part('yml', 0.3), part('default', 0.2)] } });
    expect(reasonFor(named, 1)).toBe('best match for “prometheus.yml”, “default” in text');
  });

  it('misses no word that only joins others', () => {
    expect(reasonFor(candidate({ why: { missing: ['Without', 'restart'] } }), 2)).toMatch(/; it lacks “restart”$/);
    expect(reasonFor(candidate({ why: { missing: ['without'] } }), 2)).not.toContain('lacks');
  });

  it('stays one line and one page long whatever was asked', () => {
    const words = Array.from({ length: 40 }, (_, n) => `word${n}\n${'x'.repeat(80)}`);
    const text = quotedWords(words);
    expect(text).not.toContain('\n');
    expect(text).toMatch(/ and 34 more$/);
    expect(text.length).toBeLessThan(330);
  });
});
