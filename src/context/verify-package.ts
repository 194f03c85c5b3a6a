/**
 * Answers for any package whether it still is what was frozen, and reads one of any format that is known here.
 *
 * Invariant: no byte of a stored package can differ unnoticed (PKG-01). A question only freezes; it does not load this.
 */
import type { ContextPackage } from '../domain/context-package.js';
import { deepFreeze, digestOf, sha256 } from '../kernel/digest.js';
import { Fault } from '../kernel/errors.js';
import { packageText } from './freeze.js';
import { PACKAGE_SCHEMAS } from './package-schema.js';

export type Verification = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** Recomputes every digest from the content. */
export function verifyPackage(entry: ContextPackage): Verification {
  if (bodyDigest(entry.body) !== entry.digest) return { ok: false, reason: 'the body does not match the digest' };
  const altered = entry.body.items.find((item) => sha256(item.excerpt) !== item.excerptDigest);
  if (altered !== undefined) return { ok: false, reason: `the excerpt of item ${altered.position + 1} does not match its digest` };
  return { ok: true };
}

/**
 * The package in a stored text, decoded by its format and verified. Throws `package/altered` when the text is anything but the
 * canonical form of a package whose digests hold, so that no byte of it can differ unnoticed.
 */
export function readPackage(text: string): ContextPackage {
  const entry = decodePackage(parsed(text));
  if (packageText(entry) !== text) throw new Fault('package/altered', { digest: entry.digest });
  return entry;
}

/**
 * As `readPackage`, for a value that was parsed elsewhere. Whole, and of a format that is not known here, is `package/unknown-format`:
 * nobody can tell what it says, and that is no reason to call it altered.
 */
export function decodePackage(value: unknown): ContextPackage {
  const entry = decoded(value);
  if (entry !== undefined && verifyPackage(entry).ok) return deepFreeze(entry);
  const format = formatOf(value);
  const whole = digestHolds(value);
  if (whole && format !== undefined && !Object.hasOwn(PACKAGE_SCHEMAS, format))
    throw new Fault('package/unknown-format', { format: format.slice(0, 80), known: Object.keys(PACKAGE_SCHEMAS) });
  throw new Fault('package/altered', { digest: claimedDigest(value) });
}

function formatOf(value: unknown): string | undefined {
  const format = property(property(value, 'body'), 'format');
  return typeof format === 'string' ? format : undefined;
}

function digestHolds(value: unknown): boolean {
  const body = property(value, 'body');
  return typeof body === 'object' && body !== null && bodyDigest(body) === property(value, 'digest');
}

function decoded(value: unknown): ContextPackage | undefined {
  const format = formatOf(value);
  const schema = format !== undefined && Object.hasOwn(PACKAGE_SCHEMAS, format) ? PACKAGE_SCHEMAS[format] : undefined;
  const result = schema?.safeParse(value);
  // The schema is the edge where untyped data becomes a package; package-schema.test.ts holds the two types together.
  return result?.success === true ? (result.data as ContextPackage) : undefined;
}

function bodyDigest(body: object): string | undefined {
  try {
    return digestOf(body);
  } catch (error) {
    // No canonical form, so nothing that was ever frozen.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Fault('package/altered', { digest: 'unreadable' }, { cause: error });
  }
}

function claimedDigest(value: unknown): string {
  const digest = property(value, 'digest');
  return typeof digest === 'string' && /^[0-9a-f]{64}$/.test(digest) ? digest : 'unreadable';
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}
