/**
 * Digests and the one canonical JSON form (RFC 8785) that everything signed, stored or compared goes through.
 *
 * Invariant: equal values give equal bytes; a value with no canonical form (NaN, a lone surrogate) is refused, never repaired.
 */
import { createHash, hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** Lower-case hexadecimal SHA-256, 64 characters. */
export type Digest = string & { readonly __brand: 'Digest' };

export function sha256(content: string | Uint8Array): Digest {
  return hash('sha256', content, 'hex') as Digest;
}

/** Git's own name for a blob with these bytes (SHA-1 object format), 40 hexadecimal characters. */
export function gitBlobId(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.byteLength}\0`).update(bytes).digest('hex');
}

/** RFC 8785 text of plain JSON data. Throws a TypeError for what JSON cannot say. */
export function canonicalJson(value: unknown): string {
  refuseUnsayable(value);
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('undefined has no canonical JSON form');
  return text;
}

export function digestOf(value: unknown): Digest {
  return sha256(canonicalJson(value));
}

function refuseUnsayable(value: unknown): void {
  if (typeof value === 'string') {
    if (!isWellFormed(value)) throw new TypeError('a lone surrogate has no canonical JSON form');
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`${value} has no canonical JSON form`);
  } else if (Array.isArray(value)) {
    for (const item of value) refuseUnsayable(item);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      refuseUnsayable(key);
      refuseUnsayable(item);
    }
  }
}

/** True when the text has no lone surrogate. */
export function isWellFormed(text: string): boolean {
  return !/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text);
}
