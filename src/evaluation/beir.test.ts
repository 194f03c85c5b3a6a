import { describe, expect, it } from 'vitest';
import { readArchived, readBeirSet, readCorpus, readJudgements } from './beir.js';
import { idFromPath, pathFromId, placeCorpus } from './corpus-pages.js';
import { writeRun } from './trec-run.js';

const corpus = '{"_id":"a.md","title":"A","text":"# A\\n"}\n{"_id":"b/c.md","text":"# C\\n"}\n';
const queries = '{"_id":"q1","text":"one"}\n{"_id":"q2","text":"two"}\n{"_id":"q3","text":"not in this split"}\n';
const qrels = 'query-id\tcorpus-id\tscore\nq2\ta.md\t2\nq1\tb/c.md\t1\nq1\ta.md\t0\n';

describe('BEIR sets', () => {
  it('reads corpus, questions of the split, grades and companions', () => {
    const set = readBeirSet('tiny', 'test', {
      corpus,
      queries,
      qrels,
      ignore: 'query-id\tcorpus-id\r\nq1\ta.md\r\n',
      docMeta: 'path\tarchived\tstatus\na.md\t1\tlegacy\nb/c.md\t0\tcurrent\n',
    });
    expect(set.queries.map(({ id }) => id)).toEqual(['q1', 'q2']);
    expect(set.judgements.get('q1')).toEqual(
      new Map([
        ['b/c.md', 1],
        ['a.md', 0],
      ]),
    );
    expect(set.ignored.get('q1')).toEqual(new Set(['a.md']));
    expect(set.archived).toEqual(new Set(['a.md']));
  });

  it('takes judgements without a heading line, and metadata without an archived column', () => {
    expect(readJudgements('q\tp\t1\n', 'qrels/test.tsv').size).toBe(1);
    expect(readArchived('path\tversion\na.md\t5.1\n')).toBeUndefined();
  });

  it.each([
    ['a broken line', () => readCorpus('{"_id":"a","text":"x"}\n{broken\n'), /corpus.jsonl line 2/],
    ['a page without text', () => readCorpus('{"_id":"a"}\n'), /line 1 .*"text"/],
    ['a repeated id', () => readCorpus('{"_id":"a","text":""}\n{"_id":"a","text":""}\n'), /a stands twice/],
    ['a grade that is no number', () => readJudgements('q\tp\t1\nq\tp\tgood\n', 'qrels/dev.tsv'), /qrels\/dev.tsv line 2/],
    ['a judged question that is not there', () => readBeirSet('s', 'test', { corpus, queries: '', qrels }), /q2 is not one/],
  ])('refuses %s and names the place', (_, read, message) => {
    expect(read).toThrow(message);
  });
});

describe('corpus pages', () => {
  it('writes a set of document paths as the tree it is', () => {
    const placed = placeCorpus(readCorpus(corpus));
    expect(placed.shape).toBe('tree');
    expect(placed.pages[1]).toEqual({ id: 'b/c.md', path: 'b/c.md', text: '# C\n' });
    expect(placed.idOf('b/c.md')).toBe('b/c.md');
    expect(placed.idOf('b/x.md')).toBeUndefined();
  });

  it('gives other ids a path and their title a front matter', () => {
    const placed = placeCorpus([
      { id: '31715818', title: 'A "quoted":\ntitle', text: 'Body.' },
      { id: 'https://host/x#y', title: '', text: '---\nno front matter' },
    ]);
    expect(placed.shape).toBe('records');
    expect(placed.pages.map(({ path }) => path)).toEqual(['31715818.md', 'https%3A/%-/host/x%23y.md']);
    expect(placed.pages[0]?.text).toBe('---\ntitle: "A \\"quoted\\": title"\n---\n\nBody.');
    expect(placed.pages[1]?.text).toBe('\n---\nno front matter');
  });

  it.each(['12', 'a/b', '../up', '.hidden/x', '', '//', 'a b*?', '%-', '%+', `${'é'.repeat(90)}/x`, '100%'])(
    'maps %j to a path and back',
    (id) => {
      const path = pathFromId(id);
      expect(idFromPath(path)).toBe(id);
      for (const name of path.split('/')) {
        expect(name).not.toMatch(/^(\.|$)/);
        expect(Buffer.byteLength(name)).toBeLessThan(255);
      }
    },
  );
});

describe('run files', () => {
  it('are in TREC format, best first, with white space encoded', () => {
    expect(writeRun(new Map([['q1', ['a b.md', 'c.md']]]), 'colophon')).toBe('q1 Q0 a%20b.md 1 2 colophon\nq1 Q0 c.md 2 1 colophon\n');
  });
});
