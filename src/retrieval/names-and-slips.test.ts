import { describe, expect, test } from 'vitest';
import { ASK, type FakePage, fakeSnapshot, PERMISSIONS, standing } from '../../tests/support/fake-snapshot.js';
import type { Retrieved } from '../domain/candidate.js';
import { DEFAULT_RANKING } from '../domain/ranking-policy.js';
import { vocabularyOf } from '../domain/vocabulary.js';
import type { Day } from '../kernel/clock.js';
import { type RetrievalDeps, retrieve } from './pipeline.js';

const names = { broader: [], narrower: [], related: [], deprecated: false } as const;
const VOCABULARY = vocabularyOf([
  { ...names, id: 'slo', prefLabel: 'service level objective', altLabels: ['SLO'] },
  { ...names, id: 'penstock', prefLabel: 'penstock', altLabels: ['sluice gate'] },
]);

const PAGES: readonly FakePage[] = [
  { path: 'slo.md', title: 'Targets', parts: ['An SLO says how often the pump may fail in a quarter.'] },
  { path: 'long.md', title: 'Promises', parts: ['The service level objective of the pump is agreed in spring.'] },
  { path: 'apart.md', title: 'Levels', parts: ['The service was late. Its objective was another level of water.'] },
  { path: 'rotation.md', title: 'Rotation', parts: ['Rotation of the signing keys is due every spring.'] },
  { path: 'secret.md', title: 'Board', parts: ['Vexillology is discussed by the board alone.'], filed: { permissionsRef: 'hr' } },
  ...Array.from({ length: 6 }, (_, at) => ({ path: `lamp/${at}.md`, parts: [`Lamps number ${at} burn till dawn.`] })),
];

async function ask(text: string, over: Partial<RetrievalDeps> = {}, pages = PAGES): Promise<Retrieved> {
  let nearAsked = 0;
  const snapshot = fakeSnapshot(pages);
  const watched: typeof snapshot = {
    ...snapshot,
    near: async (...given) => {
      nearAsked += 1;
      return snapshot.near(...given);
    },
  };
  const deps: RetrievalDeps = {
    snapshot: watched,
    standings: [standing('docs')],
    permissions: PERMISSIONS,
    policy: DEFAULT_RANKING,
    stemming: {},
    reranker: { id: 'none', rerank: async () => undefined },
    embedder: { id: 'none', dimensions: 0, embed: async () => [] },
    today: '2026-03-01' as Day,
    ...over,
  };
  const answer = await retrieve(deps, { ask: ASK, text, scope: {}, limit: 10, for: 'search' });
  looked = nearAsked;
  return answer;
}
let looked = 0;

const paths = ({ candidates }: Retrieved) => candidates.map(({ page }) => page.path);
const said = ({ problems }: Retrieved) => problems.map(({ code, message }) => `${code}: ${message}`);

describe('other names', () => {
  test('IDX-04 text that uses another name is found, and why says by which', async () => {
    const answer = await ask('SLO', { vocabulary: VOCABULARY });
    expect(paths(answer)).toEqual(['slo.md', 'long.md']);
    expect(answer.candidates.map(({ why }) => why.matched.map(({ via = [], itself = true }) => [...via, itself]))).toEqual([
      [[true]],
      [['service level objective', false]],
    ]);
    expect(paths(await ask('SLO'))).toEqual(['slo.md']);
  });

  test('IDX-04 a name of several words is one only where its words stand together', async () => {
    expect(paths(await ask('SLO', { vocabulary: VOCABULARY }))).not.toContain('apart.md');
    // What holds a word of the question as well stays, for that word alone.
    const both = await ask('SLO water', { vocabulary: VOCABULARY });
    const apart = both.candidates.find(({ page }) => page.path === 'apart.md');
    expect(apart?.why.matched.map(({ surface, via }) => [surface, via])).toEqual([['water', undefined]]);
    expect(apart?.why.missing).toEqual(['SLO']);
    expect(apart?.why.coverage).toBeLessThan(0.7);
  });

  test('the word itself weighs more than another name for it, and the floor takes either', async () => {
    const [own, other] = (await ask('SLO', { vocabulary: VOCABULARY })).candidates;
    expect(own?.score).toBeGreaterThan(other?.score ?? Number.POSITIVE_INFINITY);
    expect(other?.why.coverage).toBe(1);
    expect(other?.why.missing).toEqual([]);
  });
});

describe('slips of the hand', () => {
  test('a word that no page holds is read as the nearest that one does, and the answer says so', async () => {
    const answer = await ask('rotaton of keys');
    expect(paths(answer)[0]).toBe('rotation.md');
    expect(said(answer)).toEqual([
      'query/did-you-mean: No page that may be shown here holds “rotaton”. Did you mean “rotation”? That was looked for instead.',
    ]);
    expect(answer.unheld).toEqual(['rotaton']);
    expect(answer.trace.find(({ step }) => step === 'spell')?.note).toBe('rotaton → rotation');
  });

  test('costs nothing where every word is known', async () => {
    await ask('rotation of signing keys');
    expect(looked).toBe(0);
  });

  test.each([
    ['quoted', '"rotaton keys"'],
    ['required', '+rotaton keys'],
    ['an identifier', 'key_rotaton keys'],
    ['short', 'kesy spring'],
    ['a number', 'keys 12346'],
    ['a version', 'keys v1.2.4'],
    ['one of many unknown words', 'rotaton von Schlüsseln zweimal jährlich keys'],
  ])('does not touch what is %s', async (_, text) => {
    expect(said(await ask(text)).filter((each) => each.startsWith('query/did-you-mean'))).toEqual([]);
  });

  test('T1.1 a near word of hidden pages is not known, and not offered', async () => {
    const asked = 'vexilology of keys';
    const hidden = await ask(asked);
    expect(said(hidden)).toEqual([]);
    expect(hidden).toEqual(
      await ask(
        asked,
        {},
        PAGES.filter(({ path }) => path !== 'secret.md'),
      ),
    );
    expect(said(await ask(asked, { permissions: { ...PERMISSIONS, hr: ['everyone'] } }))).toHaveLength(1);
  });

  test('a small word that was misspelt counts as the small word', async () => {
    const pages = [...PAGES, { path: 'which.md', parts: ['Which lamp is which, and which is not.'] }];
    const answer = await ask('whihc keys rotation', {}, pages);
    expect(paths(answer)[0]).toBe('rotation.md');
    expect(answer.candidates[0]?.why.missing).toEqual([]);
  });

  test('is off with a weight of nothing, and in a policy that does not know it', async () => {
    const { typoWeight: _, ...before } = DEFAULT_RANKING;
    for (const policy of [{ ...DEFAULT_RANKING, typoWeight: 0 }, before])
      expect(said(await ask('rotaton of keys', { policy }))).toEqual([]);
  });
});
