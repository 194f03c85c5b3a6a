/**
 * PKG-01, PKG-14, PKG-15, VRS-04: what leaves a library can be checked by anyone. Files of every format that was ever written stay
 * readable; a file that was touched is refused; the published schemas describe what is really written.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { billOfMaterials, billV1 } from '../../src/context/bill-of-materials.js';
import { bundleText, readBundle } from '../../src/context/bundle.js';
import { BUNDLE_SCHEMAS, bundleV1 } from '../../src/context/bundle-schema.js';
import { freeze, packageText } from '../../src/context/freeze.js';
import { PACKAGE_SCHEMAS } from '../../src/context/package-schema.js';
import { decodePackage, readPackage, verifyPackage } from '../../src/context/verify-package.js';
import type { ContextPackage, PackageBody } from '../../src/domain/context-package.js';
import { packageId } from '../../src/domain/package-id.js';
import { canonicalJson, digestOf } from '../../src/kernel/digest.js';
import { Fault } from '../../src/kernel/errors.js';
import { runs } from '../support/proof-scale.js';

const fixture = (name: string) => readFileSync(new URL(`../fixtures/packages/${name}`, import.meta.url), 'utf8');
const schema = (name: string) => JSON.parse(readFileSync(new URL(`../../schemas/${name}`, import.meta.url), 'utf8'));

const stored = fixture('package-1.json');
const bundled = fixture('bundle-1.json');

function refusal(work: () => unknown): string {
  try {
    work();
    return 'accepted';
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}

describe('PKG-14 VRS-04 formats', () => {
  it('every format has a file that an earlier version wrote, and it is read to the digest it had then', () => {
    const names = [...Object.keys(PACKAGE_SCHEMAS), ...Object.keys(BUNDLE_SCHEMAS)].map((each) =>
      each.replace('colophon/', '').replace('@', '-'),
    );
    const files = readdirSync(new URL('../fixtures/packages/', import.meta.url)).map((each) => each.replace('.json', ''));
    expect(names.filter((each) => !files.includes(each))).toEqual([]);
    expect(readPackage(stored).digest).toBe('ac88d9be8d3b8a28f56386273c716b903c6960e85763456667c98c4d8dccbf50');
    expect(readBundle(bundled).entry).toEqual(readPackage(stored));
    expect(packageText(readPackage(stored))).toBe(stored);
    expect(bundleText(readBundle(bundled).bundle.content)).toBe(bundled);
  });

  it('a later format that is whole is named, with what to do; a broken one is altered', () => {
    const body = { ...readPackage(stored).body, format: 'colophon/package@9', soul: 'more' };
    const later = { digest: digestOf(body), body };
    expect(refusal(() => decodePackage(later))).toBe('package/unknown-format');
    expect(() => decodePackage(later)).toThrow('colophon/package@9');
    expect(refusal(() => decodePackage({ ...later, body: { ...body, soul: 'less' } }))).toBe('package/altered');
    const sealed = { format: 'colophon/bundle@9', content: { other: true } };
    const text = `${canonicalJson({ ...sealed, digest: digestOf(sealed) })}\n`;
    expect(refusal(() => readBundle(text))).toBe('package/unknown-format');
    expect(refusal(() => readBundle(text.replace('true', 'false')))).toBe('package/altered');
    const inside = { format: 'colophon/bundle@1', content: { package: later, bindings: [], recording: null } };
    expect(refusal(() => readBundle(`${canonicalJson({ ...inside, digest: digestOf(inside) })}\n`))).toBe('package/unknown-format');
  });
});

type Altered = readonly [path: string, altered: unknown];

/** Every leaf of the value, with another value of the same type in its place; every list, lengthened. */
function alterations(value: unknown, path: string): Altered[] {
  if (typeof value === 'string') return [[path, value === '' ? 'x' : `${value.slice(0, -1)}${value.endsWith('0') ? '1' : '0'}`]];
  if (typeof value === 'number') return [[path, value + 1]];
  if (typeof value === 'boolean') return [[path, !value]];
  if (Array.isArray(value)) {
    const inside = value.flatMap((part, at) =>
      alterations(part, `${path}.${at}`).map(([where, altered]): Altered => [where, value.with(at, altered)]),
    );
    return [[path, [...value, value[0] ?? 'more']], ...inside];
  }
  return Object.entries(Object(value)).flatMap(([key, part]) =>
    alterations(part, path === '' ? key : `${path}.${key}`).map(
      ([where, altered]): Altered => [where, { ...Object(value), [key]: altered }],
    ),
  );
}

/** Places that can be altered without the check noticing. */
function unnoticed(check: (entry: ContextPackage) => boolean): string[] {
  const { digest, body } = readPackage(stored);
  return alterations(body, '')
    .filter(([, altered]) => check({ digest, body: altered as PackageBody }))
    .map(([path]) => path);
}

describe('PKG-01 tampering', () => {
  it('a flipped bit in any byte of a bundle is detected; in the long proof every bit', () => {
    const bytes = Buffer.from(bundled);
    const bits = Math.min(8, runs(1));
    const accepted: string[] = [];
    for (let at = 0; at < bytes.length; at += 1)
      for (let turn = 0; turn < bits; turn += 1) {
        const bit = (at + turn) % 8;
        const altered = Buffer.from(bytes);
        altered[at] = (bytes[at] ?? 0) ^ (1 << bit);
        if (refusal(() => readBundle(altered.toString('utf8'))) !== 'package/altered') accepted.push(`${at}.${bit}`);
      }
    expect(bytes.length).toBeGreaterThan(5_000);
    expect(accepted).toEqual([]);
  });

  it('cut, lengthened, reordered and doubled bundles are detected', () => {
    const value = JSON.parse(bundled);
    const altered = [
      bundled.slice(0, -1),
      `${bundled}\n`,
      ` ${bundled}`,
      `\uFEFF${bundled}`,
      bundled.replace('"content":', '"content":{},"content":'),
      JSON.stringify(value, null, 1),
      `${JSON.stringify({ ...value, note: 'rides along' })}\n`,
      `${canonicalJson({ ...value, content: { ...value.content, bindings: [] } })}\n`,
      '',
      'null\n',
      '[]\n',
      '"text"\n',
    ];
    for (const text of altered)
      expect(
        refusal(() => readBundle(text)),
        text.slice(0, 60),
      ).toBe('package/altered');
  });

  it('a bundle whose own digest was mended still shows the digest of its package', () => {
    const value = JSON.parse(bundled);
    value.content.package.body.items[0].excerpt = 'Obey.';
    const sealed = { format: value.format, content: value.content };
    expect(refusal(() => readBundle(`${canonicalJson({ ...sealed, digest: digestOf(sealed) })}\n`))).toBe('package/altered');
    const body = { ...readPackage(stored).body, reason: 'mended throughout' };
    expect(freeze(body).digest).not.toBe(readPackage(stored).digest);
  });

  it('no field of a package can be altered, and a check that leaves one out is caught', () => {
    expect(unnoticed((entry) => verifyPackage(entry).ok)).toEqual([]);
    const { digest, body } = readPackage(stored);
    const blindTo = (name: keyof PackageBody) => (entry: ContextPackage) =>
      verifyPackage({ digest, body: { ...entry.body, [name]: body[name] } }).ok;
    for (const name of Object.keys(body) as (keyof PackageBody)[]) {
      const found = unnoticed(blindTo(name));
      expect(found.length, name).toBeGreaterThan(0);
      expect(
        found.every((path) => path.startsWith(name)),
        name,
      ).toBe(true);
    }
  });
});

describe('PKG-15 the bill of materials', () => {
  const entry = readPackage(stored);
  const attempt = { attempt: 'nightly-418' };
  const attempts = [{ package: packageId(entry.digest, attempt), ...attempt, createdAt: '2026-03-15T09:00:00.000Z' }];

  it('lists every item and every exclusion with version, hash and reason, and no text', () => {
    const bill = billOfMaterials(entry, attempts);
    expect(bill.items.map(({ artifact, blob, excerptDigest, reason }) => [artifact, blob, excerptDigest, reason])).toEqual(
      entry.body.items.map(({ artifact, blob, excerptDigest, reason }) => [artifact, blob, excerptDigest, reason]),
    );
    expect(bill.items.length).toBeGreaterThan(2);
    expect(bill.excluded).toEqual(entry.body.excluded);
    expect(billV1.parse(JSON.parse(fixture('bill-of-materials-1.json'))).package.digest).toBe(entry.digest);
    const text = JSON.stringify(bill);
    for (const { excerpt } of entry.body.items) expect(text).not.toContain(JSON.stringify(excerpt).slice(1, -1));
  });

  it.each([
    ['context-package.schema.json', () => JSON.parse(stored), 'body'],
    ['package-bundle.schema.json', () => JSON.parse(bundled), 'content'],
    ['context-bill-of-materials.schema.json', () => JSON.parse(JSON.stringify(billOfMaterials(entry, attempts))), 'items'],
  ])('%s, as published, takes what is written and refuses what is not', (name, value, part) => {
    const published = z.fromJSONSchema(schema(name));
    expect(published.safeParse(value()).error).toBeUndefined();
    expect(published.safeParse({ ...value(), rides: 'along' }).success).toBe(false);
    const { [part]: _, ...less } = value();
    expect(published.safeParse(less).success).toBe(false);
  });

  it('the published schemas are those of the code (run scripts/context-package-schema.mjs after a change)', () => {
    expect(schema('package-bundle.schema.json')).toEqual(JSON.parse(JSON.stringify(z.toJSONSchema(bundleV1))));
    expect(schema('context-bill-of-materials.schema.json')).toEqual(JSON.parse(JSON.stringify(z.toJSONSchema(billV1))));
  });
});
