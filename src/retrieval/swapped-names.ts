/**
 * Swapped names: do two passages that say nearly the same say it of different people, places or things?
 *
 * A name is a word with a capital that does not begin a sentence, a line or an item. What stands in a passage's own title, headings or path
 * is what it is about: two pages made from one template differ in that, and do not contradict each other.
 *
 * Invariant: holds only where each side has a name that the other lacks, so that a longer passage is no contradiction of a shorter one.
 */
import { foldedWords } from '../text/analyze.js';

export interface Named {
  readonly artifact: { readonly excerpt: string; readonly headingPath: readonly string[] };
  readonly page: { readonly title: string; readonly path: string };
}

const NAME = /(?<=[\p{Ll}\p{N},;)] )\p{Lu}[\p{L}\p{N}]+/gu;

export function swapsNames(a: Named, b: Named): boolean {
  return hasNameOfItsOwn(a, b) && hasNameOfItsOwn(b, a);
}

function hasNameOfItsOwn({ artifact, page }: Named, other: Named): boolean {
  const names = artifact.excerpt.match(NAME) ?? [];
  if (names.length === 0) return false;
  const known = new Set(foldedWords(`${other.artifact.excerpt}\n${page.title}\n${page.path}\n${artifact.headingPath.join('\n')}`));
  return names.some((name) => foldedWords(name).some((word) => !known.has(word)));
}
