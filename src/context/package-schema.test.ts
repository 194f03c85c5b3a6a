import { readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { candidate, compileInput, retrieved } from '../../tests/support/candidates.js';
import type { ContextPackage, PackageBody } from '../domain/context-package.js';
import { PACKAGE_SCHEMAS, packageV1 } from './package-schema.js';
import { compileContext } from './pipeline.js';

type Decoded = z.output<typeof packageV1>;

describe('PKG-14 package schema', () => {
  it('has exactly the fields of the domain type', () => {
    expectTypeOf<keyof Decoded['body']>().toEqualTypeOf<keyof PackageBody>();
    expectTypeOf<keyof Decoded['body']['items'][number]>().toEqualTypeOf<keyof PackageBody['items'][number]>();
    expectTypeOf<keyof Decoded['body']['request']>().toEqualTypeOf<keyof PackageBody['request']>();
    expectTypeOf<Required<keyof Decoded>>().toEqualTypeOf<keyof ContextPackage>();
  });

  it('accepts what the compiler makes', () => {
    const entry = compileContext(compileInput(retrieved([candidate(), candidate({ firstLine: 90, tier: 'advisory' })]))).package;
    expect(packageV1.safeParse(entry).error).toBeUndefined();
    expect(Object.keys(PACKAGE_SCHEMAS)).toEqual([entry.body.format]);
  });

  it('is what schemas/context-package.schema.json says (run scripts/context-package-schema.mjs after a change)', () => {
    const stored: unknown = JSON.parse(readFileSync(new URL('../../schemas/context-package.schema.json', import.meta.url), 'utf8'));
    expect(stored).toEqual(JSON.parse(JSON.stringify(z.toJSONSchema(packageV1))));
  });
});
