/**
 * The golden set: our own questions over our own documents and the handbook, measured on every test run and held by a ratchet.
 *
 * When a figure got better, or questions were added:
 * `colophon eval run --golden contracts/golden --json > report.json && colophon eval compare contracts/baselines/golden.json report.json --tighten`
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveConfig } from '../src/app/configuration/config.js';
import { openContainer } from '../src/app/container.js';
import { openLabelledSet } from '../src/app/evaluation/set.js';
import { measureUnder } from '../src/app/evaluation/trials.js';
import { resolveAsk } from '../src/app/identity.js';
import { learn } from '../src/app/learning/learn.js';
import { compareReports, readExceptions, today } from '../src/app/operations/eval-compare.js';
import { type EvalAnswer, evalRun, evaluateFolder } from '../src/app/operations/eval-run.js';
import { search } from '../src/app/operations/search.js';
import { measuredOf } from '../src/evaluation/baseline-of.js';
import { mean } from '../src/evaluation/bootstrap.js';
import { QUESTION_CLASSES } from '../src/evaluation/question.js';
import { baselineFile, checkLoosening, checkRatchet, holds } from '../src/evaluation/ratchet.js';
import { written } from '../src/evaluation/variants.js';

const GOLDEN = 'contracts/golden';
const BASELINE = 'contracts/baselines/golden.json';
const EXCEPTIONS = 'contracts/baselines/exceptions.json';
const base = mkdtempSync(join(tmpdir(), 'colophon-golden-test-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const measure = (golden: string, more: object = {}) =>
  evaluateFolder(evalRun.input.parse({ golden, ...more }), { signal: new AbortController().signal, progress: () => undefined });
const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

let report: EvalAnswer;
beforeAll(async () => {
  report = await measure(GOLDEN);
});

describe('the golden set', () => {
  it('EVL-06: has at least sixty questions, of every class, on both sides of the split', () => {
    expect(report.queries).toBeGreaterThanOrEqual(60);
    expect(Object.keys(report.groups['class'] ?? {}).sort()).toEqual([...QUESTION_CLASSES].sort());
    for (const group of Object.values(report.groups['class'] ?? {})) expect(group.questions).toBeGreaterThanOrEqual(5);
    expect(report.groups['split']?.['held-out']?.questions).toBeGreaterThanOrEqual(20);
    expect(report.groups['split']?.['dev']?.questions).toBeGreaterThanOrEqual(20);
  });

  it('EVL-05: is answered no worse than its baseline, but for exceptions that say until when', async () => {
    const findings = checkRatchet(baselineFile.parse(read(BASELINE)), measuredOf(report), await readExceptions(EXCEPTIONS), today());
    expect(findings.filter((each) => !holds([each])).map(({ sentence }) => sentence)).toEqual([]);
  });

  it('GAT-05: the ratchet is red for a ranking that is worse', async () => {
    const halved = Object.fromEntries(
      Object.entries(report.groups['split'] ?? {}).map(([split, each]) => {
        const metrics = { ...each.retrieval.metrics, 'nDCG@10': (each.retrieval.metrics['nDCG@10'] ?? 0) / 2 };
        return [split, { ...each, retrieval: { ...each.retrieval, metrics } }];
      }),
    );
    const worse = measuredOf({ ...report, groups: { ...report.groups, split: halved } });
    const findings = checkRatchet(baselineFile.parse(read(BASELINE)), worse, await readExceptions(EXCEPTIONS), today());
    expect(findings.filter((each) => !holds([each])).map(({ measure: name }) => name)).toEqual([
      'dev.retrieval.nDCG@10',
      'held-out.retrieval.nDCG@10',
    ]);
  });

  it('GAT-03: no earlier state of the baseline was stricter, exceptions apart', async (context) => {
    const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    let commits: string[];
    try {
      commits = git('log', '--format=%H', '--', BASELINE)
        .split('\n')
        .filter((line) => line !== '');
    } catch {
      return context.skip('not a git checkout: there is no history to compare with');
    }
    const earlier = commits.map((commit) => baselineFile.parse(JSON.parse(git('show', `${commit}:${BASELINE}`))));
    const findings = checkLoosening(baselineFile.parse(read(BASELINE)), earlier, await readExceptions(EXCEPTIONS), today());
    expect(findings.map(({ sentence }) => sentence)).toEqual([]);
  });

  it('EVL-12: every answer that was not delivered has a reason, and no other', () => {
    const lost = report.perQuery.filter(({ delivered }) => delivered['goldInPackage'] === 0 || delivered['answerInPackage'] === 0);
    expect(report.perQuery.filter(({ miss }) => miss !== undefined).map(({ query }) => query)).toEqual(lost.map(({ query }) => query));
    expect(Object.values(report.misses).reduce((sum, count) => sum + count, 0)).toBe(lost.length);
  });

  it('EVL-02: two runs are the same bytes, latency apart', async () => {
    const { latencyMs: _, ...again } = await measure(GOLDEN);
    const { latencyMs: __, ...first } = report;
    expect(JSON.stringify(again)).toBe(JSON.stringify(first));
  });

  it('EVL-16: rankers that are worse on purpose score worse', async () => {
    const surroundings = { signal: new AbortController().signal, progress: () => undefined };
    const set = await openLabelledSet({ golden: GOLDEN }, surroundings);
    try {
      const under = async (changes: Record<string, unknown>) => {
        const policy = written(set.library.config.ranking, changes);
        const { figures } = await measureUnder(set, set.questions, 'ranking', { policy }, surroundings.signal);
        return mean([...figures.values()]);
      };
      const asItIs = await under({});
      expect(asItIs).toBeCloseTo(report.retrieval.metrics['nDCG@10'] ?? 0, 4);
      // Words of the body count for nothing; small words count as much as the others and the page is all that counts.
      for (const changes of [{ 'bm25f.boost.body': 0 }, { stopWordWeight: 5, pageWeight: 20 }])
        expect(await under(changes)).toBeLessThan(asItIs - 0.05);
    } finally {
      await set.close();
    }
  });

  it('a run holds against itself, question by question', async () => {
    const file = join(base, 'report.json');
    writeFileSync(file, JSON.stringify(report));
    const compared = await compareReports({ before: file, after: file, tighten: false });
    expect(compared).toMatchObject({ against: 'run', holds: true, shared: report.queries, lost: [], misses: [] });
  });
});

describe('a golden set of one’s own', () => {
  const own = (name: string, question: object, page: string) => {
    const folder = join(base, name);
    mkdirSync(join(folder, 'pages'), { recursive: true });
    writeFileSync(join(folder, 'pages', 'kiln.md'), page);
    writeFileSync(
      join(folder, 'set.json'),
      JSON.stringify({ schema: 'colophon/golden@1', name, asOf: '2026-11-30', library: 'pages', canary: 'x'.repeat(20), heldOut: [] }),
    );
    writeFileSync(
      join(folder, 'questions.jsonl'),
      `${JSON.stringify({ id: 'a', class: 'conceptual', question: 'how is the kiln cooled', split: 'dev', ...question })}\n`,
    );
    return folder;
  };
  const label = { labels: [{ page: 'docs:kiln.md', span: 'cooled by a finger an hour' }] };

  it('K-30: labels are words on a page, found in whatever passages there are', async () => {
    const { perQuery } = await measure(own('found', label, '# Kiln\n\nThe kiln is cooled\nby a finger an hour.\n'));
    expect(perQuery[0]).toMatchObject({ goldRank: 1, retrieval: { 'passage@5': 1 }, delivered: { answerInPackage: 1, citationExact: 1 } });
  });

  it.each([
    ['words that are gone', 'gone', '# Kiln\n\nThe kiln is cooled with water.\n', label, /its words are not on docs:kiln\.md any more/],
    [
      'a page that is gone',
      'moved',
      '# Kiln\n',
      { labels: [{ page: 'docs:oven.md', span: 'x' }] },
      /the library has no page docs:oven\.md/,
    ],
  ])('K-30: %s are an error with file and line', async (_, name, text, question, message) => {
    const folder = own(name, question, text);
    await expect(measure(folder)).rejects.toMatchObject({ code: 'evaluation/label-lost', message: expect.stringMatching(message) });
    await expect(measure(folder)).rejects.toThrow(/questions\.jsonl:1: label 1/);
  });
});

describe('eval roots (EVL-04, PIT-25)', () => {
  const { canary } = read(`${GOLDEN}/set.json`) as { readonly canary: string };

  /** An index of a checkout that tries to let the set in by name. */
  async function found(name: string, prepare: (set: string) => void, query: string) {
    const root = join(base, name);
    const set = join(root, 'contracts/golden');
    cpSync(GOLDEN, set, { recursive: true });
    writeFileSync(join(set, 'planted.md'), `# Planted\n\n${canary}\n`);
    writeFileSync(join(root, 'seen.md'), '# Seen\n\nA page beside the set.\n');
    prepare(set);
    const location = { path: '.', connector: 'directory', include: ['**', 'contracts/golden/**', '**/*.jsonl', '**/*.json'] };
    writeFileSync(join(root, 'colophon.yaml'), JSON.stringify({ version: 1, profile: 'personal', sources: [{ id: 'all', location }] }));
    const library = await openContainer(await resolveConfig({ root, env: { COLOPHON_HOME: join(base, `${name}-home`) }, cwd: root }));
    try {
      await learn(library);
      const ask = resolveAsk(library.config, {}, { workload: 'workload://colophon/cli', defaultClient: 'terminal' }, library.clock.now());
      const call = { library, ask, signal: new AbortController().signal, progress: () => undefined };
      return (await search.run(search.input.parse({ query, limit: 50 }), call)).hits.map(({ path }) => path);
    } finally {
      await library.close();
    }
  }
  const asIs = () => undefined;

  it('cannot be reached by an index of the whole checkout, even by name, and the canary is in none', async () => {
    expect(await found('beside', asIs, 'page beside the set')).toEqual(['seen.md']);
    expect(await found('canary', asIs, canary)).toEqual([]);
  });

  it('GAT-05: a set without its ignore file is found at once', async () => {
    const open = (set: string) => rmSync(join(set, '.colophonignore'));
    expect(await found('open', open, canary)).toEqual(expect.arrayContaining(['contracts/golden/planted.md', 'contracts/golden/set.json']));
  });
});
