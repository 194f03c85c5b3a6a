/**
 * Term keys: the form in which terms are ordered and stored.
 *
 * A stem's list stands right behind the word spelt like it, so that a question finds both in one block.
 * Invariant: keys of different terms differ; their bytes have the order of their UTF-16 code units.
 */
import { STEM } from '../domain/fields.js';

/** Below every character of a word. */
const BEHIND = '\u0001';

export function keyOf(term: string): string {
  if (term.startsWith(STEM)) return term.slice(STEM.length) + BEHIND;
  return term.includes(BEHIND) ? STEM + term : term;
}

/** One to three bytes for each UTF-16 code unit. Most keys are plain ASCII. */
export function keyBytes(key: string): Uint8Array {
  const bytes = new Uint8Array(key.length);
  for (let at = 0; at < key.length; at++) {
    const unit = key.charCodeAt(at);
    if (unit >= 128) return widerBytes(key);
    bytes[at] = unit;
  }
  return bytes;
}

function widerBytes(key: string): Uint8Array {
  const bytes = new Uint8Array(key.length * 3);
  let filled = 0;
  for (let at = 0; at < key.length; at++) {
    const unit = key.charCodeAt(at);
    if (unit < 128) bytes[filled++] = unit;
    else if (unit < 2048) {
      bytes[filled++] = 192 | (unit >> 6);
      bytes[filled++] = 128 | (unit & 63);
    } else {
      bytes[filled++] = 224 | (unit >> 12);
      bytes[filled++] = 128 | ((unit >> 6) & 63);
      bytes[filled++] = 128 | (unit & 63);
    }
  }
  return bytes.slice(0, filled);
}

/** The key of these bytes. */
export function keyText(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at++] ?? 0;
    if (first < 128) text += String.fromCharCode(first);
    else if (first < 224) text += String.fromCharCode(((first & 31) << 6) | ((bytes[at++] ?? 0) & 63));
    else {
      const second = (bytes[at++] ?? 0) & 63;
      text += String.fromCharCode(((first & 15) << 12) | (second << 6) | ((bytes[at++] ?? 0) & 63));
    }
  }
  return text;
}
