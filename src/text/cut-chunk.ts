/**
 * Cuts one run of word characters and joining punctuation into the identifier it is and the words it is made of:
 * `config.retry_backoff_ms` → `#config.retry_backoff_ms`, `config`, `#retry_backoff_ms`, `retry`, `backoff`, `ms`.
 *
 * Invariant: each character is looked at a bounded number of times.
 */
import { classAt, classOfUnit, isDigit, isLower, isUpper, JOINER, WORD } from './characters.js';
import { fold } from './fold.js';

export interface Cut {
  readonly kind: 'word' | 'identifier';
  readonly role: 'whole' | 'compound' | 'element' | 'part';
  readonly surface: string;
  readonly folded: string;
  /** A question that names `python3` does not ask for `python`; a text that holds it answers both. */
  readonly textOnly?: true;
}

export const MAX_TERM_UNITS = 128;
/** A longer run of humps is noise (base64), not a name. */
const MAX_HUMPS = 10;

/** Where a name is taken apart, outermost first. A dot between digits never parts, so that versions stay whole. */
const LEVELS: readonly string[] = ['/?=%,;!~*', ':@#&$+', '.', '-', '_'];
/** By unit: the bit of the level that parts there. */
const LEVEL_OF = new Uint8Array(128);
for (const [level, separators] of LEVELS.entries()) {
  for (const sign of separators) LEVEL_OF[sign.charCodeAt(0)] = 1 << level;
}
/** `C++` in `C++17`, `C#` in `C#-based`. */
const INNER_SYMBOL_NAME = /(?<![A-Za-z0-9])[A-Za-z]{1,2}(?:\+\+|(?<![A-Za-z]{2})#)(?![A-Za-z#+])/g;
const DOT = 46;
const APOSTROPHE = "'";

export function cutChunk(chunk: string): readonly Cut[] {
  const cuts: Cut[] = [];
  if (isSimple(chunk)) {
    cutWord(chunk, 'whole', cuts);
    return cuts;
  }
  const text = trimEnd(chunk.includes('\\') ? withoutBackslashes(chunk) : chunk);
  const start = firstWordUnit(text);
  if (start === text.length) return cuts;
  const core = text.slice(start);
  const prefix = prefixOf(text, start);
  const dunder = text.startsWith('__') && chunk.endsWith('__') ? `__${core}__` : '';
  if (dunder !== '' || prefix !== '' || isSymbolName(core)) {
    pushIdentifier(dunder === '' ? prefix + core : dunder, 'whole', cuts);
    if (prefix !== '' && !isSimple(core)) pushIdentifier(core, 'part', cuts);
    cutName(core, 'part', 0, cuts);
  } else cutTop(core, cuts);
  return cuts;
}

/** A core without meaningful prefix: a word, a compound of words, or an identifier. */
function cutTop(core: string, cuts: Cut[]): void {
  if (isSimple(core)) cutWord(core, 'whole', cuts);
  else if (isApostropheWord(core)) cutApostrophes(core, 'whole', cuts);
  else if (isCompound(core)) {
    pushIdentifier(core, 'compound', cuts);
    cutName(core, 'element', 0, cuts);
  } else {
    pushIdentifier(core, 'whole', cuts);
    if (core.includes('+') || core.includes('#')) {
      for (const inner of core.matchAll(INNER_SYMBOL_NAME)) pushIdentifier(inner[0], 'part', cuts);
    }
    cutName(core, 'part', 0, cuts);
  }
}

/** How pieces of names were taken apart: `docs`, `latest` and `userguide` stand in every address of a manual. */
const PIECES = { element: new Map<string, readonly Cut[]>(), part: new Map<string, readonly Cut[]>() };
const MOST_PIECES = 16_384;
const LONGEST_PIECE = 40;

/** A piece of a name, as a name of its own. */
function cutPiece(piece: string, role: 'element' | 'part', level: number, cuts: Cut[]): void {
  if (piece.length > LONGEST_PIECE) {
    cutName(piece, role, level, cuts);
    return;
  }
  const pieces = PIECES[role];
  let own = pieces.get(piece);
  if (own === undefined) {
    const fresh: Cut[] = [];
    // A copy: a slice would keep all of the text alive that it was cut from.
    const name = ` ${piece}`.slice(1);
    cutName(name, role, level, fresh);
    own = fresh;
    if (pieces.size >= MOST_PIECES) pieces.clear();
    pieces.set(name, own);
  }
  for (const cut of own) cuts.push(cut);
}

/** Takes a name apart level by level; pieces that are names themselves are kept whole too. */
function cutName(name: string, role: 'element' | 'part', level: number, cuts: Cut[]): void {
  if (isSimple(name)) cutWord(name, role, cuts);
  else if (isApostropheWord(name)) cutApostrophes(name, role, cuts);
  else {
    const next = nextLevel(name, level);
    if (next === LEVELS.length) cutVersion(name, role, cuts);
    else cutPieces(split(name, 1 << next), name, role, next, cuts);
  }
}

/** The first level from here on that does anything to the name: one of its separators stands in it, or signs at its ends come off. */
function nextLevel(name: string, level: number): number {
  if (firstWordUnit(name) > 0 || trimEnd(name).length < name.length) return level;
  let levels = 0;
  for (let at = 0; at < name.length; at += 1) levels |= LEVEL_OF[name.charCodeAt(at)] ?? 0;
  let next = level;
  while (next < LEVELS.length && (levels & (1 << next)) === 0) next += 1;
  return next;
}

function cutPieces(pieces: readonly string[], name: string, role: 'element' | 'part', level: number, cuts: Cut[]): void {
  for (const piece of pieces) {
    if (piece !== name && !isSimple(piece) && !isApostropheWord(piece)) pushIdentifier(piece, 'part', cuts);
    cutPiece(piece, role, level + 1, cuts);
  }
}

/** What is left after all levels: digits with dots. `v1.2.3` is also the version `1.2.3`. */
function cutVersion(name: string, role: 'element' | 'part', cuts: Cut[]): void {
  if (/^[vV]\d/.test(name)) pushIdentifier(name.slice(1), 'part', cuts);
  let start = 0;
  for (let at = 0; at <= name.length; at += 1) {
    if (at < name.length && classAt(name, at) === WORD) continue;
    if (at > start) cutWord(name.slice(start, at), role, cuts);
    start = at + 1;
  }
}

function split(name: string, level: number): readonly string[] {
  const pieces: string[] = [];
  let start = 0;
  for (let at = 0; at <= name.length; at += 1) {
    if (at < name.length && !parts(name, at, level)) continue;
    const piece = trimEnd(name.slice(start, at));
    const first = firstWordUnit(piece);
    if (first < piece.length) pieces.push(first === 0 ? piece : piece.slice(first));
    start = at + 1;
  }
  return pieces;
}

/** `level` is the bit of it. */
function parts(name: string, at: number, level: number): boolean {
  const unit = name.charCodeAt(at);
  if ((LEVEL_OF[unit] ?? 0) !== level || classOfUnit(unit) === WORD) return false;
  return unit !== DOT || !(isDigit(name.charCodeAt(at - 1)) && isDigit(name.charCodeAt(at + 1)));
}

/** A single word: its humps when it is camel case, and number and unit when it has both. */
function cutWord(word: string, role: Cut['role'], cuts: Cut[]): void {
  if (word.length > MAX_TERM_UNITS) return;
  const folded = fold(word);
  if (folded === '') return;
  const humps = humpsOf(word);
  if (humps.length > 1) {
    const name = isProperName(word, humps.length);
    if (!name) pushIdentifier(word, role === 'element' ? 'part' : role, cuts);
    cuts.push({ kind: 'word', role: name ? role : 'part', surface: word, folded });
    for (const hump of humps) cuts.push({ kind: 'word', role: 'part', surface: hump, folded: hump.toLowerCase() });
    return;
  }
  cuts.push({ kind: 'word', role, surface: word, folded });
  const border = numberBorder(folded);
  if (border > 0) {
    cuts.push({ kind: 'word', role: 'part', surface: folded.slice(0, border), folded: folded.slice(0, border), textOnly: true });
    cuts.push({ kind: 'word', role: 'part', surface: folded.slice(border), folded: folded.slice(border), textOnly: true });
  }
}

/** `gate's` → gate; `don't` → dont; `O'Brien` → obrien, brien; `l'installation` → linstallation, installation. */
function cutApostrophes(text: string, role: Cut['role'], cuts: Cut[]): void {
  const pieces = text.split(APOSTROPHE).filter((each) => each !== '');
  const last = pieces.at(-1);
  if (last === undefined) return;
  if (pieces.length > 1 && (last === 's' || last === 'S')) pieces.pop();
  const word = pieces.join('');
  const folded = fold(word);
  if (pieces.length === 1) cutWord(word, role, cuts);
  else if (folded.length <= MAX_TERM_UNITS) cuts.push({ kind: 'word', role, surface: text, folded });
  if (pieces.length > 1 && last.length >= 3) cutWord(last, 'part', cuts);
}

function pushIdentifier(name: string, role: Cut['role'], cuts: Cut[]): void {
  if (name.length > MAX_TERM_UNITS) return;
  const folded = fold(name);
  if (folded.length <= MAX_TERM_UNITS) cuts.push({ kind: 'identifier', role, surface: name, folded });
}

/** Words joined by hyphens or slashes, nothing else: `pre-commit`, `read/write`. */
function isCompound(core: string): boolean {
  let humps = false;
  for (let at = 0; at < core.length; at += 1) {
    const unit = core.charCodeAt(at);
    if (unit === 45 || unit === 47) continue;
    if (isDigit(unit) || classOfUnit(unit) === JOINER) return false;
    if (at > 0 && isUpper(unit) && isLower(core.charCodeAt(at - 1))) humps = true;
  }
  return !humps;
}

function isSimple(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (classOfUnit(unit) === JOINER || (unit < 128 && classOfUnit(unit) !== WORD)) return false;
  }
  return true;
}

function isApostropheWord(text: string): boolean {
  if (!text.includes(APOSTROPHE)) return false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit !== 39 && unit < 128 && classOfUnit(unit) !== WORD) return false;
  }
  return true;
}

/** `C++`, `g++`, `Notepad++`, `C#`, `F#`. */
function isSymbolName(text: string): boolean {
  if (text.endsWith('++')) return isLetter(text.charCodeAt(text.length - 3)) && firstJoiner(text) === text.length - 2;
  return text.length === 2 && text.endsWith('#') && isLetter(text.charCodeAt(0));
}

function firstJoiner(text: string): number {
  let at = 0;
  while (at < text.length && classOfUnit(text.charCodeAt(at)) !== JOINER) at += 1;
  return at;
}

/** Punctuation at the end belongs to the sentence, except the signs of `C++` and `C#` and an `s` after an apostrophe. */
function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isTail(text, end)) end -= 1;
  const core = end === text.length ? text : text.slice(0, end);
  const possessive = core.length > 2 && core.charAt(core.length - 2) === APOSTROPHE && /[sS]$/.test(core);
  return possessive ? trimEnd(core.slice(0, -2)) : core;
}

function isTail(text: string, end: number): boolean {
  const unit = text.charCodeAt(end - 1);
  if (unit >= 128 || classOfUnit(unit) === WORD) return false;
  if (unit === 43 && text.charCodeAt(end - 2) === 43) return !isLetter(text.charCodeAt(end - 3));
  if (unit === 35 && isLetter(text.charCodeAt(end - 2))) return end > 2 && isLetter(text.charCodeAt(end - 3));
  return !(unit === 43 && text.charCodeAt(end) === 43);
}

function firstWordUnit(text: string): number {
  let at = 0;
  while (at < text.length && text.charCodeAt(at) < 128 && classOfUnit(text.charCodeAt(at)) !== WORD) at += 1;
  return at;
}

/** Leading signs that are part of the name: `--flag`, `-x`, `.net`, `@scope`, `$VAR`, `#123`. Path starts are not. */
function prefixOf(text: string, start: number): string {
  const signs = text.slice(0, start);
  const letter = isLetter(text.charCodeAt(start));
  if (signs === '-' || signs === '--' || signs === '.' || signs === '@' || signs === '$') return letter ? signs : '';
  return signs === '#' ? signs : '';
}

/** `a\_b` is an escape, `a\b` a path. */
function withoutBackslashes(text: string): string {
  return text.replace(/\\(?=[A-Za-z0-9])/g, '/').replaceAll('\\', '');
}

function isLetter(unit: number): boolean {
  return isLower(unit) || isUpper(unit);
}

/** `GitHub`, `JavaScript`: a name people also write in lower case, so it is no more special than that word. */
function isProperName(word: string, humps: number): boolean {
  return humps === 2 && isUpper(word.charCodeAt(0)) && !/\d/.test(word);
}

/** The humps of a camel-case name, acronym runs kept: `parseTideXMLResponse` → parse, Tide, XML, Response. */
function humpsOf(word: string): readonly string[] {
  const humps: string[] = [];
  let start = 0;
  if (!/[a-z]/.test(word)) return [word];
  for (let at = 1; at < word.length; at += 1) {
    if (word.charCodeAt(at) >= 128) return [word];
    if (!isHumpStart(word, at) || (at - start === 1 && start === 0)) continue;
    humps.push(word.slice(start, at));
    start = at;
  }
  humps.push(word.slice(start));
  return humps.length > MAX_HUMPS ? [word] : humps;
}

function isHumpStart(word: string, at: number): boolean {
  const unit = word.charCodeAt(at);
  if (!isUpper(unit)) return false;
  const before = word.charCodeAt(at - 1);
  if (isLower(before) || isDigit(before)) return true;
  if (at + 1 >= word.length || !isLower(word.charCodeAt(at + 1))) return false;
  // The plural of an acronym (`APIs`) is one word.
  return !(at + 2 === word.length && word.charAt(at + 1) === 's');
}

/** Where `10ms` and `python3` part number and letters; 0 when they do not. */
function numberBorder(word: string): number {
  if (!isDigit(word.charCodeAt(0)) && !isDigit(word.charCodeAt(word.length - 1))) return 0;
  const parts = /^(\d+)([a-z]{1,4})$|^([a-z]{3,})(\d+)$/.exec(word);
  return (parts?.[1] ?? parts?.[3])?.length ?? 0;
}
