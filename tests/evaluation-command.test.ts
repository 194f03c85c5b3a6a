/** The verbs of `eval` as they are typed: what they print, where, and what they exit with. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram } from '../src/interfaces/cli/program.js';

const base = mkdtempSync(join(tmpdir(), 'colophon-eval-command-'));
const set = join(base, 'set');
const docs = join(base, 'docs');
afterAll(() => rmSync(base, { recursive: true, force: true }));

const at = (name: string) => join(base, name);

async function type(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { out: '', err: '' };
  const stream = (to: 'out' | 'err') => ({
    write: (text: string) => {
      said[to] += text;
      return true;
    },
    on: () => undefined,
    isTTY: false,
  });
  const host = {
    stdout: stream('out'),
    stderr: stream('err'),
    env: { PATH: process.env['PATH'], HOME: base, COLOPHON_HOME: join(base, 'home') },
    cwd: () => base,
    on: () => undefined,
    exit: () => undefined,
  };
  const code = await runProgram(argv, host as unknown as Parameters<typeof runProgram>[1]);
  return { code, ...said };
}

const pages = ['anchor', 'ballast', 'compass', 'dredger', 'ensign', 'fender'];

beforeAll(() => {
  mkdirSync(join(set, 'qrels'), { recursive: true });
  mkdirSync(docs);
  const lines = (values: readonly object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');
  const text = (name: string) =>
    `# ${name}\n\nThe ${name} is checked weekly.\n\nSee [next](${pages[(pages.indexOf(name) + 1) % 6]}.md) for more information about stowing the ${pages[(pages.indexOf(name) + 1) % 6]} well.\n`;
  writeFileSync(join(set, 'corpus.jsonl'), lines(pages.map((name) => ({ _id: `${name}.md`, title: name, text: text(name) }))));
  writeFileSync(join(set, 'queries.jsonl'), lines(pages.map((name) => ({ _id: name, text: `when is the ${name} checked` }))));
  writeFileSync(join(set, 'qrels', 'test.tsv'), pages.map((name) => `${name}\t${name}.md\t1\n`).join(''));
  for (const name of pages) writeFileSync(join(docs, `${name}.md`), text(name));
});

describe('eval, as it is typed', () => {
  it('run: a report for people, or as JSON that compare reads', async () => {
    const shown = await type('eval', 'run', '--beir', set);
    expect(shown).toMatchObject({ code: 0 });
    expect(shown.out).toMatch(/nDCG@10 +1\.000/);
    const json = await type('eval', 'run', '--beir', set, '--json', '--quiet');
    writeFileSync(join(base, 'good.json'), json.out);
    expect(JSON.parse(json.out)).toMatchObject({ schema: 'colophon/eval-run@1', queries: 6 });
  });

  it('SEM-07 run: a set that brings a vocabulary along is asked with it, and the report says which', async () => {
    const named = join(base, 'named');
    cpSync(set, named, { recursive: true });
    const asked = pages.map((name) => ({ _id: name, text: `when is the ${name === 'anchor' ? 'killick' : name} checked` }));
    writeFileSync(join(named, 'queries.jsonl'), asked.map((each) => `${JSON.stringify(each)}\n`).join(''));
    const run = async () => JSON.parse((await type('eval', 'run', '--beir', named, '--json', '--quiet')).out) as Record<string, unknown>;
    expect(await run()).not.toHaveProperty('vocabulary');
    writeFileSync(join(named, 'vocabulary.yaml'), 'version: 1\nconcepts:\n  - { id: a, prefLabel: anchor, altLabels: [killick] }\n');
    expect(await run()).toMatchObject({ vocabulary: expect.stringMatching(/^[0-9a-f]{64}$/), retrieval: { metrics: { 'nDCG@10': 1 } } });
  });

  it('run without a set, or with both kinds, is a usage error that says what to give', async () => {
    for (const argv of [[], ['--beir', set, '--golden', set]]) {
      const { code, out, err } = await type('eval', 'run', ...argv);
      expect(code).toBe(2);
      expect(out).toBe('');
      expect(err).toMatch(/--beir or --golden/);
    }
  });

  it('compare: exit 0 for a run that holds, 1 for one that is worse, with the questions lost', async () => {
    const good = JSON.parse(readFileSync(join(base, 'good.json'), 'utf8')) as {
      perQuery: { retrieval: Record<string, number>; delivered: Record<string, number> }[];
    };
    const bad = {
      ...good,
      perQuery: good.perQuery.map((each) => ({
        ...each,
        miss: 'below-floor',
        retrieval: { ...each.retrieval, 'nDCG@10': 0.3 },
        delivered: { ...each.delivered, goldInPackage: 0 },
      })),
    };
    writeFileSync(join(base, 'bad.json'), JSON.stringify(bad));
    const same = await type('eval', 'compare', at('good.json'), at('good.json'));
    expect(same).toMatchObject({ code: 0, out: expect.stringMatching(/^holds: 6 questions/) });
    const worse = await type('eval', 'compare', at('good.json'), at('bad.json'));
    expect(worse.code).toBe(1);
    expect(worse.out).toMatch(/worse: 6 questions[\s\S]*6 questions lost[\s\S]*delivered → below-floor/);
    expect((await type('eval', 'compare', at('bad.json'), at('good.json'))).code).toBe(0);
  });

  it('SEM-07 compare: runs asked with different vocabularies are marked as such', async () => {
    const good = JSON.parse(readFileSync(join(base, 'good.json'), 'utf8')) as object;
    writeFileSync(join(base, 'named.json'), JSON.stringify({ ...good, vocabulary: 'a'.repeat(64) }));
    expect((await type('eval', 'compare', at('good.json'), at('named.json'))).out).toContain('different vocabularies');
    expect((await type('eval', 'compare', at('named.json'), at('named.json'))).out).not.toContain('different vocabularies');
  });

  it('compare: a baseline is made, held, and failed; --tighten never writes what is worse', async () => {
    const make = await type('eval', 'compare', at('baseline.json'), at('good.json'), '--tighten');
    expect(make.code).toBe(0);
    const before = readFileSync(join(base, 'baseline.json'), 'utf8');
    const good = JSON.parse(readFileSync(join(base, 'good.json'), 'utf8')) as { retrieval: { metrics: Record<string, number> } };
    writeFileSync(
      join(base, 'worse.json'),
      JSON.stringify({ ...good, retrieval: { ...good.retrieval, metrics: { ...good.retrieval.metrics, 'nDCG@10': 0.2 } } }),
    );
    const failed = await type('eval', 'compare', at('baseline.json'), at('worse.json'), '--tighten');
    expect(failed).toMatchObject({ code: 1, out: expect.stringMatching(/retrieval\.nDCG@10 1 → 0\.2/) });
    expect(readFileSync(join(base, 'baseline.json'), 'utf8')).toBe(before);
    const excused = {
      set: 'set',
      measure: 'test.retrieval.nDCG@10',
      worst: 0.1,
      reason: 'shown in a test, for a day far away',
      approvedBy: 'role:tests',
      expires: '2999-01-01',
    };
    writeFileSync(join(base, 'exceptions.json'), JSON.stringify({ schema: 'colophon/ratchet-exceptions@1', exceptions: [excused] }));
    expect((await type('eval', 'compare', at('baseline.json'), at('worse.json'), '--exceptions', at('exceptions.json'))).code).toBe(0);
  });

  it('compare: a file that is none of ours is named', async () => {
    writeFileSync(join(base, 'odd.json'), '{"schema":"other"}');
    const { code, err } = await type('eval', 'compare', at('odd.json'), at('good.json'));
    expect(code).toBe(2);
    expect(err).toMatch(/odd\.json/);
  });

  it('label: without a terminal it asks nobody, and shows a sample', async () => {
    const { code, out } = await type('eval', 'label', docs, '--out', 'labelled', '--show', '3');
    expect(code).toBe(0);
    expect(out).toMatch(/questions over 6 pages/);
    expect(out).toMatch(/stowing the \w+ well/);
    expect(out).toMatch(/Nobody has looked at them yet/);
    expect(readFileSync(join(base, 'labelled', 'decisions.tsv'), 'utf8')).toBe('');
  });
});
