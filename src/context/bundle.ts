/**
 * Bundle: one deterministic file that holds a package and can be checked anywhere, by anyone.
 *
 * Invariant: equal content gives equal bytes; a file that differs in one byte from what was written is refused.
 */
import type { ContextPackage } from '../domain/context-package.js';
import { canonicalJson, digestOf } from '../kernel/digest.js';
import { Fault } from '../kernel/errors.js';
import { BUNDLE_SCHEMAS, type Bundle } from './bundle-schema.js';
import { decodePackage } from './verify-package.js';

export interface ReadBundle {
  readonly entry: ContextPackage;
  readonly bundle: Bundle;
}

export function bundleText(content: Bundle['content']): string {
  const sealed = { format: 'colophon/bundle@1', content };
  return `${canonicalJson({ ...sealed, digest: digestOf(sealed) })}\n`;
}

/** Throws `package/altered` for anything but the bytes of `bundleText`, `package/unknown-format` for a whole bundle of a later format. */
export function readBundle(text: string): ReadBundle {
  const value = parsed(text);
  const { format, digest, content } = value;
  if (!isWhole(text, value)) throw altered(digest);
  const schema = typeof format === 'string' && Object.hasOwn(BUNDLE_SCHEMAS, format) ? BUNDLE_SCHEMAS[format] : undefined;
  if (typeof format === 'string' && schema === undefined && /^colophon\/bundle@\d+$/.test(format))
    throw new Fault('package/unknown-format', { format, known: Object.keys(BUNDLE_SCHEMAS) });
  // Before the rest, so that a package of a later format is told from a spoilt one.
  const entry = decodePackage(typeof content === 'object' && content !== null ? Reflect.get(content, 'package') : undefined);
  const bundle = schema?.safeParse(value);
  if (bundle?.success !== true) throw altered(digest);
  return { entry, bundle: bundle.data };
}

/** Canonical to the byte, and the digest that of all the rest. */
function isWhole(text: string, value: Readonly<Record<string, unknown>>): boolean {
  try {
    const { digest, ...sealed } = value;
    return `${canonicalJson(value)}\n` === text && digestOf(sealed) === digest;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw new Fault('package/altered', { digest: 'unreadable' }, { cause: error });
  }
  throw altered(undefined);
}

function altered(digest: unknown): Fault {
  return new Fault('package/altered', { digest: typeof digest === 'string' && /^[0-9a-f]{64}$/.test(digest) ? digest : 'unreadable' });
}
