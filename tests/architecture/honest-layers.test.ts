/** INJ-15: wherever fencing, taint or the gate is explained, it is called a layer, and nothing near it promises more. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const DOCUMENTS = ['SECURITY.md', 'docs/guides/agents.md', 'docs/guides/tainted-agents.md'];
const PROMISE = /\b(?:guarantees?|ensures?|prevents?|impossible|makes? (?:it|them|agents?) (?:safe|secure)|fully safe|100 ?%)\b/i;
const DENIED = /\b(?:not? (?:a )?guarantee|no promise|None of them is a promise|do not make)\b/i;

const sentences = (text: string) => text.replace(/\s+/g, ' ').split(/(?<=[.;:])\s/);

it.each(DOCUMENTS)('INJ-15 %s says that these are layers, and promises nothing', (document) => {
  const text = readFileSync(document, 'utf8');
  expect(text).toMatch(/\blayers?\b/);
  expect(text.replace(/\s+/g, ' ')).toMatch(DENIED);
  expect(sentences(text).filter((each) => PROMISE.test(each) && !DENIED.test(each))).toEqual([]);
});

it('INJ-15 a promise would be seen', () => {
  expect(
    sentences('The gate guarantees that nothing leaks. It is a layer, not a guarantee.').filter(
      (each) => PROMISE.test(each) && !DENIED.test(each),
    ),
  ).toHaveLength(1);
});
