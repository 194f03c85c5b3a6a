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
import { ChunkMemory } from './chunk-memory.js';
import { type Cut, cutChunk, MAX_TERM_UNITS } from './cut-chunk.js';
import { fold, plain } from './fold.js';
import { isStopWord } from './stop-words.js';
import { BIGRAM, IDENTIFIER, STEM } from './term-namespaces.js';
import { unitAt, unitsOf } from './units.js';

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

const NOTHING: Analysed = { body: [], identifiers: [] };
/** What chunks were analysed to; made when the first text comes. */
let chunks: ChunkMemory<Analysed> | undefined;
/** Stems of words that were stemmed: the parts of names and addresses come back more often than the whole. */
const stems = new Map<string, string>();
const MOST_STEMS = 16_384;
/** V8 copies slices up to this length; a longer one would keep the text alive that it was cut from. */
const STEMS_UP_TO = 12;

const URL_UNITS = new Set([...'?=%,;!~*'].map((each) => each.charCodeAt(0)));

/** Terms of a text. */
export function indexTerms(text: string): IndexTerms {
  const body: string[] = [];
  const identifiers: string[] = [];
  const readable = plain(text);
  const units = unitsOf(readable);
  const pair = (both: string) => body.push(BIGRAM + both);
  chunks ??= new ChunkMemory(NOTHING);
  let at = 0;
  while (at < readable.length) {
    const unit = unitAt(units, at);
    const kind = isSurrogate(unit) ? classAt(readable, at) : classOfUnit(unit);
    if (kind === BREAK) at += 1;
    else if (kind === UNSPACED) at = scanUnspaced(readable, at, pair);
    else {
      const end = chunkEnd(readable, units, at);
      const found = chunks.recall(readable, units, at, end, analysed);
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
    unitsOf(readable),
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

function remembered(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const stem = stemmer(word);
  if (stems.size >= MOST_STEMS) stems.clear();
  stems.set(word, stem);
  return stem;
}

/** The Porter stem of a folded word when it has one that differs; English rules, so ASCII letters only. */
export function stemOf(word: string): string | undefined {
  if (word.length < 3) return undefined;
  for (let at = 0; at < word.length; at += 1) {
    const unit = word.charCodeAt(at);
    if (unit < 97 || unit > 122) return undefined;
  }
  const stem = word.length > STEMS_UP_TO ? stemmer(word) : remembered(word);
  return stem === word ? undefined : stem;
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
function scan(text: string, units: Uint16Array, chunk: (start: number, end: number) => void, pair: (text: string) => void): void {
  const length = text.length;
  let at = 0;
  while (at < length) {
    const kind = classAt(text, at);
    if (kind === BREAK) at += 1;
    else if (kind === UNSPACED) at = scanUnspaced(text, at, pair);
    else {
      const end = chunkEnd(text, units, at);
      chunk(at, end);
      at = end;
    }
  }
}

function chunkEnd(text: string, units: Uint16Array, start: number): number {
  let at = start;
  let url = false;
  for (; at < text.length; at += 1) {
    const unit = unitAt(units, at);
    const surrogate = isSurrogate(unit);
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

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

export { MAX_TERM_UNITS };
