/**
 * Making text that came from somewhere else safe to print: what would steer a terminal, or hide or reorder words, is shown as a sign.
 *
 * Invariant: what comes out has no control but line feed and tab, and no bidi, tag or other invisible format character.
 */

const BIDI_SOURCE = String.raw`\p{Bidi_Control}\p{Zl}\p{Zp}\u{E0000}-\u{E007F}`;
/** Invisible too, but what joins letters and pictures is part of how they are spelled. */
const HIDDEN_SOURCE = String.raw`(?![\u200C\u200D\uFE0E\uFE0F])[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cs}]`;
const STEERING = new RegExp(String.raw`[\p{Cc}${BIDI_SOURCE}]|${HIDDEN_SOURCE}`, 'gu');

/** May be of several lines: page text, excerpts. */
export function inert(text: string): string {
  return text.replace(STEERING, (found) => (found === '\n' || found === '\t' ? found : sign(found)));
}

/** One line whatever it was: paths, keys, messages; a line feed in a file name forges no second line. */
export function inertLine(text: string): string {
  return text.replace(STEERING, (found) => (found === '\t' ? ' ' : sign(found)));
}

/** `␛` for an escape; other characters by number. */
function sign(found: string): string {
  const point = found.codePointAt(0) ?? 0;
  if (point < 0x20) return String.fromCodePoint(0x2400 + point);
  if (point === 0x7f) return '\u2421';
  const digits = point.toString(16).toUpperCase();
  return point < 0x100 ? `\\x${digits}` : `\\u{${digits}}`;
}

/** The same value in JSON, spelled without a character that a terminal obeys. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(STEERING, (found) => (found === '\n' ? found : escapedUnits(found)));
}

function escapedUnits(text: string): string {
  return Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
}

/** Weight and colour, and renewing one's own line, are what this program writes itself; hiding and blinking are not. */
const OWN_SEQUENCE = String.raw`\x1b\[(?:[0-4]|7|9|2[1-9]|[349]\d|10\d)m|\r\x1b\[2K`;
const LEFT_OVER = new RegExp(String.raw`${OWN_SEQUENCE}|[\p{Cc}\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]`, 'gu');

/** The last gate before the terminal: whatever a command forgot to make inert. */
export function onlyOwnSequences(text: string): string {
  return text.replace(LEFT_OVER, (found) => (found.length > 2 || found === '\n' || found === '\t' ? found : sign(found)));
}
