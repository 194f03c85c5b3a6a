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
  const known = typeof value === 'object' && value !== null ? frozenTexts.get(value) : undefined;
  if (known !== undefined) return known;
  const text = isPlain(value) ? JSON.stringify(inOrder(value)) : canonicalize(value);
  if (text === undefined) throw new TypeError('undefined has no canonical JSON form');
  // A lone surrogate is the only thing that is escaped so; whole texts rarely hold the letters, and then each string is looked at.
  if (text.includes('\\ud')) refuseLoneSurrogates(value);
  return text;
}

export function digestOf(value: unknown): Digest {
  return sha256(canonicalJson(value));
}

/** Digest of a value that is deeply frozen from here on, so that its canonical text need not be worked out again. */
export function digestOfFrozen<T extends object>(value: T): { readonly digest: Digest; readonly value: T } {
  const text = canonicalJson(value);
  frozenTexts.set(deepFreeze(value), text);
  return { digest: sha256(text), value };
}

const frozenTexts = new WeakMap<object, string>();

export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}

const INDEX_KEY = /^\d+$/;

/** Nothing but what JSON.stringify writes as RFC 8785 wants it, once keys are in order; keys like indices would not stay so. */
function isPlain(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${value} has no canonical JSON form`);
      return true;
    case 'object': {
      if (value === null) return true;
      if (Array.isArray(value)) return value.every(isPlain);
      if ('toJSON' in value) return false;
      return Object.entries(value).every(([key, item]) => !INDEX_KEY.test(key) && (item === undefined || isPlain(item)));
    }
    default:
      return false;
  }
}

function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const ordered: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) setOwn(ordered, key, inOrder(Reflect.get(value, key)));
  return ordered;
}

function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, enumerable: true });
  else target[key] = value;
}

function refuseLoneSurrogates(value: unknown): void {
  if (typeof value === 'string') {
    if (!isWellFormed(value)) throw new TypeError('a lone surrogate has no canonical JSON form');
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      refuseLoneSurrogates(key);
      refuseLoneSurrogates(item);
    }
  }
}

/** True when the text has no lone surrogate. */
export function isWellFormed(text: string): boolean {
  return !/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text);
}
