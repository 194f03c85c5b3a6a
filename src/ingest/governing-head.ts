/**
 * Governing head: does the head of a page name who may see it, in a block that is not read as front matter?
 *
 * The head ends at the first heading, paragraph or anything else that is neither a key with its value, a comment nor a delimiter.
 *
 * Invariant: closed by default. A block that is nearly front matter counts like one that cannot be read; prose further down is prose.
 */

/** Units of the head that are looked at. */
const MAX_HEAD_UNITS = 64 * 1024;
/** Words of a value that stands without a delimiter above it; more of them are a sentence. */
const MAX_BARE_WORDS = 4;
/** Delimiters a head may have; each opening one is followed to its end. */
const MAX_DELIMITERS = 40;

export interface GoverningLine {
  readonly key: string;
  /** 1-based. */
  readonly line: number;
}

const NAMES = 'classification|sensitivity|permissions?(?:[_-]?ref)?|acl|access|tenants?(?:[_-]?scope)?|egress|allowed[_ -]?purposes';
const GOVERNING_LINE = new RegExp(`^[\\s{,>*-]*["']?(${NAMES})["']?[ \\t]{0,20}[:=](.*)$`, 'i');
const GOVERNING_IN_BRACES = new RegExp(`[{,\\s]["']?(${NAMES})["']?[ \\t]{0,20}:()`, 'i');
const KEY_LINE = /^\s*["']?[\p{L}_][\p{L}\p{N}_. -]{0,63}["']?[ \t]{0,20}(?::(?:\s|$)|=)/u;
const DELIMITER = /^\s*(?:-{3,}|\+{3,}|;{3,}|`{3,}|~{3,})[ \t]*(?:ya?ml|toml|json|#.*)?\s*$/i;
const CLOSING = /^\s*(?:-{3,}|\+{3,}|;{3,}|`{3,}|~{3,}|\.{3})\s*$/;
const CONTINUED = /^(?:\s+\S|\s*-\s|\s*[\]}[{"',])/;

/** `from` is where the body starts: 0 when no block was read. Below a block that was read, only a further delimited one counts. */
export function governingHead(text: string, from: number): GoverningLine | undefined {
  const head = text.slice(from, from + MAX_HEAD_UNITS);
  const before = from === 0 ? 0 : text.slice(0, from).split('\n').length - 1;
  const found = new HeadReader(withoutComments(head).split('\n'), from > 0).read();
  return found === undefined ? undefined : { key: found.key, line: found.line + before };
}

/** Of comments only what governs stays, in its line: some tools keep their fields in one. */
function withoutComments(head: string): string {
  return head.replace(/\ufeff|\u00a0/g, ' ').replace(/<!--([\s\S]*?)(?:-->|$)/g, (_, inside: string) =>
    inside
      .split('\n')
      .map((line) => (GOVERNING_LINE.test(line) ? line : ''))
      .join('\n'),
  );
}

class HeadReader {
  readonly #lines: readonly string[];
  readonly #onlyDelimited: boolean;
  #open = false;
  #delimiters = 0;
  #keysSeen = false;

  constructor(lines: readonly string[], onlyDelimited: boolean) {
    this.#lines = lines;
    this.#onlyDelimited = onlyDelimited;
  }

  read(): GoverningLine | undefined {
    for (let at = 0; at < this.#lines.length; at += 1) {
      const line = this.#lines[at] ?? '';
      if (this.#isDelimiter(line)) {
        this.#delimiters += 1;
        if (this.#delimiters > MAX_DELIMITERS) return undefined;
        const inside = this.#open ? undefined : this.#inBlock(at);
        if (inside !== undefined) return inside;
        this.#open = !this.#open;
        continue;
      }
      const key = this.#governs(line);
      if (key !== undefined) return { key, line: at + 1 };
      if (!this.#belongs(line, at)) return undefined;
    }
    return undefined;
  }

  #isDelimiter(line: string): boolean {
    return DELIMITER.test(line) || (this.#open && CLOSING.test(line));
  }

  /** A closed block most of whose lines are keys: a governing one counts wherever it stands in it. */
  #inBlock(opening: number): GoverningLine | undefined {
    let keys = 0;
    let others = 0;
    let found: GoverningLine | undefined;
    for (let at = opening + 1; at < this.#lines.length; at += 1) {
      const line = this.#lines[at] ?? '';
      if (CLOSING.test(line)) return keys > others ? found : undefined;
      if (line.trim() === '' || /^\s*[#\-}\]]/.test(line)) continue;
      if (KEY_LINE.test(line)) keys += 1;
      else if (!CONTINUED.test(line)) others += 1;
      const [, key] = GOVERNING_LINE.exec(line) ?? [];
      if (key !== undefined) found ??= { key, line: at + 1 };
    }
    return undefined;
  }

  #governs(line: string): string | undefined {
    if (this.#onlyDelimited && !this.#open && !/^\s*\{/.test(line)) return undefined;
    if (/^\s*\{/.test(line)) return GOVERNING_IN_BRACES.exec(line)?.[1];
    const [, key, value = ''] = GOVERNING_LINE.exec(line) ?? [];
    if (key === undefined || (!this.#open && !this.#keysSeen && isSentence(value))) return undefined;
    return key;
  }

  /** Whether the head goes on after this line. */
  #belongs(line: string, at: number): boolean {
    if (line.trim() === '' || /^\s*%[A-Z]/.test(line)) return true;
    if (/^\s*#/.test(line)) return this.#open && (this.#lines[at + 1] ?? '').trim() !== '';
    if (KEY_LINE.test(line)) {
      if (!this.#open && isSentence(line.slice(line.search(/[:=]/) + 1))) return false;
      this.#keysSeen = true;
      return true;
    }
    if (/^\s*\{/.test(line)) {
      this.#open = true;
      return true;
    }
    return (this.#open || this.#keysSeen) && CONTINUED.test(line);
  }
}

function isSentence(value: string): boolean {
  const words = value.trim().split(/\s+/).length;
  return words > MAX_BARE_WORDS || /[.?!]$/.test(value.trim());
}
