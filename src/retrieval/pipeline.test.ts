import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ASK, type FakePage, fakeSnapshot, PERMISSIONS, standing } from '../../tests/support/fake-snapshot.js';
import type { Retrieved } from '../domain/candidate.js';
import { DEFAULT_RANKING } from '../domain/ranking-policy.js';
import type { Ask } from '../domain/requester.js';
import type { Day, Instant } from '../kernel/clock.js';
import { type RetrievalDeps, type RetrievalRequest, retrieve } from './pipeline.js';

const TODAY = '2026-03-01' as Day;

function deps(pages: readonly FakePage[], over: Partial<RetrievalDeps> = {}): RetrievalDeps {
  return {
    snapshot: fakeSnapshot(pages),
    standings: [standing('docs'), standing('other')],
    permissions: PERMISSIONS,
    policy: DEFAULT_RANKING,
    stemming: {},
    reranker: { id: 'none', rerank: async () => undefined },
    embedder: { id: 'none', dimensions: 0, embed: async () => [] },
    today: TODAY,
    ...over,
  };
}

function ask(
  pages: readonly FakePage[],
  text: string,
  over: Partial<RetrievalRequest> = {},
  more: Partial<RetrievalDeps> = {},
): Promise<Retrieved> {
  return retrieve(deps(pages, more), { ask: ASK, text, scope: {}, limit: 10, for: 'search', ...over });
}

const paths = ({ candidates }: Retrieved): string[] => candidates.map(({ page }) => page.path);
const reasons = ({ excluded }: Retrieved): Record<string, string> => Object.fromEntries(excluded.map((each) => [each.path, each.reason]));
const filler = (count: number): FakePage[] =>
  Array.from({ length: count }, (_, at) => ({
    path: `filler/${at}.md`,
    parts: [`Lamps number ${at} burn till dawn, whatever the weather does.`],
  }));

const GATES: readonly FakePage[] = [
  { path: 'gate.md', title: 'Gate agent', parts: ['The gate agent opens the sluice slowly.', 'Its log is rotated weekly.'] },
  { path: 'pump.md', title: 'Pump', parts: ['The pump restarts by itself after E-LOCK-7F3A was raised twice.'] },
  { path: 'error.md', title: 'Errors', parts: ['An error when closing the lock: lock e, lock 7, closing error error lock lock.'] },
  ...filler(5),
];

describe('search', () => {
  test('RET-03 a page that holds the identifier literally comes first', async () => {
    expect(paths(await ask(GATES, 'error E-LOCK-7F3A when closing the lock'))[0]).toBe('pump.md');
  });

  test('RET-03 in a long sentence a name is one thing among others', async () => {
    const pages: readonly FakePage[] = [
      {
        path: 'restart.md',
        title: 'Restart',
        parts: ['After a flood the keeper checks the turbine, the valve, the rope and the winch before he may start again.'],
      },
      { path: 'table.md', title: 'Table', parts: ['E-LOCK-7F3A'] },
      ...filler(20),
    ];
    const long = 'E-LOCK-7F3A: what does the keeper check after a flood, turbine, valve, rope, winch, before he may start again';
    expect(paths(await ask(pages, long))[0]).toBe('restart.md');
    const { wordsBesideNames: _, ...always } = DEFAULT_RANKING;
    expect(paths(await ask(pages, long, {}, { policy: always }))[0]).toBe('table.md');
    expect(paths(await ask(pages, 'keeper E-LOCK-7F3A flood turbine valve'))[0]).toBe('table.md');
  });

  test('a page that is called what was asked comes before one that says a little more of it', async () => {
    const pages: readonly FakePage[] = [
      { path: 'works.md', title: 'Works of the year', parts: ['Drain the gate by hand, drain the other gate by hand.'] },
      { path: 'drain.md', title: 'Drain gate', parts: ['Drain the gate by hand, one step after another.'] },
      ...filler(5),
    ];
    const { nameLikeness: _, ...without } = DEFAULT_RANKING;
    const policy = { ...without, legs: { ...without.legs, metadata: 0 } };
    const asked = 'how do I drain the gate by hand';
    expect(paths(await ask(pages, asked, {}, { policy }))[0]).toBe('works.md');
    expect(paths(await ask(pages, asked, {}, { policy: { ...policy, nameLikeness: 0.15 } }))[0]).toBe('drain.md');
  });

  test('RET-02 the texts of links are asked for the words that carry the question, unless the policy says nothing of them', async () => {
    const snapshot = fakeSnapshot(GATES);
    const asked: string[][] = [];
    const listening: typeof snapshot = {
      ...snapshot,
      linked: async (eligible, query) => {
        asked.push(query.terms.map(({ surface }) => surface));
        return snapshot.linked(eligible, query);
      },
    };
    const { linkShare: _, ...before } = DEFAULT_RANKING;
    await ask(GATES, 'how to rotate the log of a gate', {}, { snapshot: listening });
    await ask(GATES, 'how to rotate the log of a gate', {}, { snapshot: listening, policy: before });
    expect(asked).toEqual([
      ['rotate', 'log', 'gate'],
      ['how', 'to', 'rotate', 'the', 'log', 'of', 'a', 'gate'],
    ]);
  });

  test('quoted phrases must stand as they are, across case and punctuation', async () => {
    expect(paths(await ask(GATES, '"SLUICE, slowly"'))).toEqual(['gate.md']);
    const reversed = await ask(GATES, '"slowly sluice"');
    expect(reversed.candidates).toEqual([]);
    expect(reversed.noContext).toBe(true);
    expect(reversed.reason).toContain('slowly');
  });

  test('+word must be on the page', async () => {
    expect(paths(await ask(GATES, 'lock +raised'))).toEqual(['pump.md']);
    expect((await ask(GATES, 'lock +zeppelin')).candidates).toEqual([]);
  });

  test('symbols alone: no hit, a reason, no fault', async () => {
    const answer = await ask(GATES, '%%%%%%%% 🚀');
    expect(answer.candidates).toEqual([]);
    expect(answer.problems.map(({ code }) => code)).toEqual(['query/no-words']);
    expect(answer.reason).not.toBe('');
  });

  test('RET-02 legs say whether they took part', async () => {
    expect((await ask(GATES, 'gate')).legs).toEqual({ lexical: 'used', metadata: 'used', links: 'empty', vector: 'off' });
    const off = await ask(GATES, 'gate', {}, { policy: { ...DEFAULT_RANKING, legs: { lexical: 1, metadata: 0, links: 0 } } });
    expect(off.legs).toMatchObject({ metadata: 'off', links: 'off' });
  });

  test('RET-08 why: ranks, shares and what is missing, never a raw score', async () => {
    const [first] = (await ask(GATES, 'gate zeppelin')).candidates;
    expect(first?.why.ranks.lexical).toBe(1);
    expect(first?.why.missing).toEqual(['zeppelin']);
    expect(first?.why.coverage).toBeLessThan(1);
    expect(Object.keys(first?.why ?? {})).not.toContain('score');
  });

  test('retired pages come last, labelled, below their successor', async () => {
    const decision = 'queue store decision: the queue store is the outbox table';
    const pages: FakePage[] = [
      { path: 'adr-07.md', parts: [`${decision}. ${decision}.`], meta: { supersededBy: 'adr-19.md' } },
      { path: 'adr-19.md', parts: ['The queue store is the log file.'] },
      { path: 'old.md', parts: ['The queue of last year.'], meta: { validUntil: '2025-12-31' as Day } },
      ...filler(4),
    ];
    const answer = await ask(pages, 'queue store decision outbox');
    expect(paths(answer)).toEqual(['adr-19.md', 'adr-07.md', 'old.md']);
    expect(answer.candidates.map(({ labels }) => labels[0])).toEqual([undefined, 'superseded', 'expired']);
    expect(answer.conflicts.map(({ reason }) => reason)).toContain('adr-07.md is superseded by adr-19.md');
  });

  test('RET-09 at most two passages of a page while another page matches; all of them when none does', async () => {
    const long: FakePage = {
      path: 'long.md',
      parts: Array.from({ length: 8 }, (_, at) => `The night schedule sends a report, part ${at}.`),
    };
    const bell: FakePage = { path: 'bell.md', parts: ['Reports go to the bell channel.'] };
    expect(paths(await ask([long, bell], 'night schedule report bell', { limit: 5 })).sort()).toEqual(['bell.md', 'long.md', 'long.md']);
    expect(paths(await ask([long, bell], 'night schedule part', { limit: 5 }))).toHaveLength(5);
  });

  test('equal text folds into one hit that lists the others', async () => {
    const text = 'The nuthatch nests in the north wall of the lock house every spring.';
    const answer = await ask([{ path: 'north/a.md', parts: [text] }, { path: 'south/b.md', parts: [text] }, ...filler(3)], 'nuthatch');
    expect(answer.candidates).toHaveLength(1);
    expect(answer.candidates[0]?.duplicates.map(({ path }) => path)).toEqual([
      paths(answer)[0] === 'north/a.md' ? 'south/b.md' : 'north/a.md',
    ]);
  });

  test('RET-10 near copies that differ in a name are a conflict, not a copy', async () => {
    const text = (who: string): string =>
      `The old lock of the northern canal was opened by ${who} in front of the whole harbour board, and the keys were handed to the crew on that day.`;
    const found = await ask(
      [
        { path: 'a.md', parts: [text('Ada')] },
        { path: 'b.md', parts: [text('Carl')] },
      ],
      'who opened the old lock',
    );
    expect(paths(found).slice(0, 2).sort()).toEqual(['a.md', 'b.md']);
    expect(found.conflicts.map(({ artifacts }) => artifacts.length)).toEqual([2]);
  });

  test('RET-10 near copies that differ in a number are a conflict, not a copy', async () => {
    const rule = (days: number): string =>
      `Every visitor pass of the harbour office is valid for ${days} days after it was issued at the gate.`;
    const answer = await ask(
      [{ path: 'a.md', parts: [rule(3)] }, { path: 'b.md', parts: [rule(5)] }, ...filler(3)],
      'visitor pass valid days',
    );
    expect(answer.candidates).toHaveLength(2);
    expect(answer.conflicts).toHaveLength(1);
  });

  test('RET-13 demotions are categorical and visible', async () => {
    const pages: FakePage[] = [
      { path: 'legacy.md', parts: ['Moor with the old winch at berth nine.'], meta: { status: 'legacy' } },
      { path: 'now.md', parts: ['Moor with the new winch at berth nine.'] },
    ];
    const answer = await ask(pages, 'moor winch berth nine');
    expect(paths(answer)).toEqual(['now.md', 'legacy.md']);
    expect(answer.candidates[1]?.why.demotions).toEqual({ legacy: DEFAULT_RANKING.demotion.legacy });
    expect(answer.candidates[1]?.labels).toContain('legacy');
  });

  test("a source's own state labels its pages", async () => {
    const answer = await ask(GATES, 'gate', {}, { standings: [standing('docs', 'degraded')] });
    expect(answer.candidates[0]?.labels).toContain('degraded-source');
  });

  test('an unknown path or version is said, and matches nothing', async () => {
    const pages: FakePage[] = [{ path: 'v1/api.md', parts: ['send an order'], meta: { productVersion: '1.0' } }];
    const path = await ask(pages, 'order', { scope: { paths: ['nowhere/'] } });
    expect(path.problems.map(({ code }) => code)).toEqual(['query/unknown-path']);
    expect(path.candidates).toEqual([]);
    const version = await ask(pages, 'order', { scope: { productVersion: '9.9' } });
    expect(version.problems[0]).toMatchObject({ code: 'query/unknown-version', hint: 'Known versions: 1.0.' });
    expect(version.candidates).toEqual([]);
  });

  test('RET-24 the same question gives the same answer', async () => {
    expect(await ask(GATES, 'gate lock error')).toEqual(await ask([...GATES].reverse(), 'gate lock error'));
  });
});

describe('context', () => {
  const context = (pages: readonly FakePage[], text: string, more: Partial<RetrievalRequest> = {}): Promise<Retrieved> =>
    ask(pages, text, { for: 'context', ...more });

  test('RET-05 below the floor nothing is given, and the reason names the words', async () => {
    const answer = await context(GATES, 'write a haiku about volcanoes on the gate of Io');
    expect(answer.candidates).toEqual([]);
    expect(answer.noContext).toBe(true);
    expect(answer.reason).toMatch(/“gate”.*“haiku”/s);
    expect(reasons(answer)['gate.md']).toBe('below-floor');
    expect(answer.unheld).toContain('volcanoes');
  });

  test('RET-05 what fell short is seen to, however little it lacked', async () => {
    const told: string[] = [];
    for (let strength = 0.005; strength < 0.2; strength += 0.0025) {
      const floor = { ...DEFAULT_RANKING.floor, strength };
      const { excluded } = await ask(GATES, 'write a haiku about the gate', { for: 'context' }, { policy: { ...DEFAULT_RANKING, floor } });
      for (const { closeness } of excluded) {
        if (closeness === undefined) continue;
        expect(closeness.percent).toBeLessThan(closeness.neededPercent);
        told.push(`${closeness.neededPercent - closeness.percent}`);
      }
    }
    expect(told).toContain('1');
  });

  test('RET-05 a weak but right match in a tiny library is kept', async () => {
    const pages: FakePage[] = [
      { path: 'a.md', parts: ['The queue store is the log file.'] },
      { path: 'b.md', parts: ['The queue store was once a table.'] },
    ];
    expect(paths(await context(pages, 'which queue store do we use'))).toContain('a.md');
    expect(paths(await context(pages, 'write a haiku about volcanoes'))).toEqual([]);
  });

  test('RET-14 PIT-18 superseded and expired text is never a candidate; the exclusion names the successor', async () => {
    const pages: FakePage[] = [
      { path: 'adr-07.md', parts: ['The queue store is the outbox table.'], meta: { supersededBy: 'adr-19.md' } },
      { path: 'adr-19.md', parts: ['The queue store is the log file.'] },
      { path: 'old.md', parts: ['The queue store of last year.'], meta: { validUntil: '2026-02-28' as Day } },
      ...filler(4),
    ];
    const answer = await context(pages, 'which queue store');
    expect(paths(answer)).toEqual(['adr-19.md']);
    expect(reasons(answer)).toMatchObject({ 'adr-07.md': 'superseded', 'old.md': 'expired' });
    expect(answer.excluded.find(({ path }) => path === 'adr-07.md')?.detail).toBe('superseded by adr-19.md');
  });

  test('either side may claim it: a page named by its successor is superseded', async () => {
    const pages: FakePage[] = [
      { path: 'adr/07.md', parts: ['The queue store is the outbox table.'] },
      { path: 'adr/19.md', parts: ['The queue store is the log file.'], meta: { other: { supersedes: '07.md' } } },
      ...filler(4),
    ];
    const answer = await context(pages, 'which queue store');
    expect(paths(answer)).toEqual(['adr/19.md']);
    expect(reasons(answer)['adr/07.md']).toBe('superseded');
  });

  test('of one page in two product versions the newest is taken, unless the question names one', async () => {
    const pages: FakePage[] = [
      { path: 'v1/api.md', parts: ['Send an order with dispatch. Send an order with dispatch.'], meta: { productVersion: '1.9' } },
      { path: 'v2/api.md', parts: ['Send an order with submit.'], meta: { productVersion: '1.10' } },
      ...filler(4),
    ];
    expect(paths(await context(pages, 'how do I send an order'))).toEqual(['v2/api.md']);
    expect(paths(await context(pages, 'send an order in 1.9'))).toEqual(['v1/api.md']);
    expect(paths(await context(pages, 'send an order in version 1.9'))).toEqual(['v1/api.md']);
    expect(paths(await context(pages, 'send an order in 1.9 and in 1.10')).sort()).toEqual(['v1/api.md', 'v2/api.md']);
  });

  test('a search shows every version of a page, the one that is meant first', async () => {
    const pages: FakePage[] = [
      { path: 'v1/api.md', parts: ['Send an order with dispatch. Send an order with dispatch.'], meta: { productVersion: '1.9' } },
      { path: 'v2/api.md', parts: ['Send an order with submit.'], meta: { productVersion: '1.10' } },
      { path: 'v1/only.md', parts: ['An order that was lost.'], meta: { productVersion: '1.9' } },
    ];
    expect(paths(await ask(pages, 'how do I send an order'))).toEqual(['v2/api.md', 'v1/only.md', 'v1/api.md']);
    for (const named of ['v1.9', '1.9', 'version 1.9']) expect(paths(await ask(pages, `send an order in ${named}`))[0]).toBe('v1/api.md');
    expect(paths(await ask(pages, 'send an order in version 1'))[0]).toBe('v2/api.md');
    const narrowed = await ask(pages, 'send an order', { scope: { productVersion: '1.9' } });
    expect(narrowed.candidates.flatMap(({ why }) => Object.keys(why.demotions))).toEqual([]);
  });

  test('K-04 a page that was set aside stands behind live ones, and is still given where nothing answers as well', async () => {
    const old = (text: string): FakePage => ({ path: 'old.md', parts: [text], meta: { status: 'legacy' } });
    const live: FakePage = { path: 'live.md', parts: ['The winch of the harbour is inspected by the harbour master.'] };
    const better = 'The winch at berth nine is inspected every spring, says the winch book of berth nine.';
    const found = await context([old(better), live, ...filler(6)], 'winch at berth nine inspected');
    expect(paths(found)).toEqual(['live.md', 'old.md']);
    const weaker = await context([old('A winch stood here.'), live, ...filler(6)], 'winch of the harbour inspected');
    expect(paths(weaker)).toEqual(['live.md']);
    expect(weaker.excluded.find(({ path }) => path === 'old.md')).toMatchObject({
      reason: 'below-floor',
      closeness: { neededPercent: 80 },
    });
    expect(paths(await context([old(better), ...filler(6)], 'winch at berth nine inspected'))).toEqual(['old.md']);
    const named: FakePage = { ...old('What was planned for it in those years.'), title: 'Winch roadmap' };
    const other: FakePage = { path: 'now.md', parts: ['The winch has a roadmap, says the harbour board of the winch.'] };
    expect(paths(await ask([named, other, live], 'winch roadmap'))[0]).toBe('old.md');
    expect(paths(await ask([named, other, live], 'which harbour board has a winch and a roadmap'))[0]).toBe('now.md');
  });

  test('text of a fenced tier has its lane: many such pages cannot push out a true one', async () => {
    const poison = Array.from(
      { length: 9 },
      (_, at): FakePage => ({
        path: `web/${at}.md`,
        parts: [`The lock code is ${at}${at}${at}, says the lock code page. Lock code lock code number ${at}.`],
        tier: 'untrusted',
      }),
    );
    const answer = await context(
      [...poison, { path: 'true.md', parts: ['The lock code is kept by the harbour master.'] }],
      'what is the lock code',
      { limit: 6 },
    );
    expect(paths(answer)).toContain('true.md');
    expect(paths(answer).filter((path) => path.startsWith('web/'))).toHaveLength(2);
    expect(answer.excluded.filter(({ reason }) => reason === 'lane-cap').length).toBeGreaterThan(0);
  });

  test('RET-11 a passage that contradicts one already in gets a kept place', async () => {
    const rule = (days: number, end: string): string =>
      `Every visitor pass of the harbour office is valid for ${days} days after it was issued ${end}.`;
    const pages: FakePage[] = [
      { path: 'a.md', title: 'Visitor pass, visitor pass', parts: [rule(3, 'at the gate')] },
      { path: 'b.md', title: 'Visitor pass of old', parts: ['A visitor pass is a card with a visitor number.'] },
      { path: 'c.md', parts: [rule(5, 'at the gate')] },
      ...filler(4),
    ];
    const answer = await context(pages, 'visitor pass', { limit: 2 });
    expect(paths(answer)).toEqual(['a.md', 'c.md']);
    expect(answer.conflicts).toHaveLength(1);
  });

  test('RET-18 every candidate that stayed out has a reason', async () => {
    const answer = await context(GATES, 'gate agent sluice', { limit: 1 });
    expect(answer.candidates).toHaveLength(1);
    expect(answer.excluded.every(({ reason, detail }) => reason.length > 0 && detail.length > 0)).toBe(true);
    expect(answer.truncated || answer.excluded.length > 0).toBe(true);
  });
});

describe('who may see what', () => {
  const HIDDEN: readonly FakePage[] = [
    {
      path: 'hr/bonus.md',
      title: 'Bonus plan heron',
      parts: ['The bonus is nine percent, see the gate agent.'],
      filed: { classification: 'restricted' },
    },
    { path: 'hr/pay.md', title: 'Gate', parts: ['gate gate gate gate'], filed: { permissionsRef: 'hr' }, meta: { productVersion: '7.7' } },
    { path: 'other/x.md', parts: ['gate agent of the other tenant'], filed: { tenants: ['elsewhere'] } },
  ];

  test('T1.1 ATH-06 the answer is the same as if the forbidden pages never existed', async () => {
    const words = ['gate', 'agent', 'bonus', 'nine', 'percent', 'lock', 'sluice', 'heron', 'error', '"gate agent"', '+bonus'];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 5 }),
        fc.constantFrom('search', 'context', 'ranking' as const),
        fc.constantFrom({}, { paths: ['hr/'] }, { paths: ['nowhere/'] }, { productVersion: '7.7' }),
        async (asked, purpose, scope) => {
          const over = { for: purpose as RetrievalRequest['for'], scope };
          expect(await ask([...HIDDEN, ...GATES], asked.join(' '), over)).toEqual(await ask(GATES, asked.join(' '), over));
        },
      ),
      { numRuns: 60 },
    );
  });

  test('a forbidden path and one that never was give the same answer, but for its name', async () => {
    const forbidden = await ask([...HIDDEN, ...GATES], 'bonus', { scope: { paths: ['hr/bonus.md'] } });
    const absent = await ask([...HIDDEN, ...GATES], 'bonus', { scope: { paths: ['xx/bonus.md'] } });
    expect(JSON.stringify(forbidden).replaceAll('hr/bonus.md', 'xx/bonus.md')).toBe(JSON.stringify(absent));
  });

  test('ATH-01 a request that lacks requester, workload, tenant, purpose or ceiling is refused', async () => {
    for (const field of ['principal', 'workload', 'tenant', 'purpose', 'ceiling']) {
      const broken = { ...ASK, requester: { ...ASK.requester, [field]: '' } } as Ask;
      await expect(ask(GATES, 'gate', { ask: broken })).rejects.toMatchObject({ code: 'input/invalid' });
    }
  });

  test('ATH-05 a step that reads past the seal is caught: the whole answer is withheld', async () => {
    const leaking = deps([...HIDDEN, ...GATES], { snapshot: fakeSnapshot([...HIDDEN, ...GATES], { leak: true }) });
    const request: RetrievalRequest = { ask: ASK, text: 'bonus percent', scope: {}, limit: 5, for: 'search' };
    await expect(retrieve(leaking, request)).rejects.toMatchObject({ code: 'access/second-check' });
  });

  test('a suspended source, and an overdue one when freshness is critical, answer nothing', async () => {
    expect((await ask(GATES, 'gate', {}, { standings: [standing('docs', 'suspended')] })).candidates).toEqual([]);
    const late = { ...ASK, at: 9e9 as Instant, freshnessCritical: true };
    expect((await ask(GATES, 'gate', { ask: late })).candidates).toEqual([]);
  });
});

describe('RET-06 RET-07 reranking', () => {
  test('reorders the best few; too slow a model changes nothing and is noted', async () => {
    const backwards = { id: 'backwards@1', rerank: async (_: string, texts: readonly string[]) => texts.map((__, at) => at) };
    const plainOrder = paths(await ask(GATES, 'lock gate error'));
    const moved = await ask(GATES, 'lock gate error', {}, { reranker: backwards });
    expect(paths(moved)).toEqual([...plainOrder].reverse());
    const slow = await ask(GATES, 'lock gate error', {}, { reranker: { id: 'slow@1', rerank: async () => undefined } });
    expect(paths(slow)).toEqual(plainOrder);
    expect(slow.trace.find(({ step }) => step === 'rerank')?.note).toContain('skipped');
  });
});
