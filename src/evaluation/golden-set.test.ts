import { describe, expect, it } from 'vitest';
import { readGoldenManifest, readGoldenQuestions } from './golden-set.js';

const line = (more: object) => JSON.stringify({ id: 'a', class: 'conceptual', question: 'why?', ...more });
const label = (page: string) => ({ page, span: 'words' });
const read = (text: string, heldOut: string[] = []) => readGoldenQuestions(text, 'q.jsonl', { heldOut });

describe('golden sets', () => {
  it('EVL-03: parts dev from held-out by page', () => {
    const text = [
      line({ labels: [label('s:a.md')] }),
      '',
      line({ id: 'b', labels: [label('s:b.md')] }),
      line({ id: 'c', split: 'dev' }),
    ].join('\n');
    const questions = read(text, ['s:b.md']);
    expect(questions.map(({ id, split, line: at }) => [id, split, at])).toEqual([
      ['a', 'dev', 1],
      ['b', 'held-out', 3],
      ['c', 'dev', 4],
    ]);
  });

  it.each([
    ['labels on both sides', line({ labels: [label('s:a.md'), label('s:b.md')] }), /q\.jsonl:1: labels .*held-out/],
    ['no way to tell the side', line({}), /q\.jsonl:1: split/],
    ['a side that its pages contradict', line({ labels: [label('s:b.md')], split: 'dev' }), /q\.jsonl:1: split must be held-out/],
    ['a repeated id', `${line({ split: 'dev' })}\n${line({ split: 'dev' })}`, /q\.jsonl:2: id/],
    ['a class that is none', line({ split: 'dev', class: 'odd' }), /q\.jsonl:1: class/],
    ['a key nobody knows', line({ split: 'dev', anwser: 1 }), /q\.jsonl:1/],
    ['a broken line', `${line({ split: 'dev' })}\n{`, /q\.jsonl:2/],
  ])('refuses %s, with file and line', (_, text, message) => {
    expect(() => read(text, ['s:b.md'])).toThrow(message);
  });

  it('refuses a manifest of another format', () => {
    expect(() => readGoldenManifest('{"schema":"colophon/golden@2"}', 'set.json')).toThrow(/set\.json:1/);
  });
});
