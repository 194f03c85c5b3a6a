/**
 * Page names: finding pages by what they are called. Each name of a page (title, alias, tag, file name, path) is a document of
 * its own in segments of kind `name`, with its folded words as terms.
 *
 * A page is proposed when one of its names holds all the words asked for, or when all of a name's words were asked for.
 * Invariant: a name's score depends on that name and the words alone, so other pages cannot change it.
 */
import { foldedWords } from '../text/analyze.js';
import { roundScore } from './bm25f.js';
import type { Corpus } from './corpus.js';
import { FIELD_COUNT } from './postings.js';
import type { NewDocument } from './segment.js';
import type { TermList } from './term-list.js';

/** Kinds of name in the order of their fields, with what a full match is worth. */
const NAME_KINDS = [
  { kind: 'title', worth: 3 },
  { kind: 'alias', worth: 2.5 },
  { kind: 'file', worth: 2 },
  { kind: 'tag', worth: 1 },
  { kind: 'path', worth: 1 },
] as const;
type NameKind = (typeof NAME_KINDS)[number]['kind'];

const EXTENSION = /\.[a-z0-9]{1,8}$/i;

export interface NamedPage {
  readonly path: string;
  readonly title: string;
  readonly aliases: readonly string[];
  readonly tags: readonly string[];
}

/** The form names are compared in. */
export function nameKey(text: string): string {
  return foldedWords(text).join(' ');
}

export function nameDocuments(page: NamedPage): NewDocument[] {
  const path = page.path.replace(EXTENSION, '');
  const file = path.slice(path.lastIndexOf('/') + 1);
  const names: readonly (readonly [NameKind, string])[] = [
    ['title', page.title],
    ...page.aliases.map((alias) => ['alias', alias] as const),
    ['file', file],
    ...page.tags.map((tag) => ['tag', tag] as const),
    ['path', path],
  ];
  return names.flatMap(([kind, text]) => {
    const words = [...new Set(foldedWords(text))];
    if (words.length === 0) return [];
    const field = NAME_KINDS.findIndex((each) => each.kind === kind);
    const fields = NAME_KINDS.map((_, at) => (at === field ? words : []));
    return [{ fields, lengths: fields.map((each) => each.length), target: nameKey(text) }];
  });
}

export interface NamedMatch {
  readonly page: number;
  readonly score: number;
}

/** Pages with a name that matches, by the lists of the words asked for; `accepts` narrows them. Every page once, with its best name. */
export function matchNames(corpus: Corpus, lists: readonly TermList[], accepts: (page: number) => boolean): NamedMatch[] {
  const matched = new Uint16Array(corpus.documents);
  const names: number[] = [];
  for (const list of lists) {
    for (const doc of list.postings.docs) {
      const before = matched[doc] ?? 0;
      if (before === 0) names.push(doc);
      matched[doc] = before + 1;
    }
  }
  const best = new Map<number, number>();
  for (const doc of names) {
    const score = nameScore(corpus.lengths, doc, matched[doc] ?? 0, lists.length);
    if (score === 0) continue;
    const page = corpus.pageOf[doc] ?? 0;
    if (score > (best.get(page) ?? 0) && accepts(page)) best.set(page, score);
  }
  return [...best].map(([page, score]) => ({ page, score: roundScore(score) }));
}

function nameScore(lengths: Int32Array, doc: number, matched: number, wanted: number): number {
  const field = fieldOf(lengths, doc);
  const length = lengths[doc * FIELD_COUNT + field] ?? 0;
  if (matched < wanted && matched < length) return 0;
  return ((NAME_KINDS[field]?.worth ?? 0) * 2 * matched) / (wanted + length);
}

function fieldOf(lengths: Int32Array, doc: number): number {
  for (let field = 0; field < FIELD_COUNT; field++) if ((lengths[doc * FIELD_COUNT + field] ?? 0) > 0) return field;
  return 0;
}

/** Kinds a wiki link may mean, the likeliest first. */
const LINKABLE: readonly NameKind[] = ['file', 'path', 'title', 'alias'];

/** How a name document may be meant by a wiki link: 0 is the likeliest, undefined is not at all. */
export function linkPreference(corpus: Corpus, doc: number): number | undefined {
  const kind = NAME_KINDS[fieldOf(corpus.lengths, doc)]?.kind;
  const at = kind === undefined ? -1 : LINKABLE.indexOf(kind);
  return at < 0 ? undefined : at;
}
