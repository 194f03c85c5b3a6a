/** How a call that waits for a person's word is named: short enough to type, and of that call alone. */
import type { Digest } from '../../kernel/digest.js';

const PREFIX = 'req_';
const SHOWN_DIGITS = 16;

export function requestName(key: Digest): string {
  return PREFIX + key.slice(0, SHOWN_DIGITS);
}

/** The beginning of a call's key; what is no such name is that of no call. */
export function keyOfRequest(name: string): string {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : '';
}
