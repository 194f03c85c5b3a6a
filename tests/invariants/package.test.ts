/** T4.1, T4.2, PKG-01, PKG-02, PKG-06, PKG-07, PKG-14, T1.1: one package has one digest, and any change to it is seen. */
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freeze, isUsable, packageText } from '../../src/context/freeze.js';
import { compileContext } from '../../src/context/pipeline.js';
import { render } from '../../src/context/spotlight.js';
import { decodePackage, readPackage, verifyPackage } from '../../src/context/verify-package.js';
import { CLASSIFICATIONS } from '../../src/domain/classification.js';
import type { ContextPackage } from '../../src/domain/context-package.js';
import { sealEligible } from '../../src/domain/seal-eligible.js';
import { canonicalJson, digestOf } from '../../src/kernel/digest.js';
import { Fault } from '../../src/kernel/errors.js';
import { ASK, anyRetrieved, candidate, compartmentOf, compileInput, retrieved, TODAY } from '../support/candidates.js';
import { runs } from '../support/proof-scale.js';

const rich = retrieved(
  [
    candidate({ meta: { verifiedAt: TODAY } }),
    candidate({
      tier: 'untrusted',
      source: 'wiki',
      path: 'ropes.md',
      title: 'Ropes “dry”',
      excerpt: 'Ropes\tare dry.\n\n液压 👩‍🚀',
      curated: false,
    }),
    candidate({
      authorityClass: 'governing',
      path: 'rules.md',
      classification: 'confidential',
      duplicates: [{ source: 'wiki', path: 'r.md', lines: { start: 1, end: 2 } }],
    }),
    candidate({ path: 'old.md', meta: { supersededBy: 'rules.md' } }),
  ],
  { conflicts: [{ artifacts: ['ka_b', 'ka_a'], reason: 'they name different valves' }], unheld: ['flux', 'ERR-4012'] },
);
const { package: entry, rendered } = compileContext(compileInput(rich));

describe('T4.1 a package is reproducible', () => {
  it('does not depend on the order in which sets and reports arrive', () => {
    fc.assert(
      fc.property(anyRetrieved, fc.infiniteStream(fc.nat()), (from, stream) => {
        const shuffled = <T>(list: readonly T[]): T[] =>
          list
            .map((value) => [stream.next().value ?? 0, value] as const)
            .sort(([a], [b]) => a - b)
            .map(([, value]) => value);
        const excluded = from.candidates.map(({ artifact, page }) => ({
          artifact: `${artifact.id}x`,
          source: page.source,
          path: page.path,
          title: page.title,
          reason: 'below-floor' as const,
          detail: 'x',
        }));
        const one = compileInput({ ...from, excluded }, { scope: { sources: ['a', 'b', 'c'], tags: ['t', 's'] } });
        const requester = { ...ASK.requester, groups: new Set(shuffled([...ASK.requester.groups])) };
        const other = compileInput(
          { ...from, excluded: shuffled(excluded), trace: [{ step: 's', in: 1, out: 1, note: 'another run' }] },
          {
            scope: { tags: ['s', 't'], sources: shuffled(['a', 'b', 'c']) },
            ask: { ...ASK, requester, at: (ASK.at + 3_600_000) as typeof ASK.at },
          },
        );
        expect(compileContext(other)).toEqual(compileContext(one));
      }),
      { numRuns: runs(200) },
    );
  });

  it.each(['UTC', 'Pacific/Kiritimati', 'America/St_Johns', 'Asia/Kathmandu'])('has the same bytes in time zone %s', (zone) => {
    const before = process.env['TZ'];
    process.env['TZ'] = zone;
    try {
      expect(compileContext(compileInput(rich)).package.digest).toBe(entry.digest);
      expect(entry.body.expires).toBe('2026-03-22');
    } finally {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    }
  });

  it('cannot depend on locale, clock or chance: the stage names none of them', () => {
    const folder = new URL('../../src/context/', import.meta.url);
    const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
    expect(files.length).toBeGreaterThan(10);
    for (const name of files) {
      const code = readFileSync(new URL(name, folder), 'utf8');
      expect(code, name).not.toMatch(/\bIntl\b|localeCompare|toLocale|Math\.random|Date\.now|new Date\(\)|process\.|randomUUID/);
    }
  });

  it('a stored package renders to the bytes it was compiled to', () => {
    fc.assert(
      fc.property(anyRetrieved, (from) => {
        const made = compileContext(compileInput(from));
        expect(render(readPackage(packageText(made.package)).body)).toBe(made.rendered);
      }),
      { numRuns: runs(200) },
    );
  });

  it('T1.1 is the same when compartments the asker may not see come and go', () => {
    const facts = [...rich.eligible.compartments].map((each) => ({
      compartment: each,
      source: { id: each.source, state: 'active' as const, owner: 'role:docs', freshnessSloMs: 1 },
      readers: ['readers'],
    }));
    const hidden = { ...facts[0], compartment: compartmentOf('restricted', 'payroll'), readers: ['hr'], source: facts[0]?.source };
    const eligible = sealEligible([...facts, hidden], ASK);
    expect(compileContext(compileInput({ ...rich, eligible }))).toEqual({ package: entry, rendered });
    expect(packageText(entry)).not.toContain('payroll');
  });
});

describe('PKG-01 PKG-02 tampering', () => {
  it('any single changed byte of the stored text is detected, exhaustively', () => {
    const bytes = Buffer.from(packageText(entry));
    let accepted = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      for (const flip of [0x01, 0x20, 0x80]) {
        const altered = Buffer.from(bytes);
        altered[at] = (bytes[at] ?? 0) ^ flip;
        try {
          readPackage(altered.toString('utf8'));
          accepted += 1;
        } catch (error) {
          if (!(error instanceof Fault) || error.code !== 'package/altered') throw error;
        }
      }
    }
    expect(bytes.length).toBeGreaterThan(3_000);
    expect(accepted).toBe(0);
    expect(readPackage(bytes.toString('utf8'))).toEqual(entry);
  });

  it('dropped, added, reordered and duplicated parts are detected', () => {
    const text = packageText(entry);
    const { body } = entry;
    const altered: unknown[] = [
      { ...entry, body: { ...body, items: body.items.slice(1) } },
      { ...entry, body: { ...body, items: [...body.items].reverse() } },
      { ...entry, body: { ...body, excluded: [] } },
      { ...entry, body: { ...body, gaps: [...body.gaps, 'more'] } },
      { ...entry, body: { ...body, note: 'rides along' } },
      { ...entry, note: 'rides along' },
      freeze({ ...body, items: body.items.map((item, at) => (at === 0 ? { ...item, excerpt: 'Obey.' } : item)) }),
      { body },
      null,
      'text',
    ];
    for (const value of altered) expect(() => decodePackage(value)).toThrow(Fault);
    expect(() => readPackage(`${text} `)).toThrow(Fault);
    expect(() => readPackage(text.replace('{"body":', '{"body":{},"body":'))).toThrow(Fault);
    expect(verifyPackage(entry)).toEqual({ ok: true });
  });

  it('PKG-02 cannot be changed in memory', () => {
    expect(() => Object.assign(entry.body.items[0] ?? {}, { excerpt: 'Obey.' })).toThrow(TypeError);
    expect(() => (entry.body.items as unknown[]).push('more')).toThrow(TypeError);
  });

  it('PKG-14 refuses a format it has no decoder for', () => {
    for (const format of ['colophon/package@2', 'toString', '__proto__']) {
      expect(() => decodePackage({ ...entry, body: { ...entry.body, format } })).toThrow(Fault);
    }
  });
});

describe('what a package says of itself', () => {
  it('PKG-06 its classification is the highest of all it names, also below the floor; its taint any fenced item', () => {
    fc.assert(
      fc.property(anyRetrieved, fc.constantFrom(undefined, ...CLASSIFICATIONS), fc.boolean(), (from, named, noContext) => {
        const input = compileInput({ ...from, noContext });
        const { body } = compileContext(named === undefined ? input : { ...input, named }).package;
        const offered = from.candidates.map(({ page }) => page.compartment.classification);
        const shown = new Set([...body.items, ...body.excluded].map(({ artifact }) => artifact));
        expect(from.candidates.every(({ artifact }) => shown.has(artifact.id))).toBe(true);
        const highest = Math.max(...[...offered, named ?? 'public'].map((each) => CLASSIFICATIONS.indexOf(each)));
        expect(body.classification).toBe(CLASSIFICATIONS[highest]);
        expect(body.taint).toBe(body.items.some(({ tier }) => tier === 'untrusted' || tier === 'advisory'));
      }),
      { numRuns: runs(200) },
    );
  });

  it('PKG-07 it expires after the policy’s days, and no later than what it quotes', () => {
    const brief = candidate({ meta: { validUntil: '2026-03-17' as typeof TODAY } });
    const { body } = compileContext(compileInput(retrieved([candidate(), brief]))).package;
    expect(body.expires).toBe('2026-03-17');
    expect(isUsable(body, '2026-03-17' as typeof TODAY)).toBe(true);
    expect(isUsable(body, '2026-03-18' as typeof TODAY)).toBe(false);
  });

  it('CTX-08 CTX-09 it carries gaps and conflicts', () => {
    expect(entry.body.gaps).toEqual(['flux', 'ERR-4012']);
    expect(entry.body.conflicts).toEqual([{ artifacts: ['ka_a', 'ka_b'], reason: 'they name different valves' }]);
  });

  it('a question with a lone surrogate is recorded, repaired', () => {
    expect(compileContext(compileInput(rich, { text: 'gate \uD800?' })).package.body.request.text).toBe('gate \uFFFD?');
  });
});

describe('T4.2 canonical JSON', () => {
  it('RFC 8785: numbers as ECMAScript writes them, keys by UTF-16 unit, minimal escapes', () => {
    const numbers: unknown = JSON.parse(
      '[333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001, -0, 9007199254740993, 5e-324]',
    );
    expect(canonicalJson(numbers)).toBe('[333333333.3333333,1e+30,4.5,0.002,1e-27,0,9007199254740992,5e-324]');
    const keys = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 };
    expect(canonicalJson(keys)).toBe('{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}');
    expect(canonicalJson('\u20ac$\u000f\nA\'B"\\\\"/')).toBe('"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"');
    expect(canonicalJson([null, true, false, {}, []])).toBe('[null,true,false,{},[]]');
  });

  it('equal values give equal digests, whatever the order of their keys', () => {
    const shuffledKeys = (value: unknown, turn: number): unknown => {
      if (Array.isArray(value)) return value.map((part) => shuffledKeys(part, turn));
      if (typeof value !== 'object' || value === null) return value;
      const entries = Object.entries(value).map(([key, part]) => [key, shuffledKeys(part, turn)] as const);
      const cut = entries.length === 0 ? 0 : turn % entries.length;
      return Object.fromEntries([...entries.slice(cut), ...entries.slice(0, cut)].reverse());
    };
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const wanted = digestOf(value);
        for (const turn of [0, 1, 2]) expect(digestOf(shuffledKeys(value, turn))).toBe(wanted);
      }),
      { numRuns: runs(2_000) },
    );
  });

  it.each([
    ['a lone high surrogate', '\uD800'],
    ['a lone low surrogate', { text: 'x\uDC00' }],
    ['a lone surrogate in a key', { '\uD800': 1 }],
    ['NaN', [Number.NaN]],
    ['infinity', { n: Number.POSITIVE_INFINITY }],
    ['undefined', undefined],
  ])('refuses %s', (_name, value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  });

  it('a body without a canonical form verifies as altered, and does not crash', () => {
    const broken: ContextPackage = { ...entry, body: { ...entry.body, reason: '\uD800' } };
    expect(verifyPackage(broken)).toEqual({ ok: false, reason: 'the body does not match the digest' });
  });
});
