/**
 * Citations: what an answer says it rests on, held against what was put before whoever gave it (INJ-12, PIT-22).
 *
 * A citation is written as the preamble writes it:
 *
 *   ka_01234567  ki_01234567            an artifact, or what the caller brought along: the whole id, or as much of it as the
 *                                       preamble shows, eight digits or more, when one item of the package alone begins so
 *   [2]  [1][3]  [1, 3]                 items by their numbers, outside of code
 *   guides/pumps.md:12-30               a page of the package, with lines, an anchor (`#draining`, `#L12-L30`) or neither;
 *   handbook guides/pumps.md:12-30      with its source before it, where two sources have a page of that path
 *   colophon://page/handbook/guides/pumps.md#draining
 *
 * Another path counts as a citation when it has a folder or lines. Web addresses are no citations of this library.
 *
 * Invariant: judged by the package alone, so that a page outside it is unverified whether or not there is such a page; nothing an
 * answer says can change that.
 */
import type { LineRange } from '../domain/artifact.js';
import type { PackageItem } from '../domain/context-package.js';
import { CALLER_SOURCE } from '../domain/required-material.js';
import { inertLine, inertWord } from './inert.js';
import { idsNamed } from './short-id.js';

export type CitedItem = Pick<PackageItem, 'position' | 'artifact' | 'source' | 'path' | 'blob' | 'anchor' | 'lines'>;

export interface Citation {
  /** As it stands in the answer. */
  readonly text: string;
  /** UTF-16 units from the beginning of the answer. */
  readonly offset: number;
  readonly form: 'artifact' | 'position' | 'page' | 'uri';
}

export interface JudgedCitation extends Citation {
  /** The items it rests on; none when it is unverified. */
  readonly items: readonly CitedItem[];
  /** Why it is unverified; empty otherwise. */
  readonly reason: string;
}

export function judgeCitations(answer: string, items: readonly CitedItem[]): readonly JudgedCitation[] {
  const found: (Span & { readonly judge: () => Verdict })[] = [];
  const taken = new Uint8Array(answer.length);
  const take = (span: Span, judge: () => Verdict) => {
    if (taken.subarray(span.offset, span.offset + span.text.length).includes(1)) return;
    taken.fill(1, span.offset, span.offset + span.text.length);
    found.push({ ...span, judge });
  };
  for (const span of matches(answer, URI, 'uri')) take(withoutPoint(span), () => judgeUri(withoutPoint(span).text, items));
  for (const { index, 0: text } of answer.matchAll(WEB)) taken.fill(1, index, index + text.length);
  for (const span of matches(answer, ARTIFACT, 'artifact')) take(span, () => judgeArtifact(span.text, items));
  for (const page of pagesNamed(answer, items)) take(page.span, () => judgePage(page, items));
  const judged = found.map(({ judge, ...span }) => ({ ...span, ...judge() }));
  return [...judged, ...positions(answer, items, judged, taken)].sort((a, b) => a.offset - b.offset);
}

type Span = Citation;
type Verdict = Pick<JudgedCitation, 'items' | 'reason'>;

const NOT_GIVEN: Verdict = { items: [], reason: 'not in the package' };
const SEVERAL_IDS: Verdict = { items: [], reason: 'more than one item of the package has an id that begins so' };
const OTHER_LINES: Verdict = { items: [], reason: 'these lines of the page are not in the package' };
const OTHER_ANCHOR: Verdict = { items: [], reason: 'this section of the page is not in the package' };

const URI = /colophon:\/\/[^\s<>"'`)\]}]+/giu;
const WEB = /\b(?:https?|ftp|file):\/\/[^\s<>"'`)\]}]+/giu;
const ARTIFACT = /(?<![\p{L}\p{N}_])k[ai]_[\p{L}\p{N}_]+/gu;

function matches(answer: string, pattern: RegExp, form: Citation['form']): Span[] {
  return [...answer.matchAll(pattern)].map(({ index, 0: text }) => ({ text, offset: index, form }));
}

/** The end of a sentence is not the end of an address. */
function withoutPoint(span: Span): Span {
  return { ...span, text: span.text.replace(/[.,;:!?]+$/u, '') };
}

function judgeArtifact(id: string, items: readonly CitedItem[]): Verdict {
  const named = idsNamed(
    id,
    items.map(({ artifact }) => artifact),
  );
  if (named.length > 1) return SEVERAL_IDS;
  const own = items.filter(({ artifact }) => artifact === named[0]);
  return own.length === 0 ? NOT_GIVEN : { items: own, reason: '' };
}

function judgeUri(uri: string, items: readonly CitedItem[]): Verdict {
  const parts = /^colophon:\/\/page\/([^/#?]+)\/([^#?]+)(?:#(.*))?$/u.exec(uri);
  if (parts === null) return NOT_GIVEN;
  try {
    const [source, path, fragment] = parts.slice(1).map((part) => (part === undefined ? undefined : decodeURIComponent(part)));
    const own = items.filter((item) => item.source === source && item.path === path);
    return within(own, { ...(fragment === undefined ? {} : fragmentOf(fragment)) });
  } catch (error) {
    if (error instanceof URIError) return NOT_GIVEN;
    throw error;
  }
}

interface Part {
  readonly lines?: LineRange;
  readonly anchor?: string;
}

function fragmentOf(fragment: string): Part {
  const lines = /^L(\d{1,9})(?:-L?(\d{1,9}))?$/u.exec(fragment);
  if (lines === null) return fragment === '' ? {} : { anchor: fragment };
  return { lines: rangeOf(lines[1], lines[2]) };
}

function rangeOf(start: string | undefined, end: string | undefined): LineRange {
  return { start: Number(start), end: Number(end ?? start) };
}

/** Lines must all have been given; several items may give them together. */
function within(own: readonly CitedItem[], { lines, anchor }: Part): Verdict {
  if (own.length === 0) return NOT_GIVEN;
  if (anchor !== undefined) {
    const there = own.filter((item) => item.anchor === anchor);
    return there.length === 0 ? OTHER_ANCHOR : { items: there, reason: '' };
  }
  if (lines === undefined) return { items: own, reason: '' };
  const touched = own.filter((item) => item.lines.start <= lines.end && item.lines.end >= lines.start);
  return covers(touched, lines) ? { items: touched, reason: '' } : OTHER_LINES;
}

function covers(items: readonly CitedItem[], { start, end }: LineRange): boolean {
  if (start < 1 || end < start) return false;
  let reached = start - 1;
  for (const { lines } of [...items].sort((a, b) => a.lines.start - b.lines.start)) {
    if (lines.start <= reached + 1) reached = Math.max(reached, lines.end);
  }
  return reached >= end;
}

interface NamedPage extends Part {
  readonly span: Span;
  readonly path: string;
  /** The word before it, when it names a source of the package. */
  readonly source?: string;
}

const PART = String.raw`(?::(\d{1,9})(?:-(\d{1,9}))?|#([\p{L}\p{N}_%-]+))?`;
const BEFORE = String.raw`(?<![\p{L}\p{N}_/.@~+-])(?:\./)?`;
const AFTER = String.raw`(?![\p{L}\p{N}_/-]|\.[\p{L}\p{N}_])`;
const SEGMENT = String.raw`[\p{L}\p{N}_.@~+-]+`;
const ANY_PAGE = new RegExp(String.raw`${BEFORE}((?:${SEGMENT}/)*${SEGMENT}\.(?:mdx|md|markdown|mdown|txt))${PART}${AFTER}`, 'giu');

/** Pages of the package by their very names, whatever characters those have; then whatever else looks like a page. */
function pagesNamed(answer: string, items: readonly CitedItem[]): NamedPage[] {
  const sources = new Map(items.flatMap(({ source }) => [source, inertWord(source)].map((word) => [word, source] as const)));
  // What a caller says it has a text from may be any word at all; that is cited by its id or number.
  const pages = items.filter(({ source }) => source !== CALLER_SOURCE);
  const known = [...new Set(pages.flatMap(({ path }) => [path, inertLine(path)]))].filter((path) => path !== '');
  const paths = new Map(items.map(({ path }) => [inertLine(path), path]));
  const read = (pattern: RegExp): NamedPage[] =>
    [...answer.matchAll(pattern)].map(({ index, 0: text, 1: name = '', 2: start, 3: end, 4: fragment }) => {
      const source = sources.get(/(\S+)[ \t]+$/u.exec(answer.slice(Math.max(0, index - 200), index))?.[1] ?? '');
      return {
        span: { text, offset: index, form: 'page' as const },
        path: paths.get(name) ?? name,
        ...(source === undefined ? {} : { source }),
        ...(start === undefined ? (fragment === undefined ? {} : fragmentOf(fragment)) : { lines: rangeOf(start, end) }),
      };
    });
  const own = known
    .sort((a, b) => b.length - a.length)
    .flatMap((path) => read(new RegExp(`${BEFORE}(${escaped(path)})${PART}${AFTER}`, 'gu')));
  const others = read(ANY_PAGE).filter(({ path, lines, anchor }) => path.includes('/') || lines !== undefined || anchor !== undefined);
  return [...own, ...others];
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`);
}

function judgePage({ path, source, ...part }: NamedPage, items: readonly CitedItem[]): Verdict {
  return within(
    items.filter((item) => item.path === path && (source === undefined || item.source === source)),
    part,
  );
}

const NUMBERS = /(?<![\p{L}\p{N}_)])\[(\d{1,3}(?:\s?[,;]\s?\d{1,3})*)\](?![(:\p{L}\p{N}_])/gu;
const CODE = /^([`~]{3,})[^\n]*\n[\s\S]*?(?:^\1[^\n]*$|$(?![\s\S]))|(`+)(?!`)[^\n]*?(?<!`)\2(?!`)/gmu;

/** `[2]` is the second item, unless the answer gives the number a meaning of its own. */
function positions(answer: string, items: readonly CitedItem[], cited: readonly JudgedCitation[], taken: Uint8Array): JudgedCitation[] {
  const free = Uint8Array.from(taken);
  for (const { index, 0: text } of answer.matchAll(CODE)) free.fill(1, index, index + text.length);
  const redefined = ownNumbers(answer, cited);
  return [...answer.matchAll(NUMBERS)].flatMap(({ index, 0: text, 1: list = '' }) => {
    if (free[index] === 1) return [];
    return list.split(/[,;]/u).map((each): JudgedCitation => {
      const number = Number(each);
      const item = items.find(({ position }) => position + 1 === number);
      const span = {
        text: list.length + 2 === text.length && /^\d+$/u.test(list) ? text : `[${each.trim()}]`,
        offset: index,
        form: 'position' as const,
      };
      if (redefined.has(number)) return { ...span, items: [], reason: 'the answer gives this number a meaning of its own' };
      return item === undefined ? { ...span, ...NOT_GIVEN } : { ...span, items: [item], reason: '' };
    });
  });
}

/** Numbers at the beginning of a line that goes on with another address, page or passage than the item's own. */
function ownNumbers(answer: string, cited: readonly JudgedCitation[]): ReadonlySet<number> {
  const own = new Set<number>();
  for (const { index, 0: line, 1: number = '' } of answer.matchAll(/^[ \t>*-]*\[(\d{1,3})\][^\n]*$/gmu)) {
    const onLine = cited.filter(({ offset }) => offset >= index && offset < index + line.length);
    const elsewhere = onLine.some(({ items }) => !items.some(({ position }) => position + 1 === Number(number)));
    if (elsewhere || /\b(?:https?|ftp|file):\/\//u.test(line) || /^[ \t>*-]*\[\d+\]:/u.test(line)) own.add(Number(number));
  }
  return own;
}
