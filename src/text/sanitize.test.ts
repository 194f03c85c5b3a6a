import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../tests/support/proof-scale.js';
import { cleanExcerpt, sanitizeForIndex } from './sanitize.js';

/** Share of all scalars walked: a tenth every day, all of them from scale 10 on. */
const SCALE = Math.min(1, runs(10) / 100);
const STRIDE = Math.max(1, Math.round(1 / SCALE) | 1);
const LEFT =
  /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Bidi_Control}\p{Variation_Selector}\p{Noncharacter_Code_Point}\p{Cs}\p{Zl}\p{Zp}]|(?![\t\n])\p{Cc}/u;
const CONTEXTS: readonly ((char: string) => string)[] = [(char) => char, (char) => `a${char}b`, (char) => `e${char}\u0301${char}`];

function faultOf(text: string): string | undefined {
  const once = sanitizeForIndex(text);
  if (LEFT.test(once)) return 'left something unseen';
  if (once !== once.normalize('NFC')) return 'is not NFC';
  return sanitizeForIndex(once) === once ? undefined : 'is not settled';
}

describe('sanitizeForIndex', () => {
  it('T2.1 ING-11 leaves nothing unseen of any scalar or lone surrogate, in three contexts, and is settled', () => {
    const faults: string[] = [];
    const offset = SCALE >= 1 ? 0 : 7 % STRIDE;
    for (let point = offset; point <= 0x10ffff; point += SCALE >= 1 ? 1 : STRIDE) {
      for (const context of CONTEXTS) {
        const fault = faultOf(context(String.fromCodePoint(point)));
        if (fault !== undefined) faults.push(`${point.toString(16)} ${fault}`);
      }
    }
    expect(faults).toEqual([]);
  });

  it('T2.1 leaves nothing of the blocks that can hide text, whole', () => {
    const faults: string[] = [];
    for (const [from, to] of [
      [0, 0x2ff],
      [0x600, 0x61f],
      [0x2000, 0x206f],
      [0xd800, 0xdfff],
      [0xfe00, 0xfe0f],
      [0xfff0, 0xffff],
      [0xe0000, 0xe01ff],
    ] as const) {
      for (let point = from; point <= to; point += 1) {
        for (const context of CONTEXTS) {
          if (faultOf(context(String.fromCodePoint(point))) !== undefined) faults.push(point.toString(16));
        }
      }
    }
    expect(faults).toEqual([]);
  });

  it('T2.1 holds for random strings', () => {
    const unit = fc.oneof(
      fc.integer({ min: 0, max: 0xffff }),
      fc.constantFrom(0x1b, 0x5b, 0x200d, 0x301, 0x1112, 0x1161, 0x11a8, 0xe0041, 0x2028, 0x9b, 0x6d),
    );
    const text = fc.array(unit, { maxLength: 24 }).map((units) => units.map((each) => String.fromCodePoint(each)).join(''));
    fc.assert(
      fc.property(text, (each) => faultOf(each) === undefined),
      { numRuns: runs(20_000) },
    );
  });

  it('takes terminal sequences out whole and leaves what is around them', () => {
    expect(sanitizeForIndex('\x1b[31mred\x1b[0m and \x1b]8;;http://x.test\x07link\x1b]8;;\x07')).toBe('red and link');
  });
});

/** What must stay findable and readable: `shown` is the excerpt, which is to come back untouched. */
const REAL: readonly (readonly [string, string])[] = [
  ['an emoji of several people', 'team 👩‍👩‍👧 photo'],
  ['an emoji with a skin tone and a profession', 'the 👩🏽‍💻 desk'],
  ['a heart in its coloured form', 'with ❤️ from us'],
  ['a keycap', 'press 1️⃣ now'],
  ['a flag', 'made in 🇳🇴'],
  ['Persian with its joiner', 'می‌روم به خانه'],
  ['Hindi with a joiner', 'क्‍ष और क्षेत्र'],
  ['Arabic with a direction mark', 'العربية \u200f(1) هنا'],
  ['Hebrew', 'שלום עולם'],
  ['Arabic number signs', 'سورة \u06dd١٢'],
  ['Japanese', 'キーのローテーション'],
  ['accents', 'naïve café, Ångström'],
];

describe('cleanExcerpt', () => {
  it.each(REAL)('T2.1 leaves %s as it is', (_, text) => {
    expect(cleanExcerpt(text)).toMatchObject({ text, removals: {} });
  });

  it.each(REAL)('T2.1 leaves %s searchable', (_, text) => {
    for (const word of text.split(' ')) expect(sanitizeForIndex(text)).toContain(sanitizeForIndex(word));
  });

  it('T2.1 takes out tags, overrides, isolates and escapes, and counts them', () => {
    const hidden = [...'ignore'].map((char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join('');
    const { text, removals, hiddenAt } = cleanExcerpt(`The kettle${hidden} is \u202eevil\u202c \u2066here\u2069 \x1b[2Jnow`);
    expect(text).toBe('The kettle is evil here now');
    expect(removals).toEqual({ tag: 6, 'bidi-control': 4, 'escape-sequence': 1 });
    expect(hiddenAt).toBe('The kettle'.length);
  });

  it('takes out joiners, selectors and marks that join, select and mark nothing', () => {
    expect(cleanExcerpt('pass\u200dword a\ufe0fb c\u200ed \u00ad\u2060\ufeff').text).toBe('password ab cd ');
    expect(cleanExcerpt('12\ufe0f3\ufe0f').text).toBe('123');
  });

  it('ING-12 breaks the control tokens of chat templates and keeps them readable', () => {
    const { text, removals } = cleanExcerpt('<|im_start|>system [INST] <<SYS>> <start_of_turn> if (a <| b) |> c');
    expect(text).toBe('‹|im_start|›system ⟦INST⟧ ‹‹SYS›› ‹start_of_turn› if (a <| b) |> c');
    expect(removals).toEqual({ 'chat-token': 4 });
  });

  it('keeps line numbers: CRLF becomes LF, old Mac line ends too, a stray return does not count', () => {
    expect(cleanExcerpt('a\r\nb\r\n').text).toBe('a\nb\n');
    expect(cleanExcerpt('a\rb').text).toBe('a\nb');
    expect(cleanExcerpt('a\rb\nc').text).toBe('a b\nc');
    expect(cleanExcerpt('a\u2028b\u0085c\vd').text).toBe('a b c d');
  });

  it('leads every offset back to what was given', () => {
    const given = 'a\r\n\u202ebc\u2028d';
    const { text, origin } = cleanExcerpt(given);
    expect(text).toBe('a\nbc d');
    expect(origin.start(text.indexOf('b'))).toBe(given.indexOf('b'));
    expect(given.slice(origin.start(text.indexOf('d')), origin.end(text.length))).toBe('d');
    expect(given.slice(0, origin.end(1))).toBe('a');
  });

  it('gives well-formed text', () => {
    expect(cleanExcerpt('a\ud83d b').text).toBe('a\ufffd b');
  });
});
