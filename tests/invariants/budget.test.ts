/** PIT-16, PIT-17, PIT-18, K-04, CTX-04, CTX-06, CTX-16, RET-18: the ceiling holds for every model, and nothing leaves without a reason. */
import fc from 'fast-check';
import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { type CompileInput, compileContext } from '../../src/context/pipeline.js';
import { CONTEXT_CLASSES, EXCLUSIONS } from '../../src/domain/context-package.js';
import { DEFAULT_CONTEXT_POLICY } from '../../src/domain/context-policy.js';
import { contextCeiling, MODEL_PROFILES, preambleCeiling } from '../../src/domain/model-profile.js';
import { isRetired } from '../../src/domain/page.js';
import { Fault } from '../../src/kernel/errors.js';
import { tokenBound } from '../../src/text/tokens.js';
import { anyRetrieved, candidate, compileInput, retrieved, TODAY } from '../support/candidates.js';
import { runs } from '../support/proof-scale.js';
import { readPreamble } from '../support/read-preamble.js';

const anyInput: fc.Arbitrary<CompileInput> = fc
  .record({
    from: anyRetrieved,
    model: fc.constantFrom(...MODEL_PROFILES),
    ceiling: fc.option(fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 9_000 })), { nil: undefined }),
    mayRaiseCeiling: fc.boolean(),
  })
  .map(({ from, model, ceiling, mayRaiseCeiling }) =>
    compileInput(from, { model, mayRaiseCeiling, ...(ceiling === undefined ? {} : { ceilingTokens: ceiling }) }),
  );

const ENGLISH =
  'the of a to in before after when valve gate drain chamber pressure operator engineer maintenance configuration request server timeout retry cluster certificate rotates opens closes requires returns deprecated explicitly automatically environment variable `API_KEY` kubectl version default override namespace throughput latency backup restore schedule'.split(
    ' ',
  );
const sentence = fc.array(fc.constantFrom(...ENGLISH), { minLength: 6, maxLength: 24 }).map((words) => `${words.join(' ')}.`);
const libraryOf = (texts: fc.Arbitrary<string>) =>
  fc
    .array(texts, { minLength: 1, maxLength: 12 })
    .map((excerpts) => retrieved(excerpts.map((excerpt, n) => candidate({ excerpt, firstLine: n + 1 }))));
const englishLibrary = libraryOf(fc.array(sentence, { minLength: 1, maxLength: 12 }).map((sentences) => sentences.join(' ')));
const latinLibrary = libraryOf(fc.lorem({ maxCount: 8, mode: 'sentences' }));

describe('PIT-16 budget', () => {
  it('is never exceeded, for any model profile, library and ceiling', () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(anyInput, (input) => {
        const { package: entry, rendered } = compileContext(input);
        const { ceiling, used, classes } = entry.body.budget;
        const allowed = input.mayRaiseCeiling ? input.model.windowTokens : preambleCeiling(input.model);
        seen.set(entry.body.status, (seen.get(entry.body.status) ?? 0) + 1);
        expect(ceiling).toBeLessThanOrEqual(allowed);
        expect(ceiling).toBeLessThanOrEqual(input.ceilingTokens ?? allowed);
        expect(used).toBeLessThanOrEqual(ceiling);
        expect(Math.ceil(tokenBound(rendered) * input.model.tokenFactor)).toBeLessThanOrEqual(used);
        expect(Object.values(classes).reduce((sum, part) => sum + part.used, 0)).toBeLessThanOrEqual(used);
      }),
      { numRuns: runs(600) },
    );
    expect(seen.get('frozen')).toBeGreaterThan(0);
    expect(seen.get('no_context')).toBeGreaterThan(0);
  });

  it.each([
    ['English prose', englishLibrary, [countO200k, countCl100k]],
    ['another Latin-script language', latinLibrary, [countO200k, countCl100k]],
    ['hostile text', anyRetrieved, [countO200k, countCl100k]],
  ])('counts no less than the real tokenizers do, on %s', (_name, libraries, tokenizers) => {
    fc.assert(
      fc.property(libraries, (from) => {
        const { package: entry, rendered } = compileContext(compileInput(from));
        for (const count of tokenizers) {
          expect(count(rendered, { disallowedSpecial: new Set<string>() })).toBeLessThanOrEqual(entry.body.budget.used);
        }
      }),
      { numRuns: runs(100) },
    );
  });

  it('can fail: ten tokens less than were used do not hold the same items', () => {
    const from = retrieved([candidate(), candidate({ firstLine: 40, excerpt: 'Then open the drain, slowly.' })]);
    const full = compileContext(compileInput(from)).package.body;
    const less = compileContext(compileInput(from, { ceilingTokens: full.budget.used - 10 })).package.body;
    expect(full.items).toHaveLength(2);
    expect(less.items).toHaveLength(1);
    expect(less.excluded.map(({ reason }) => reason)).toEqual(['budget']);
  });

  it('counts an excerpt at the bound stored with it when that is the larger', () => {
    const body = compileContext(compileInput(retrieved([candidate({ tokens: 1_600 })]))).package.body;
    expect(body.status).toBe('no_context');
    expect(body.reason).toMatch(/none fits: the smallest needs 1\d{3} tokens, the budget is 1500/);
  });

  it('CTX-05 the ceiling is min(1500, 2 % of the window), lowered by anyone, raised only by who may', () => {
    const [generic] = MODEL_PROFILES;
    if (generic === undefined) throw new Error('no profile');
    expect(MODEL_PROFILES.map((model) => [model.name, preambleCeiling(model)])).toContainEqual(['local-8k', 163]);
    expect(preambleCeiling(generic)).toBe(1500);
    expect(contextCeiling(generic, { tokens: 400, mayRaise: false })).toBe(400);
    expect(contextCeiling(generic, { tokens: 20_000, mayRaise: false })).toBe(1500);
    expect(contextCeiling(generic, { tokens: 20_000, mayRaise: true })).toBe(20_000);
    expect(contextCeiling(generic, { tokens: 2_000_000, mayRaise: true })).toBe(128_000);
  });

  it('refuses a budget that is no number of tokens', () => {
    for (const ceilingTokens of [0, -5, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => compileContext(compileInput(retrieved([candidate()]), { ceilingTokens }))).toThrow(Fault);
    }
  });

  it('CTX-04 leaves what is not needed unused', () => {
    expect(compileContext(compileInput(retrieved([candidate()]))).package.body.budget.used).toBeLessThan(150);
  });
});

describe('RET-18 CTX-12 CTX-16 every candidate is accounted for', () => {
  it('is in, whole, or out with a reason of the closed list', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const { body } = compileContext(input).package;
        const offered = input.retrieved.candidates.map(({ artifact }) => artifact.id).sort();
        const accounted = [...body.items, ...body.excluded].map(({ artifact }) => artifact).sort();
        expect(accounted).toEqual(offered);
        for (const item of body.excluded) {
          expect(EXCLUSIONS).toContain(item.reason);
          expect(item.detail).not.toBe('');
        }
        for (const item of body.items) expect(item.reason).not.toBe('');
      }),
      { numRuns: runs(200) },
    );
  });

  it('keeps what retrieval excluded, in an order of its own', () => {
    const out = (reason: 'below-floor' | 'superseded', path: string) => ({
      artifact: `ka_${path}`,
      source: 'handbook',
      path,
      title: path,
      reason,
      detail: 'x',
    });
    const excluded = [out('superseded', 'b.md'), out('below-floor', 'c.md'), out('below-floor', 'a.md')];
    const body = compileContext(compileInput(retrieved([candidate()], { excluded }))).package.body;
    expect(body.excluded.map(({ path }) => path)).toEqual(['a.md', 'c.md', 'b.md']);
  });
});

describe('PIT-18 K-04 CTX-11 what enters, and in which order', () => {
  it('never holds superseded or expired text; overdue text enters, labelled', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const { body } = compileContext(input).package;
        const byId = new Map(input.retrieved.candidates.map((each) => [each.artifact.id, each]));
        for (const item of body.items)
          expect(
            isRetired(byId.get(item.artifact)?.page.meta ?? { tags: [], aliases: [], audience: [], related: [], other: {} }, TODAY),
          ).toBe(false);
        const retired = input.retrieved.candidates.filter(({ page }) => isRetired(page.meta, TODAY)).map(({ artifact }) => artifact.id);
        const named = body.excluded.filter(({ reason }) => reason === 'superseded' || reason === 'expired').map(({ artifact }) => artifact);
        expect(named.sort()).toEqual(retired.sort());
      }),
      { numRuns: runs(200) },
    );
    const claimed = { ...candidate(), labels: ['superseded'] as const };
    expect(compileContext(compileInput(retrieved([claimed]))).package.body.excluded).toMatchObject([{ reason: 'superseded' }]);
    const overdue = candidate({ meta: { verifiedAt: '2025-01-02' as typeof TODAY, reviewBy: '2026-01-02' as typeof TODAY } });
    const { package: entry, rendered } = compileContext(compileInput(retrieved([overdue])));
    expect(entry.body.items[0]?.labels).toEqual(['overdue']);
    expect(rendered).toContain('verified 2025-01-02, overdue since 2026-01-02');
  });

  it('orders by class, then rank; rank 1 is at position 0 of its class whenever it fits', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const { body } = compileContext(input).package;
        const rank = new Map(input.retrieved.candidates.map(({ artifact }, at) => [artifact.id, at]));
        const order = body.items.map((item) => CONTEXT_CLASSES.indexOf(item.class) * 1_000 + (rank.get(item.artifact) ?? -1));
        expect(order).toEqual([...order].sort((a, b) => a - b));
        expect(body.items.map(({ position }) => position)).toEqual(body.items.map((_, at) => at));
        const usable = input.retrieved.candidates.filter(
          ({ artifact }) => !body.excluded.some((out) => out.artifact === artifact.id && out.reason !== 'budget'),
        );
        const best = usable[0];
        const alone = best === undefined ? undefined : compileContext({ ...input, retrieved: retrieved([best]) }).package.body;
        if (best === undefined || alone?.status !== 'frozen') return;
        const first = body.items.find((item) => item.class === alone.items[0]?.class);
        expect(first?.artifact).toBe(best.artifact.id);
      }),
      { numRuns: runs(200) },
    );
  });

  it('tries the next ones when one does not fit', () => {
    const long = candidate({ path: 'long.md', excerpt: 'valve and gate '.repeat(900) });
    const body = compileContext(compileInput(retrieved([long, candidate()]))).package.body;
    expect(body.items.map(({ path }) => path)).toEqual(['guides/pumps.md']);
    expect(body.excluded).toMatchObject([{ path: 'long.md', reason: 'budget' }]);
    expect(body.excluded[0]?.detail).toMatch(/^needs \d+ tokens, \d+ of 1500 left$/);
  });

  it('does not let governing text push out the best match', () => {
    const words = (n: number) => 'the valve of the gate '.repeat(n);
    const governing = [1, 2, 3, 4].map((n) =>
      candidate({ path: `rule-${n}.md`, authorityClass: 'governing', excerpt: `${n} ${words(50)}` }),
    );
    const best = candidate({ path: 'best.md', excerpt: words(160) });
    const body = compileContext(compileInput(retrieved([best, ...governing]))).package.body;
    expect(body.items.map(({ path }) => path)).toContain('best.md');
    expect(body.items[0]?.class).toBe('governing');
    expect(body.excluded.some(({ detail }) => detail.includes("governing text's"))).toBe(true);
    expect(Object.keys(body.budget.classes)).toEqual(['frame', ...CONTEXT_CLASSES]);
  });
});

describe('PIT-17 INJ-02 no context', () => {
  it('below the floor: zero items, one line, and what was found is recorded', () => {
    const reason = 'no page holds enough of the question';
    const { package: entry, rendered } = compileContext(compileInput(retrieved([candidate()], { noContext: true, reason })));
    expect(entry.body.status).toBe('no_context');
    expect(entry.body.items).toEqual([]);
    expect(entry.body.excluded.map((item) => item.reason)).toEqual(['below-floor']);
    expect(rendered).toBe(`Colophon: no_context (${reason})`);
  });

  it('says so too when nothing was found, nothing fits, or all is retired', () => {
    const line = (input: CompileInput) => compileContext(input).rendered;
    expect(line(compileInput(retrieved([])))).toBe('Colophon: no_context (nothing in the library matches the question)');
    expect(line(compileInput(retrieved([candidate()]), { ceilingTokens: 60 }))).toMatch(
      /^Colophon: no_context \(passages match, but none fits/,
    );
    const old = candidate({ meta: { supersededBy: 'new.md' } });
    expect(line(compileInput(retrieved([old])))).toBe('Colophon: no_context (every matching passage is superseded, expired or damaged)');
    expect(line(compileInput(retrieved([]), { ceilingTokens: 3 }))).toBe('');
  });

  it('keeps the one line under a small ceiling by cutting the reason, visibly', () => {
    const { package: entry, rendered } = compileContext(
      compileInput(retrieved([], { noContext: true, reason: '液压 '.repeat(90) }), { ceilingTokens: 60 }),
    );
    expect(rendered).toMatch(/^Colophon: no_context \(液压 .*…\)$/);
    expect(entry.body.budget.used).toBeLessThanOrEqual(60);
  });
});

describe('CTX-02 required clauses', () => {
  const required = [{ source: 'handbook', path: 'rules.md' }];
  const policy = { ...DEFAULT_CONTEXT_POLICY, required };
  const rule = candidate({ path: 'rules.md', authorityClass: 'governing', excerpt: 'Two people sign.' });

  it('come first, before better matches', () => {
    const { package: entry, rendered } = compileContext(compileInput(retrieved([candidate(), rule]), { policy }));
    expect(entry.body.status).toBe('frozen');
    expect(readPreamble(rendered).items[0]?.path).toBe('rules.md');
  });

  it.each([
    ['missing', [candidate()], {}],
    ['does not fit', [candidate({ path: 'rules.md', excerpt: 'valve '.repeat(3_000) }), candidate()], {}],
    ['is overdue', [candidate({ path: 'rules.md', meta: { reviewBy: '2026-01-01' as typeof TODAY } })], {}],
  ])('block the package when one %s', (_name, candidates, more) => {
    const { package: entry, rendered } = compileContext(compileInput(retrieved(candidates), { policy, ...more }));
    expect(entry.body.status).toBe('blocked');
    expect(entry.body.items).toEqual([]);
    expect(entry.body.taint).toBe(false);
    expect(entry.body.excluded).toHaveLength(candidates.length);
    expect(rendered).toMatch(/^Colophon: blocked \(required clause handbook rules\.md /);
  });
});

describe('fails closed', () => {
  it('makes no package of text outside the eligible set', () => {
    const stranger = retrieved([candidate()], { eligible: retrieved([]).eligible });
    expect(() => compileContext(compileInput(stranger))).toThrow(/without being eligible/);
  });

  it('T4.6 leaves out text whose digest does not hold', () => {
    const good = candidate();
    const bad = { ...good, artifact: { ...good.artifact, id: 'ka_bad', excerpt: `${good.artifact.excerpt}!` } };
    const body = compileContext(compileInput(retrieved([bad, good]))).package.body;
    expect(body.items).toHaveLength(1);
    expect(body.excluded).toMatchObject([{ artifact: 'ka_bad', reason: 'damaged' }]);
  });
});
