/**
 * What a text is indexed under, and what a question asks for: words, stems, whole identifiers, and character pairs.
 *
 * Scripts written without spaces become overlapping pairs of characters, and an ideograph that stands between other characters also
 * itself: it is a word of its own. `Intl.Segmenter` would give words, but its dictionaries
 * differ between Node versions, and an index or a package digest that depends on the machine is no use to anyone.
 *
 * Invariant: time is linear in the text, whatever the text; a term is at most 128 units long.
 * Invariant: a text and a question are cut by the same code, so that what is written in both is found.
 */
import { stemmer } from 'stemmer';
import { BREAK, classAt, classOfUnit, JOINER, UNSPACED, WORD } from './characters.js';
import { type Cut, cutChunk, MAX_TERM_UNITS } from './cut-chunk.js';
import { fold, plain } from './fold.js';
import { isStopWord } from './stop-words.js';
import { BIGRAM, IDENTIFIER, STEM } from './term-namespaces.js';

export { fold } from './fold.js';

/** Changes whenever the terms of any text change; an index names it. */
export const ANALYZER_VERSION = 'analyzer@2';

export interface IndexTerms {
  /** Words with their stems, parts of identifiers, and bigrams, in reading order. */
  readonly body: readonly string[];
  /** Whole identifiers, in reading order. */
  readonly identifiers: readonly string[];
}

/**
 * `whole`: a word or an identifier that stands for itself. `compound`: words joined by hyphens or slashes; its `element`s carry
 * the meaning as well as it does. `part`: a fragment of a whole one, which alone proves little.
 */
type TokenRole = 'whole' | 'compound' | 'element' | 'part';

export interface QueryToken {
  readonly kind: 'word' | 'identifier' | 'bigram';
  readonly role: TokenRole;
  /** As written, after NFKC. */
  readonly surface: string;
  /** The index term, namespace included. */
  readonly term: string;
  /** Words with a stem that differs from them: the stem, without namespace. */
  readonly stem?: string;
  readonly stop: boolean;
}

interface Analysed {
  readonly body: readonly string[];
  readonly identifiers: readonly string[];
}

/** Chunks up to this length are remembered: most words, and the names and addresses that a manual repeats. */
const CACHED_UNITS = 40;
/** V8 copies slices up to this length; a longer one keeps the text that it was cut from. */
const COPIED_UNITS = 12;
/** A power of two. Each chunk has one place, by its hash; the last one that came is there. */
const CACHE_PLACES = 65_536;
const cache: (Remembered | undefined)[] = new Array(CACHE_PLACES).fill(undefined);

interface Remembered extends Analysed {
  readonly chunk: string;
}

const URL_UNITS = new Set([...'?=%,;!~*'].map((each) => each.charCodeAt(0)));

/** Terms of a text. */
export function indexTerms(text: string): IndexTerms {
  const body: string[] = [];
  const identifiers: string[] = [];
  const readable = plain(text);
  const pair = (both: string) => body.push(BIGRAM + both);
  let at = 0;
  while (at < readable.length) {
    const kind = classAt(readable, at);
    if (kind === BREAK) at += 1;
    else if (kind === UNSPACED) at = scanUnspaced(readable, at, pair);
    else {
      const end = chunkEnd(readable, at);
      const found = analyseChunk(readable, at, end);
      pushAll(found.body, body);
      pushAll(found.identifiers, identifiers);
      at = end;
    }
  }
  return { body, identifiers };
}

/** Most chunks give one or two: a loop by number costs least. */
function pushAll(terms: readonly string[], to: string[]): void {
  for (let at = 0; at < terms.length; at += 1) to.push(terms[at] ?? '');
}

/** Tokens of a question in reading order; an identifier comes before its parts. */
export function queryTokens(text: string): readonly QueryToken[] {
  const tokens: QueryToken[] = [];
  const readable = plain(text);
  scan(
    readable,
    (start, end) => {
      for (const cut of cutChunk(readable.slice(start, end))) if (cut.textOnly !== true) tokens.push(queryToken(cut));
    },
    (pair) => tokens.push({ kind: 'bigram', role: 'whole', surface: pair, term: BIGRAM + pair, stop: false }),
  );
  return tokens;
}

const PLAIN_TEXT = /^[\0-\x7f]*$/;
const PLAIN_WORDS = /[0-9a-z]+/g;

/** Folded words in reading order, identifiers taken apart at punctuation only: what phrases are compared by. */
export function foldedWords(text: string): readonly string[] {
  const folded = fold(text);
  if (PLAIN_TEXT.test(folded)) return folded.match(PLAIN_WORDS) ?? [];
  const words: string[] = [];
  let start = -1;
  for (let at = 0; at < folded.length; at += 1) {
    const kind = classAt(folded, at);
    const wide = isHighSurrogate(folded.charCodeAt(at)) && kind !== BREAK ? 1 : 0;
    if (kind === WORD) {
      if (start < 0) start = at;
    } else {
      if (start >= 0) words.push(folded.slice(start, at));
      start = -1;
      if (kind === UNSPACED) words.push(folded.slice(at, at + 1 + wide));
    }
    at += wide;
  }
  if (start >= 0) words.push(folded.slice(start));
  return words;
}

/** The Porter stem of a folded word when it has one that differs; English rules, so ASCII letters only. */
export function stemOf(word: string): string | undefined {
  if (word.length < 3) return undefined;
  for (let at = 0; at < word.length; at += 1) {
    const unit = word.charCodeAt(at);
    if (unit < 97 || unit > 122) return undefined;
  }
  const stem = stemmer(word);
  return stem === word ? undefined : stem;
}

/** Looked up in place: most chunks were seen before, and making a string of each would cost more than the rest. */
function analyseChunk(text: string, start: number, end: number): Analysed {
  if (end - start > CACHED_UNITS) return analysed(text.slice(start, end));
  let hash = end - start;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  const place = (hash ^ (hash >>> 16)) & (CACHE_PLACES - 1);
  const known = cache[place];
  if (known !== undefined && known.chunk.length === end - start && text.startsWith(known.chunk, start)) return known;
  const chunk = ownCopy(text.slice(start, end));
  const fresh = { chunk, ...analysed(chunk) };
  cache[place] = fresh;
  return fresh;
}

/** So that no remembered chunk keeps a whole document alive. */
function ownCopy(chunk: string): string {
  return chunk.length > COPIED_UNITS ? ` ${chunk}`.slice(1) : chunk;
}

function analysed(chunk: string): Analysed {
  const body: string[] = [];
  const identifiers: string[] = [];
  for (const cut of cutChunk(chunk)) {
    if (cut.kind === 'identifier') identifiers.push(IDENTIFIER + cut.folded);
    else {
      body.push(cut.folded);
      const stem = stemOf(cut.folded);
      if (stem !== undefined) body.push(STEM + stem);
    }
  }
  return { body, identifiers };
}

function queryToken(cut: Cut): QueryToken {
  const { kind, role, surface, folded } = cut;
  if (kind === 'identifier') return { kind, role, surface, term: IDENTIFIER + folded, stop: isStopWord(folded) };
  const stem = stemOf(folded);
  return { kind, role, surface, term: folded, stop: isStopWord(folded), ...(stem === undefined ? {} : { stem }) };
}

/** Finds chunks (runs of word characters and joiners) and runs of unspaced script. */
function scan(text: string, chunk: (start: number, end: number) => void, pair: (text: string) => void): void {
  const length = text.length;
  let at = 0;
  while (at < length) {
    const kind = classAt(text, at);
    if (kind === BREAK) at += 1;
    else if (kind === UNSPACED) at = scanUnspaced(text, at, pair);
    else {
      const end = chunkEnd(text, at);
      chunk(at, end);
      at = end;
    }
  }
}

function chunkEnd(text: string, start: number): number {
  let at = start;
  let url = false;
  for (; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const surrogate = unit >= 0xd800 && unit <= 0xdfff;
    const kind = surrogate ? classAt(text, at) : classOfUnit(unit);
    if (kind === UNSPACED || (kind === BREAK && !(url && URL_UNITS.has(unit)))) break;
    if (surrogate) at += 1;
    if (kind === JOINER && unit === 58 && text.startsWith('://', at)) url = true;
  }
  return at;
}

function scanUnspaced(text: string, start: number, pair: (text: string) => void): number {
  let previous = '';
  let count = 0;
  let ideographs = 0;
  let at = start;
  while (at < text.length && classAt(text, at) === UNSPACED) {
    const width = isHighSurrogate(text.charCodeAt(at)) ? 2 : 1;
    const character = text.slice(at, at + width);
    const isOne = isIdeograph(text.codePointAt(at) ?? 0);
    if (!isOne && ideographs === 1) pair(previous);
    if (previous !== '') pair(previous + character);
    ideographs = isOne ? ideographs + 1 : 0;
    previous = character;
    count += 1;
    at += width;
  }
  if (count === 1 || ideographs === 1) pair(previous);
  return at;
}

/** Han characters, and the mark that repeats one. */
function isIdeograph(point: number): boolean {
  return (
    (point >= 0x4e00 && point <= 0x9fff) ||
    (point >= 0x3400 && point <= 0x4dbf) ||
    (point >= 0xf900 && point <= 0xfaff) ||
    (point >= 0x20000 && point <= 0x3ffff) ||
    point === 0x3005
  );
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

export { MAX_TERM_UNITS };
