/** eval label on a small tree of our own: git history, links, old names, code; then the set is measured, varied and calibrated. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createColors } from 'picocolors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/app/configuration/config.js';
import { openContainer } from '../../src/app/container.js';
import { readBeirFolder, readSetConfiguration } from '../../src/app/evaluation/beir-folder.js';
import { resolveAsk } from '../../src/app/identity.js';
import { learn } from '../../src/app/learning/learn.js';
import { ablate, evalAblate } from '../../src/app/operations/eval-ablate.js';
import { calibrate, evalCalibrate } from '../../src/app/operations/eval-calibrate.js';
import { evalLabel, type LabelAnswer } from '../../src/app/operations/eval-label.js';
import { evalRun, evaluateFolder } from '../../src/app/operations/eval-run.js';
import { renderAblation, renderCalibration } from '../../src/interfaces/cli/render-tuning.js';

const base = mkdtempSync(join(tmpdir(), 'colophon-label-'));
const tree = join(base, 'tree');
const out = join(base, 'set');
const TOPICS = ['anchor', 'ballast', 'compass', 'dredger', 'ensign', 'fender', 'gangway', 'hawser', 'inlet', 'jetty', 'keel', 'lantern'];
const surroundings = { signal: new AbortController().signal, progress: () => undefined };

function write(path: string, text: string): void {
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  writeFileSync(join(tree, path), text);
}

function git(...args: string[]): void {
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...who, ...args], { cwd: tree, stdio: 'ignore' });
}

beforeAll(() => {
  mkdirSync(tree, { recursive: true });
  git('init', '-q');
  write(
    'colophon.yaml',
    'version: 1\nprofile: personal\nvocabulary: names.yaml\nsources:\n  - id: ship\n    location: { path: docs, connector: directory }\n    rules:\n      - { glob: "old/**", status: legacy }\n',
  );
  write('names.yaml', 'version: 1\nconcepts:\n  - { id: keel, prefLabel: keel, altLabels: [backbone of the hull] }\n');
  for (const [at, topic] of TOPICS.entries()) {
    const next = TOPICS[(at + 1) % TOPICS.length] ?? '';
    write(
      `docs/${topic}.md`,
      `---\naliases: [${topic} handling drill]\n---\n# ${topic}\n\nThe ${topic} is checked weekly by the bosun.\n\n## How is the ${topic} stowed?\n\nUnder the deck, dry.\n\n- [next one](${next}.md): what the ${next} needs before leaving port\n`,
    );
    git('add', '-A');
    git('commit', '-q', '-m', `docs(${topic}): describe weekly checks of each ${topic} on board`);
  }
  write('docs/old/rope.md', '# Rope\n\nRope of hemp was tarred by hand.\n');
  write('src/stow.ts', "export const stow = () => { throw new Error('the hold is flooded already'); };\n");
  write(
    'docs/keel.md',
    `${readFileSync(join(tree, 'docs/keel.md'), 'utf8')}\nWhen it says \`the hold is flooded already\`, start the pumps.\n`,
  );
  git('add', '-A');
  git('commit', '-q', '-m', 'fix typos');
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

async function label(request: object): Promise<LabelAnswer> {
  const library = await openContainer(await resolveConfig({ root: tree, env: { COLOPHON_HOME: join(base, 'home') }, cwd: tree }));
  try {
    await learn(library);
    const ask = resolveAsk(library.config, {}, { workload: 'workload://colophon/cli', defaultClient: 'terminal' }, library.clock.now());
    return await evalLabel.run(evalLabel.input.parse({ out, ...request }), { library, ask, ...surroundings });
  } finally {
    await library.close();
  }
}

describe('eval label', () => {
  it('finds questions in links, history, headings, old names and code, and shows a sample of each', async () => {
    const answer = await label({ show: 10 });
    expect(answer.kinds).toMatchObject({ link: expect.any(Number), commit: 12, heading: 12, alias: 12, error: 1 });
    expect(answer.kinds.link).toBeGreaterThanOrEqual(12);
    expect(answer.questions).toBe(answer.dev + answer.test);
    expect(new Set(answer.samples.map(({ kind }) => kind))).toEqual(new Set(['link', 'commit', 'heading', 'alias', 'error']));
    expect(answer.judged).toEqual({ accepted: 0, rejected: 0, precision: null, ci95: null });
    expect(evalLabel.output.parse(answer)).toEqual(answer);
  });

  it('writes a set that reads back, with the pages a question came from absent, and the rules of the sources', async () => {
    const dev = await readBeirFolder(out, 'dev');
    const test = await readBeirFolder(out, 'test');
    expect(dev.corpus).toHaveLength(13);
    const pages = (set: typeof dev) => new Set([...set.judgements.values()].flatMap((grades) => [...grades.keys()]));
    expect([...pages(dev)].filter((page) => pages(test).has(page))).toEqual([]);
    const linked = [...dev.queries, ...test.queries].find(({ text }) => text.startsWith('what the keel needs'));
    expect([...dev.ignored, ...test.ignored].find(([id]) => id === linked?.id)?.[1]).toEqual(new Set(['jetty.md']));
    expect(linked?.class).toBe('link');
    expect(await readSetConfiguration(out, undefined)).toEqual({ paths: [{ glob: 'old/**', status: 'legacy' }] });
    expect(readFileSync(join(out, '.colophonignore'), 'utf8')).toMatch(/^\*$/m);
  });

  it('EVL-02: labels the same tree the same way', async () => {
    const files = ['queries.jsonl', 'corpus.jsonl', 'qrels/dev.tsv', 'qrels/test.tsv', 'ignore.tsv'];
    const before = files.map((file) => readFileSync(join(out, file), 'utf8'));
    await label({});
    expect(files.map((file) => readFileSync(join(out, file), 'utf8'))).toEqual(before);
  });

  it('keeps what a person said, and what was rejected out', async () => {
    const { samples, questions } = await label({ show: 4 });
    const [first, second, third] = samples;
    const judged = await label({ accept: [first?.id, second?.id], reject: [third?.id], show: 50 });
    expect(judged.questions).toBe(questions - 1);
    expect(judged.dropped['a person rejected them']).toBe(1);
    expect(judged.judged).toMatchObject({ accepted: 2, rejected: 1, precision: 2 / 3 });
    const again = await label({ show: 500 });
    expect(again.judged).toMatchObject({ accepted: 2, rejected: 1 });
    for (const seen of [first, second, third]) expect(again.samples.map(({ id }) => id)).not.toContain(seen?.id);
  });
});

describe('the set that label made', () => {
  const page = { colors: createColors(false), width: 100 };

  it('is measured by kind of question', async () => {
    const report = await evaluateFolder(evalRun.input.parse({ beir: out, split: 'dev' }), surroundings);
    expect(Object.keys(report.groups['class'] ?? {})).toContain('link');
    expect(report.retrieval.metrics['nDCG@10']).toBeGreaterThan(0.3);
  });

  it('EVL-11: every stage is tried; the delta file holds what it is worth, and nothing is proposed without a clear gain', async () => {
    const delta = join(base, 'delta.json');
    const run = () => ablate(evalAblate.input.parse({ beir: out, out: delta, limitQueries: 12 }), surroundings);
    const answer = await run();
    const { cpuRatios, ...canonical } = answer;
    expect(cpuRatios).toHaveLength(answer.trials.length);
    expect(answer.trials.length).toBeGreaterThan(45);
    // The set brought the names of the library along.
    expect(answer.trials.map(({ stage }) => stage)).toEqual(expect.arrayContaining(['other names', 'narrower names', 'misspelt names']));
    for (const { setting, to } of answer.proposed) {
      const trial = answer.trials.find((each) => each.setting === setting && each.to === to);
      expect(trial?.dev.ci95.low).toBeGreaterThan(0);
      expect(trial?.heldOut?.mean).toBeGreaterThan(0);
    }
    const written = JSON.parse(readFileSync(delta, 'utf8')) as Record<string, unknown>;
    expect(written).toMatchObject({
      schema: 'colophon/policy-delta@1',
      questionsDigest: answer.questionsDigest,
      trials: JSON.parse(JSON.stringify(answer.trials)),
    });
    const { cpuRatios: _, ...again } = await run();
    expect(JSON.stringify(again)).toBe(JSON.stringify(canonical));
    const text = renderAblation(answer, page, { out: delta, all: true });
    expect(text).toMatch(/Every stage, without it and with other values/);
    const short = renderAblation(answer, page, { out: delta, all: false });
    for (const { stage } of answer.trials) for (const each of [text, short]) expect(each).toContain(stage);
    expect(short.split('\n').length).toBeLessThan(text.split('\n').length);
  });

  it('EVL-13: the floor is calibrated on one part of the pages and told on the other', async () => {
    const request = evalCalibrate.input.parse({ beir: out });
    const answer = await calibrate(request, surroundings);
    expect(answer.questions.chosenOn).toBeGreaterThan(10);
    expect(answer.questions.reportedOn).toBeGreaterThan(10);
    expect(answer.auc[0]).toMatchObject({ signal: 'strength of the best passage' });
    expect(answer.auc[0]?.foreign).toBeGreaterThan(0.8);
    expect(answer.current.delivered.silentForeign).toBeGreaterThan(0.8);
    expect(answer.curve[0]).toMatchObject({ factor: 0, lost: 0, silentHard: 0 });
    const lost = answer.curve.map((point) => point.lost);
    expect([...lost].sort((a, b) => a - b)).toEqual(lost);
    expect(await calibrate(request, surroundings)).toEqual(answer);
    expect(renderCalibration(answer, page)).toMatch(/strength of the best passage .*the floor stands on this/);
  });
});
