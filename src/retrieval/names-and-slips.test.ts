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

describe('slips in names', () => {
  const gates: readonly FakePage[] = [...PAGES, { path: 'gate.md', title: 'Gates', parts: ['The sluice gate is greased in May.'] }];
  const mended = (text: string, over: Partial<RetrievalDeps> = {}, pages = gates) => ask(text, { vocabulary: VOCABULARY, ...over }, pages);

  test('IDX-04 a misspelt name that no page holds is read as the name, and found under the other ones', async () => {
    const answer = await mended('grease the penstok');
    expect(paths(answer)[0]).toBe('gate.md');
    expect(answer.candidates[0]?.why.matched.flatMap(({ via = [] }) => via)).toEqual(['sluice gate']);
    expect(said(answer)).toEqual([
      'query/did-you-mean: No page that may be shown here holds “penstok”. Did you mean “penstock”? That was looked for instead.',
    ]);
    expect(answer.unheld).toEqual(['penstok']);
  });

  test('a name of several words is known once its misspelt word is mended', async () => {
    const answer = await mended('service levle objective of the pump');
    expect(said(answer)).toHaveLength(1);
    expect(paths(answer)).toContain('slo.md');
    expect((await mended('service levle objective of the pump', { policy: { ...DEFAULT_RANKING, nameTypoWeight: 0 } })).candidates).toEqual(
      (await ask('service levle objective of the pump', {}, gates)).candidates,
    );
  });

  test('SEM-04 an old name that was misspelt leads to what it is called now', async () => {
    const vocabulary = vocabularyOf([
      { ...names, id: 'barrage', prefLabel: 'barrage', altLabels: [], deprecated: true, replacedBy: 'gate' },
      { ...names, id: 'gate', prefLabel: 'sluice gate', altLabels: [] },
    ]);
    const answer = await mended('grease the barrgae', { vocabulary });
    expect(paths(answer)[0]).toBe('gate.md');
    expect(said(answer).map((each) => each.split(':')[0])).toEqual(['query/old-name', 'query/did-you-mean']);
  });

  test('T1.1 a name is not offered where hidden pages alone speak of the thing', async () => {
    const secret: FakePage = { path: 'board.md', parts: ['The sluice gate is sold.'], filed: { permissionsRef: 'hr' } };
    const answer = await mended('lamps of the penstok', {}, [...PAGES, secret]);
    expect(said(answer)).toEqual([]);
    expect(answer).toEqual(await mended('lamps of the penstok', {}, PAGES));
    expect(
      said(await mended('lamps of the penstok', { permissions: { ...PERMISSIONS, hr: ['everyone'] } }, [...PAGES, secret])),
    ).toHaveLength(1);
  });

  test('SEM-05 a slip that may mean two things is taken for neither, and a word of pages comes before one of names', async () => {
    const twins = vocabularyOf([
      { ...names, id: 'a', prefLabel: 'harbour', altLabels: ['sluice gate'] },
      { ...names, id: 'b', prefLabel: 'harborr', altLabels: ['pump'] },
    ]);
    expect(said(await mended('grease the harborur', { vocabulary: twins }))).toEqual([]);
    const near = vocabularyOf([{ ...names, id: 'r', prefLabel: 'rotatron', altLabels: ['lamp'] }]);
    expect(said(await mended('rotatin of keys', { vocabulary: near }))[0]).toContain('“rotation”');
  });

  test('a word that is part of no whole name here is not mended', async () => {
    expect(
      said(
        await mended(
          'objectiv lamps',
          {},
          PAGES.filter(({ path }) => path.startsWith('lamp')),
        ),
      ),
    ).toEqual([]);
  });
});

describe('narrower names', () => {
  const vocabulary = vocabularyOf([
    { ...names, id: 'valve', prefLabel: 'valve', altLabels: [], narrower: ['penstock'] },
    { ...names, id: 'penstock', prefLabel: 'penstock', altLabels: ['sluice gate'] },
  ]);
  const pages: readonly FakePage[] = [
    ...PAGES,
    { path: 'valve.md', parts: ['Turn the valve by hand.'] },
    { path: 'gate.md', parts: ['Turn the sluice gate by hand.'] },
    { path: 'hidden.md', parts: ['The penstock is sold.'], filed: { permissionsRef: 'hr' } },
  ];
  const policy = { ...DEFAULT_RANKING, narrowerWeight: 0.2 };

  test('SEM-01 who asks for the broader thing may find the narrower, behind it; never the other way round', async () => {
    expect(paths(await ask('valve', { vocabulary, policy }, pages))).toEqual(['valve.md', 'gate.md']);
    expect(paths(await ask('penstock', { vocabulary, policy }, pages))).toEqual(['gate.md']);
  });

  test('are off by default', async () => {
    expect(paths(await ask('valve', { vocabulary }, pages))).toEqual(['valve.md']);
  });
});
