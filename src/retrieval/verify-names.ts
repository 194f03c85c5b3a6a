/**
 * Verify names: another name of several words counts only where they stand one after the other.
 *
 * The index finds fields that hold all words of the name; whether they are the name, the passage says. What is no match after all
 * takes its share of the score with it.
 */

import type { UnderstoodQuery } from '../domain/query.js';
import type { TermPart } from '../ports/index-reader.js';
import { foldedWords, stemOf } from '../text/analyze.js';
import { type Draft, pageKey } from './draft.js';

export function holdingNames(drafts: readonly Draft[], { terms }: UnderstoodQuery): readonly Draft[] {
  const names = new Set(
    terms.flatMap(({ alternatives = [] }) => alternatives.filter(({ words }) => words.length > 1).map(({ label }) => label)),
  );
  if (names.size === 0) return drafts;
  const doubted = new Set<string>();
  const read = drafts.map((draft) => {
    const checked = withoutFalse(draft, names);
    if (checked !== draft) doubted.add(pageKey(draft.artifact.page));
    return checked;
  });
  return read.flatMap((draft) => {
    if (draft.matched.length === 0 && Object.keys(draft.ranks).join() === 'lexical') return [];
    // How much of the question the page holds is counted again, from what its passages do hold (coverage.ts).
    return [doubted.has(pageKey(draft.artifact.page)) ? { ...draft, coverage: 0 } : draft];
  });
}

function withoutFalse(draft: Draft, names: ReadonlySet<string>): Draft {
  const claimed = draft.matched.flatMap(({ via = [] }) => via).filter((label) => names.has(label));
  if (claimed.length === 0) return draft;
  const text = stems(`${draft.artifact.prefix}\n${draft.artifact.excerpt}`);
  const absent = new Set(claimed.filter((label) => !holds(text, stems(label))));
  if (absent.size === 0) return draft;
  let lost = 0;
  const matched = draft.matched.flatMap((part): TermPart[] => {
    const { via = [], ...rest } = part;
    const left = via.filter((label) => !absent.has(label));
    if (left.length > 0) return [{ ...rest, via: left }];
    if (part.itself !== false) return [rest];
    lost += part.share;
    return [];
  });
  const { lexical, ...others } = draft.legScores;
  const legScores = lexical === undefined ? others : { ...others, lexical: lexical * Math.max(0, 1 - lost) };
  return { ...draft, matched, legScores };
}

function stems(text: string): readonly string[] {
  return foldedWords(text).map((word) => stemOf(word) ?? word);
}

function holds(words: readonly string[], name: readonly string[]): boolean {
  const [first = ''] = name;
  for (let at = words.indexOf(first); at >= 0; at = words.indexOf(first, at + 1)) {
    if (name.every((word, offset) => words[at + offset] === word)) return true;
  }
  return false;
}
