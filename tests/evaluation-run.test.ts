/** eval run on small sets of our own: the whole pipeline, twice, with the companions of a set. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { paste, rankFiles, searchedFile, searchWords } from '../bench/ripgrep-and-truncate.js';
import { type EvalAnswer, evalRun, evaluateFolder } from '../src/app/operations/eval-run.js';

const base = mkdtempSync(join(tmpdir(), 'colophon-evaluation-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface SetFiles {
  readonly corpus: readonly object[];
  readonly queries: readonly object[];
  readonly qrels: string;
  readonly companions?: Readonly<Record<string, string>>;
}

function writeSet(name: string, { corpus, queries, qrels, companions = {} }: SetFiles): string {
  const folder = join(base, name);
  mkdirSync(join(folder, 'qrels'), { recursive: true });
  const lines = (objects: readonly object[]) => objects.map((object) => `${JSON.stringify(object)}\n`).join('');
  writeFileSync(join(folder, 'corpus.jsonl'), lines(corpus));
  writeFileSync(join(folder, 'queries.jsonl'), lines(queries));
  writeFileSync(join(folder, 'qrels', 'test.tsv'), `query-id\tcorpus-id\tscore\n${qrels}`);
  for (const [file, text] of Object.entries(companions)) writeFileSync(join(folder, file), text);
  return folder;
}

function run(folder: string, more: object = {}): Promise<EvalAnswer> {
  return evaluateFolder(evalRun.input.parse({ beir: folder, ...more }), {
    signal: new AbortController().signal,
    progress: () => undefined,
  });
}

const page = (_id: string, text: string) => ({ _id, title: _id, text });

const TREE: SetFiles = {
  corpus: [
    page('guides/kiln.md', '---\ntitle: Kiln\n---\n# Kiln\n\nThe kiln is cooled by a finger an hour.\n'),
    page('guides/[glaze].md', '# Glaze\n\nThe glaze needs ash. The kiln is cooled slowly. Kiln, kiln, kiln.\n'),
    page('archive/kiln.md', '# Kiln of old\n\nThe kiln was cooled with water. The kiln is cooled no more.\n'),
    page('clay.md', '# Clay\n\nClay is dug in autumn and wintered outside.\n'),
  ],
  queries: [
    { _id: 'q1', text: 'how is the kiln cooled' },
    { _id: 'q2', text: 'when is clay dug' },
    { _id: 'q3', text: 'zyxomma quorvil' },
  ],
  qrels: 'q1\tguides/kiln.md\t1\nq2\tclay.md\t2\nq3\tclay.md\t0\n',
  companions: {
    'ignore.tsv': 'query-id\tcorpus-id\nq1\tguides/[glaze].md\n',
    'doc_meta.tsv': 'path\tarchived\nguides/kiln.md\t0\nguides/[glaze].md\t0\narchive/kiln.md\t1\nclay.md\t0\n',
  },
};

describe('eval run on a tree', () => {
  const folder = writeSet('tree', TREE);

  it('ranks and delivers, leaves ignored pages out, and scores silence', async () => {
    const file = join(base, 'tree.run');
    const answer = await run(folder, { run: file });
    expect(answer.corpus).toMatchObject({ shape: 'tree', pages: 4, indexed: 4 });
    const [kiln, clay, nothing] = answer.perQuery;
    expect(kiln?.top).not.toContain('guides/[glaze].md');
    expect(kiln?.top).toContain('guides/kiln.md');
    expect(kiln?.retrieval['stale@5']).toBe(1);
    expect(clay).toMatchObject({ goldRank: 1, retrieval: { 'nDCG@10': 1, 'P@1': 1 }, delivered: { goldInPackage: 1, goldFirst: 1 } });
    expect(nothing?.retrieval).toEqual({});
    expect(nothing?.delivered).toMatchObject({ abstainedRightly: 1, items: 0 });
    expect(answer.retrieval.counts['nDCG@10']).toBe(2);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(lines.find((line) => line.startsWith('q2 '))).toMatch(/^q2 Q0 clay\.md 1 \d+ colophon$/);
    expect(evalRun.output.parse(answer)).toEqual(answer);
  });

  it('EVL-02: two runs are the same but for their times, cached or not', async () => {
    const cache = join(base, 'cache');
    const answers = [await run(folder), await run(folder, { cache }), await run(folder, { cache })];
    const canonical = answers.map(({ latencyMs: _, ...rest }) => JSON.stringify(rest));
    expect(new Set(canonical).size).toBe(1);
  });

  it('published path rules reach the pages and the report, and nothing else can be set', async () => {
    const config = join(base, 'rules.yaml');
    writeFileSync(config, "paths:\n  - glob: 'archive/**'\n    status: legacy\n");
    const answer = await run(folder, { config });
    expect(answer.configuration).toEqual({ paths: [{ glob: 'archive/**', status: 'legacy' }] });
    expect(answer.perQuery[0]?.top.indexOf('guides/kiln.md')).toBeLessThan(answer.perQuery[0]?.top.indexOf('archive/kiln.md') ?? 0);
    writeFileSync(config, 'boost: 3\n');
    await expect(run(folder, { config })).rejects.toMatchObject({ code: 'config/invalid' });
  });

  it('EVL-16: with the judgements of another question the figures fall', async () => {
    const wrong = writeSet('wrong', { ...TREE, qrels: 'q1\tclay.md\t1\nq2\tguides/kiln.md\t1\n' });
    const right = await run(folder);
    const answer = await run(wrong);
    expect(answer.retrieval.metrics['nDCG@10']).toBeLessThan(right.retrieval.metrics['nDCG@10'] ?? 0);
    expect(answer.retrieval.metrics['P@1']).toBe(0);
    expect(answer.delivered.metrics['goldInPackage']).toBeLessThan(right.delivered.metrics['goldInPackage'] ?? 0);
  });

  it('names a missing file and a bad day', async () => {
    await expect(run(folder, { split: 'dev' })).rejects.toMatchObject({
      code: 'input/invalid',
      message: expect.stringContaining('qrels/dev.tsv'),
    });
    await expect(run(folder, { asOf: '2026-02-30' })).rejects.toMatchObject({ code: 'input/invalid' });
  });
});

describe('eval run on records', () => {
  it('gives pages paths and titles of their own and reports them under their ids', async () => {
    const folder = writeSet('records', {
      corpus: [
        { _id: '17', title: 'Tidal range: a study', text: 'Water levels were measured at nine stations.' },
        { _id: 'https://host.example/a#b', title: '', text: 'Barnacles settle on hulls in spring.' },
        { _id: '99', title: 'Unrelated', text: 'Bread is baked at night.' },
      ],
      queries: [
        { _id: 'a', text: 'tidal range' },
        { _id: 'b', text: 'barnacles on hulls' },
      ],
      qrels: 'a\t17\t1\nb\thttps://host.example/a#b\t1\n',
    });
    const answer = await run(folder);
    expect(answer.corpus).toMatchObject({ shape: 'records', pages: 3, indexed: 3 });
    expect(answer.perQuery.map(({ top }) => top[0])).toEqual(['17', 'https://host.example/a#b']);
    expect(answer.retrieval.metrics['nDCG@10']).toBe(1);
    expect(answer.retrieval.metrics['stale@5']).toBeUndefined();
  });

  it('asks deep enough when single pages have more passages than a first look holds', async () => {
    const long = Array.from({ length: 500 }, (_, index) => `## Part ${index}\n\nThe heron stood at post ${index} by the weir.\n`).join(
      '\n',
    );
    const corpus = [
      page('long.md', long),
      ...Array.from({ length: 120 }, (_, index) => page(`p${index}.md`, `# Page ${index}\n\nA heron.\n`)),
    ];
    const folder = writeSet('deep', { corpus, queries: [{ _id: 'q', text: 'heron' }], qrels: 'q\tlong.md\t1\n' });
    const file = join(base, 'deep.run');
    await run(folder, { run: file });
    expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(100);
  });
});

describe('the ripgrep-and-truncate baseline', () => {
  const files = [
    searchedFile('a.md', 'one\nkiln kiln kiln\nthree'),
    searchedFile('b.md', 'The kiln is cooled.\n\n\n\n\n\n\nCooled twice.'),
    searchedFile('c.md', 'nothing'),
  ];
  it('ranks by different words, then by matches, without the absent', () => {
    const words = searchWords('How is the kiln cooled?');
    expect(words).toEqual(['kiln', 'cooled']);
    expect(rankFiles(files, words, new Set()).map(({ path }) => path)).toEqual(['b.md', 'a.md']);
    expect(rankFiles(files, words, new Set(['b.md'])).map(({ path }) => path)).toEqual(['a.md']);
  });
  it('pastes until the budget is used up', () => {
    const words = ['kiln', 'cooled'];
    const ranked = rankFiles(files, words, new Set());
    const whole = paste(ranked, words, { budgetTokens: 1500, windowsPerFile: undefined });
    expect(whole.read.map(({ page }) => page)).toEqual(['b.md', 'a.md']);
    expect(whole.read.at(-1)?.upTo).toBeLessThan(whole.tokens + 1);
    const small = paste(ranked, words, { budgetTokens: 15, windowsPerFile: 1 });
    expect(small.read.map(({ page }) => page)).toEqual(['b.md']);
    expect(small.tokens).toBeLessThanOrEqual(15);
  });
});
