/**
 * Globs over POSIX paths: `?`, `*`, `**` as a whole part, `[abc]`, `{a,b}`, `\` before a character that means itself, and a leading `!`.
 *
 * Patterns come from requests and from checkouts, so they are matched by stepping, never by a regular expression.
 *
 * Invariant: matching takes time in proportion to pattern times path, whatever the pattern is.
 */

export type GlobMatcher = (path: string) => boolean;

const MOST_CHARACTERS = 200;
const MOST_WILDCARDS = 16;
const MOST_BRACES = 4;
const MOST_ALTERNATIVES = 64;

/** Why a pattern is refused, as what it must be; undefined when it is fine. A path spelled out may be of any length. */
export function globExpectation(glob: string): string | undefined {
  const bare = glob.replace(/\\[\s\S]/g, '_');
  if (bare.includes('(')) return 'a glob without `(`; `{a,b}` says either, and `\\(` means the character itself';
  if (!/[*?[{]/.test(bare)) return undefined;
  if (glob.length > MOST_CHARACTERS) return `a glob of at most ${MOST_CHARACTERS} characters`;
  if ((bare.match(/\*+|[?[]/g)?.length ?? 0) > MOST_WILDCARDS) return `a glob with at most ${MOST_WILDCARDS} wildcards`;
  if ((bare.match(/\{/g)?.length ?? 0) > MOST_BRACES) return `a glob with at most ${MOST_BRACES} braces`;
  if (/\{[^{},]*\.\.[^{},]*\}/.test(bare)) return 'a glob that lists what it means: `{1,2,3}`, no range';
  if (alternatives(glob).length > MOST_ALTERNATIVES) return `a glob of at most ${MOST_ALTERNATIVES} alternatives`;
  return undefined;
}

/** True when the pattern can match more than the one path it spells. */
export function isGlob(glob: string): boolean {
  return /[*?]|\[[^/]+\]|\{[^{}]*,/.test(glob.replace(/\\[\s\S]/g, '_'));
}

/** Matches what any of the patterns does. `negate: false` reads a leading `!` as a character. */
export function globMatcher(globs: readonly string[], { negate = true } = {}): GlobMatcher {
  const each = globs.map((glob) => matcherOf(glob, negate));
  return (path) => each.some((matches) => matches(path));
}

function matcherOf(glob: string, negate: boolean): GlobMatcher {
  if (negate && glob.startsWith('!')) {
    const matches = matcherOf(glob.slice(1), true);
    return (path) => !matches(path);
  }
  const patterns = alternatives(glob).map((each) => each.split('/').map(compilePart));
  return (path) => {
    const parts = path.split('/');
    return patterns.some((pattern) => stepped(pattern, parts, ANY_PARTS, partMatches));
  };
}

/** Text of braces multiplied out, outermost and leftmost first; braces without a comma are characters. */
function alternatives(glob: string): readonly string[] {
  const brace = firstBrace(glob);
  if (brace === undefined) return [glob];
  const before = glob.slice(0, brace.start);
  const after = glob.slice(brace.end + 1);
  const out: string[] = [];
  for (const option of brace.options) {
    // One more than is allowed is enough to refuse; nobody multiplies out millions to count them.
    if (out.length > MOST_ALTERNATIVES) break;
    out.push(...alternatives(before + option + after));
  }
  return out;
}

function firstBrace(glob: string): { readonly start: number; readonly end: number; readonly options: readonly string[] } | undefined {
  for (let start = 0; start < glob.length; start += 1) {
    if (glob[start] === '\\') start += 1;
    else if (glob[start] === '{') {
      const brace = braceAt(glob, start);
      if (brace !== undefined) return brace;
    }
  }
  return undefined;
}

function braceAt(glob: string, start: number) {
  const options: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let at = start; at < glob.length; at += 1) {
    const character = glob[at];
    if (character === '\\') at += 1;
    else if (character === '{') depth += 1;
    else if (character === ',' && depth === 1) {
      options.push(glob.slice(from, at));
      from = at + 1;
    } else if (character === '}') {
      depth -= 1;
      if (depth > 0) continue;
      return options.length === 0 ? undefined : { start, end: at, options: [...options, glob.slice(from, at)] };
    }
  }
  return undefined;
}

const ANY_PARTS = Symbol('**');
const ANY_TEXT = Symbol('*');
type OneCharacter = (character: string) => boolean;
type Token = string | OneCharacter | typeof ANY_TEXT;
type Part = readonly Token[] | typeof ANY_PARTS;

function compilePart(text: string): Part {
  if (text === '**') return ANY_PARTS;
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    const set = character === '[' ? characterSet(text, at) : undefined;
    if (set !== undefined) {
      tokens.push(set.matches);
      at = set.end;
    } else if (character === '*') {
      if (tokens.at(-1) !== ANY_TEXT) tokens.push(ANY_TEXT);
    } else if (character === '?') tokens.push(() => true);
    else if (character === '\\' && at + 1 < text.length) {
      at += 1;
      tokens.push(text.charAt(at));
    } else tokens.push(character);
  }
  return tokens;
}

function characterSet(text: string, start: number): { readonly matches: OneCharacter; readonly end: number } | undefined {
  const inverted = /[!^]/.test(text.charAt(start + 1));
  const from = start + (inverted ? 2 : 1);
  const end = text.indexOf(']', from + 1);
  if (end < 0) return undefined;
  const ranges: (readonly [string, string])[] = [];
  for (let at = from; at < end; at += 1) {
    if (text[at] === '\\' && at + 1 < end) at += 1;
    const low = text.charAt(at);
    const ranged = text[at + 1] === '-' && at + 2 < end;
    ranges.push([low, ranged ? text.charAt(at + 2) : low]);
    if (ranged) at += 2;
  }
  return { matches: (character) => ranges.some(([low, high]) => character >= low && character <= high) !== inverted, end };
}

function partMatches(part: Part, text: string): boolean {
  if (part === ANY_PARTS) return true;
  if (text === '') return part.length === 0;
  return stepped(part, text, ANY_TEXT, (token, character) => (typeof token === 'function' ? token(character) : token === character));
}

/**
 * Steps through both at once. After a mismatch the last star takes one more; an earlier star never needs to, as what lies between
 * was found as early as it could be.
 */
function stepped<P, T>(pattern: readonly P[], subject: ArrayLike<T>, star: P, matches: (wanted: P, found: T) => boolean): boolean {
  let at = 0;
  let next = 0;
  let afterStar = -1;
  let taken = 0;
  while (next < subject.length) {
    const wanted = pattern[at];
    if (wanted === star) {
      at += 1;
      afterStar = at;
      taken = next;
    } else if (wanted !== undefined && matches(wanted, subject[next] as T)) {
      at += 1;
      next += 1;
    } else if (afterStar >= 0) {
      at = afterStar;
      taken += 1;
      next = taken;
    } else return false;
  }
  while (pattern[at] === star) at += 1;
  return at === pattern.length;
}
