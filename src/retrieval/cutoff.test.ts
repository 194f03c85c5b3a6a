/** RET-15, PIT-20: what a model's own cutoff does to the ranking, and what it may not do. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ASK, type FakePage, fakeSnapshot, PERMISSIONS, standing } from '../../tests/support/fake-snapshot.js';
import { DEFAULT_RANKING } from '../domain/ranking-policy.js';
import type { Day } from '../kernel/clock.js';
import { retrieve } from './pipeline.js';

const CUTOFF = '2025-06-30' as Day;
const day = fc
  .integer({ min: -900, max: 900 })
  .map((days) => new Date(Date.parse(CUTOFF) + days * 86_400_000).toISOString().slice(0, 10) as Day);

function page(path: string, meta: FakePage['meta']): FakePage {
  return { path, parts: [`The driver of the pump is set by its vendor, see ${path}.`], ...(meta === undefined ? {} : { meta }) };
}

async function ranked(pages: readonly FakePage[], cutoff?: Day) {
  const deps = {
    snapshot: fakeSnapshot(pages),
    standings: [standing('docs')],
    permissions: PERMISSIONS,
    policy: DEFAULT_RANKING,
    stemming: {},
    reranker: { id: 'none', rerank: async () => undefined },
    embedder: { id: 'none', dimensions: 0, embed: async () => [] },
    today: '2026-03-01' as Day,
    ...(cutoff === undefined ? {} : { cutoff }),
  };
  const { candidates } = await retrieve(deps, { ask: ASK, text: 'driver of the pump vendor', scope: {}, limit: 20, for: 'ranking' });
  return candidates.map(({ page: { path }, score, why }) => ({ path, score, demoted: Object.keys(why.demotions).length > 0 }));
}

describe('RET-15 PIT-20 the cutoff of a model', () => {
  it('does nothing to pages about the own system, and nothing when none is declared', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(day, { minLength: 1, maxLength: 6 }), async (days) => {
        const own = days.flatMap((verifiedAt, at) => [
          page(`i${at}.md`, { scope: 'internal', verifiedAt }),
          page(`n${at}.md`, { verifiedAt }),
        ]);
        expect(await ranked(own, CUTOFF)).toEqual(await ranked(own));
        const outside = days.map((verifiedAt, at) => page(`e${at}.md`, { scope: 'external', verifiedAt }));
        expect((await ranked(outside)).some(({ demoted }) => demoted)).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  it('is monotone in the day an external page was verified, with a margin, and can fail', async () => {
    await fc.assert(
      fc.asyncProperty(day, day, async (a, b) => {
        const [older, newer] = a < b ? [a, b] : [b, a];
        const scores = new Map(
          (
            await ranked(
              [page('old.md', { scope: 'external', verifiedAt: older }), page('new.md', { scope: 'external', verifiedAt: newer })],
              CUTOFF,
            )
          ).map((each) => [each.path, each]),
        );
        const [old, fresh] = [scores.get('old.md'), scores.get('new.md')];
        expect(Number(old?.demoted)).toBeGreaterThanOrEqual(Number(fresh?.demoted));
      }),
      { numRuns: 100 },
    );
    const at = async (verifiedAt: string) =>
      (await ranked([page('e.md', { scope: 'external', verifiedAt: verifiedAt as Day })], CUTOFF))[0]?.demoted;
    expect([await at('2025-04-01'), await at('2025-03-31'), await at('2020-01-01')]).toEqual([false, true, true]);
    expect((await ranked([page('e.md', { scope: 'external' })], CUTOFF))[0]?.demoted).toBe(true);
  });
});
