/**
 * Near names: a word that no page holds may be a slip of the hand for one that stands in a name of the vocabulary.
 *
 * Invariant: taken only where the question then holds a whole name of one thing; two things as near are taken for neither (FAI-09).
 * Invariant: looks at the question and the vocabulary, at no page. Whether pages that may be shown hold the thing, the caller asks.
 */
import { isPlainWord, type NearWord, nearWords } from '../engine/near-terms.js';
import type { NearQuery } from '../ports/index-reader.js';
import { stemOf } from '../text/analyze.js';
import { namesIn } from './expand.js';
import { type LabelIndex, thingOf } from './label-meanings.js';
import { isPlausibleSlip } from './plausible-slip.js';
import type { Understanding } from './understand.js';

type Reading = Understanding['reading'];

export function nearestName({ word, mostEdits }: NearQuery, reading: Reading, index: LabelIndex): NearWord | undefined {
  const alike = index.words.filter((each) => each.charCodeAt(0) === word.charCodeAt(0) && isPlainWord(each));
  const found = nearWords(alike, word, mostEdits)
    .filter(({ term }) => isPlausibleSlip(word, term))
    .flatMap((near) => {
      const thing = thingNamed(near.term, respeltReading(reading, new Map([[word, near.term]])), index);
      return thing === undefined ? [] : [{ near, thing }];
    });
  const [first] = found;
  if (first === undefined) return undefined;
  const isDoubtful = found.some(({ near, thing }) => near.distance === first.near.distance && thing !== first.thing);
  return isDoubtful ? undefined : first.near;
}

/** The one thing that a name with this word in it means; undefined when the question holds none, or one of two things. */
function thingNamed(word: string, reading: Reading, index: LabelIndex): string | undefined {
  const name = namesIn(reading, index).find(({ words }) => words.some(({ term }) => term === word));
  const [meaning, other] = name?.meanings ?? [];
  return meaning === undefined || other !== undefined ? undefined : thingOf(meaning);
}

/** The words in reading order, with those in place that were meant. */
export function respeltReading(reading: Reading, meant: ReadonlyMap<string, string>): Reading {
  return reading.map((stretch) =>
    stretch.map((token) => {
      const term = token.word.kind === 'word' ? meant.get(token.word.term) : undefined;
      if (term === undefined) return token;
      const stem = stemOf(term);
      return { surface: term, word: { kind: 'word', term, ...(stem === undefined ? {} : { stem }) } };
    }),
  );
}
