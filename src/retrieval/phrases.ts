/**
 * Phrases: does the page hold the quoted words, one after the other?
 *
 * Compared by folded words, so that case, accents and punctuation do not matter. The excerpt is asked first, then the page.
 */
import type { EligibleSet } from '../domain/eligibility.js';
import type { IndexSnapshot } from '../ports/index-reader.js';
import { foldedWords } from '../text/analyze.js';
import { type Draft, pageKey } from './draft.js';

/** Pages read whole to look for a phrase; drafts on further pages are kept only if their own excerpt holds it. */
const MOST_PAGES_READ = 100;

export async function holdingPhrases(
  snapshot: IndexSnapshot,
  eligible: EligibleSet,
  drafts: readonly Draft[],
  phrases: readonly (readonly string[])[],
): Promise<readonly Draft[]> {
  if (phrases.length === 0) return drafts;
  const verdicts = new Map<string, boolean>();
  const kept: Draft[] = [];
  for (const draft of drafts) {
    const { excerpt, prefix, page } = draft.artifact;
    const key = pageKey(page);
    if (holdsAll(`${prefix}\n${excerpt}`, phrases)) {
      kept.push(draft);
      continue;
    }
    let verdict = verdicts.get(key);
    if (verdict === undefined && verdicts.size < MOST_PAGES_READ) {
      verdict = holdsAll(`${page.title}\n${await snapshot.text(eligible, page)}`, phrases);
      verdicts.set(key, verdict);
    }
    if (verdict === true) kept.push(draft);
  }
  return kept;
}

function holdsAll(text: string, phrases: readonly (readonly string[])[]): boolean {
  const words = foldedWords(text);
  return phrases.every((phrase) => holds(words, phrase));
}

function holds(words: readonly string[], phrase: readonly string[]): boolean {
  const first = phrase[0];
  if (first === undefined) return true;
  for (let at = words.indexOf(first); at >= 0; at = words.indexOf(first, at + 1)) {
    if (phrase.every((word, offset) => words[at + offset] === word)) return true;
  }
  return false;
}
