/**
 * Weak labels: questions that a tree asks about itself, without anybody having written one.
 *
 * An author who links to a page, a commit that edits it, a heading that asks, an old name that leads on: each says "these words,
 * that page". Not all of them are true, so a person looks at a sample; what is rejected stays out for good.
 *
 * Invariant: the page a question was taken from counts as absent for it; a label never measures whether a text finds itself.
 * Invariant: dev and test are parted by page, by a digest of its id; order and choice depend on the tree alone.
 */
import { sha256 } from '../kernel/digest.js';
import { fold, foldedWords } from '../text/analyze.js';
import { isStopWord } from '../text/stop-words.js';
import { type Interval, wilson } from './bootstrap.js';
import type { PageId } from './metrics.js';

export const WEAK_KINDS = ['link', 'mention', 'commit', 'heading', 'alias', 'error'] as const;
export type WeakKind = (typeof WEAK_KINDS)[number];

export const WEAK_KIND_SENTENCES: Readonly<Record<WeakKind, string>> = {
  link: 'what an author says about a page when linking to it',
  mention: 'a sentence that sends its reader to a page',
  commit: 'the subject of a commit, and the pages it edited',
  heading: 'a heading that is a question, and its own page',
  alias: 'an old or other name of a page',
  error: 'an error message in code, and the page that quotes it',
};

export interface WeakLabel {
  readonly kind: WeakKind;
  readonly text: string;
  readonly pages: readonly PageId[];
  /** Pages it was taken from. */
  readonly from: readonly PageId[];
  /** For a person: where it stands. */
  readonly where: string;
}

export interface MinedSet {
  readonly labels: readonly (WeakLabel & { readonly id: string; readonly split: 'dev' | 'test' })[];
  /** Why others were left out, by reason. */
  readonly dropped: Readonly<Record<string, number>>;
}

/** Pages a question may lead to before it says nothing. */
const MOST_PAGES = 3;
/** Questions on one page, so that a page everybody links to does not become the whole set. */
const MOST_PER_PAGE = 12;
const FEWEST_WORDS = 2;
const LONGEST = 300;

export function weakSet(
  mined: readonly WeakLabel[],
  names: ReadonlyMap<PageId, readonly string[]>,
  rejected: ReadonlySet<string>,
): MinedSet {
  const dropped: Record<string, number> = {};
  const drop = (reason: string) => {
    dropped[reason] = (dropped[reason] ?? 0) + 1;
  };
  const perPage = new Map<PageId, number>();
  const labels: MinedSet['labels'][number][] = [];
  for (const label of merged(mined)) {
    const id = labelId(label);
    const split = splitOf(label.pages);
    const reason = rejected.has(id) ? 'a person rejected them' : flaw(label, names, split);
    const first = label.pages[0] ?? '';
    const taken = perPage.get(first) ?? 0;
    if (reason !== undefined) drop(reason);
    else if (taken >= MOST_PER_PAGE) drop('their page has many already');
    else if (split !== undefined) {
      perPage.set(first, taken + 1);
      labels.push({ ...label, id, split });
    }
  }
  return { labels, dropped };
}

/** The same words are one question, whoever says them; it leads to all the pages they lead to. */
function merged(mined: readonly WeakLabel[]): WeakLabel[] {
  const byText = new Map<string, WeakLabel>();
  for (const label of mined) {
    const text = label.text.replace(/\s+/g, ' ').trim();
    const key = fold(text);
    const known = byText.get(key);
    const pages = [...new Set([...(known?.pages ?? []), ...label.pages])].sort();
    const from = [...new Set([...(known?.from ?? []), ...label.from])].sort();
    byText.set(key, known === undefined ? { ...label, text, pages, from } : { ...known, pages, from });
  }
  const order = (label: WeakLabel) => `${WEAK_KINDS.indexOf(label.kind)}${sha256(label.text)}`;
  return [...byText.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

function flaw(
  { text, pages, from }: WeakLabel,
  names: ReadonlyMap<PageId, readonly string[]>,
  split: string | undefined,
): string | undefined {
  const words = foldedWords(text).filter((word) => !isStopWord(word));
  if (words.length < FEWEST_WORDS) return 'they have too few words';
  if (text.length > LONGEST) return 'they are too long';
  if (pages.length > MOST_PAGES) return 'they lead to many pages';
  if (pages.some((page) => from.includes(page))) return 'they were taken from the page itself';
  if (pages.some((page) => isOnlyName(words, names.get(page) ?? []))) return 'they only say the name of the page';
  return split === undefined ? 'one of their pages is for trying, another kept aside' : undefined;
}

/** `npm scripts` names `using-npm/scripts.md`: every word of it stands in what the page is called. */
function isOnlyName(words: readonly string[], names: readonly string[]): boolean {
  const called = new Set(names.flatMap((name) => foldedWords(name)));
  return words.every((word) => called.has(word));
}

export function labelId({ kind, text, pages }: Pick<WeakLabel, 'kind' | 'text' | 'pages'>): string {
  return `${kind}-${sha256(JSON.stringify([text, pages])).slice(0, 10)}`;
}

/** About two fifths of the pages are held out; undefined when a question has some on either side. */
export function splitOf(pages: readonly PageId[]): 'dev' | 'test' | undefined {
  const sides = new Set(pages.map((page): 'dev' | 'test' => (Number.parseInt(sha256(page).slice(0, 4), 16) % 5 < 2 ? 'test' : 'dev')));
  return sides.size === 1 ? [...sides][0] : undefined;
}

/** Every kind in turn, in the order of their digests: a sample that nobody chose. */
export function sampleOf<T extends { readonly id: string; readonly kind: WeakKind }>(
  labels: readonly T[],
  count: number,
  seen: ReadonlySet<string>,
): T[] {
  const queues = WEAK_KINDS.map((kind) =>
    labels.filter((label) => label.kind === kind && !seen.has(label.id)).sort((a, b) => (sha256(a.id) < sha256(b.id) ? -1 : 1)),
  );
  const sample: T[] = [];
  while (sample.length < count && queues.some((queue) => queue.length > 0)) {
    for (const queue of queues) {
      const next = queue.shift();
      if (next !== undefined && sample.length < count) sample.push(next);
    }
  }
  return sample;
}

/** Of the questions a person looked at: the share that was right, and how far that could be off. */
export function precisionOf(accepted: number, rejected: number): { readonly share: number; readonly ci95: Interval } | undefined {
  const looked = accepted + rejected;
  return looked === 0 ? undefined : { share: accepted / looked, ci95: wilson(accepted, looked) };
}
