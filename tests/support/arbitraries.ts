/**
 * Generated libraries: small vocabularies, few paths and few compartments, so that everything that can collide does.
 *
 * Pages are built from a specification the way ingest would, with the real analyzer and none of its other steps.
 */
import fc from 'fast-check';
import { artifactId } from '../../src/domain/artifact.js';
import { type Compartment, compartment } from '../../src/domain/compartment.js';
import type { EligibleSet } from '../../src/domain/eligibility.js';
import type { FieldTerms } from '../../src/domain/fields.js';
import type { PageMeta, PageStatus } from '../../src/domain/page.js';
import type { LinkTarget, PageLink, PreparedArtifact, PreparedPage } from '../../src/domain/prepared-page.js';
import type { Alternative, QueryTerm, Scope } from '../../src/domain/query.js';
import { DEFAULT_RANKING } from '../../src/domain/ranking-policy.js';
import { sealEligible } from '../../src/domain/seal-eligible.js';
import type { Day, Instant } from '../../src/kernel/clock.js';
import { gitBlobId, sha256 } from '../../src/kernel/digest.js';
import type { LexicalQuery, NearQuery } from '../../src/ports/index-reader.js';
import type { IndexBatch } from '../../src/ports/index-writer.js';
import { indexTerms, stemOf } from '../../src/text/analyze.js';

export const SOURCES = ['handbook', 'product'] as const;
export const GROUPS = ['staff', 'ops', 'legal', 'board'] as const;
const WORDS = [
  'agent',
  'agents',
  'configure',
  'configured',
  'configuring',
  'limit',
  'limits',
  'rate',
  'rates',
  'key',
  'rotate',
  'rotation',
  'the',
  'café',
  'install',
  'ERR-4012',
  'snake_case',
  '液压',
  '泵站',
] as const;
const PATHS = ['a.md', 'b.md', 'guide/a.md', 'guide/install.md', 'guide/rate-limits.md', 'ops/keys.md', 'ops/rotation.md', 'Z.md'] as const;
const TAGS = ['howto', 'policy'] as const;
const VERSIONS = ['1.0', '2.0'] as const;
export const TODAY = '2026-06-15' as Day;

export interface SectionSpec {
  readonly heading: string;
  readonly words: readonly string[];
  /** The excerpt is not an exact slice: an opening line was repeated in front of it. */
  readonly repeats: boolean;
}

export interface LinkSpec {
  readonly to: string;
  readonly kind: 'path' | 'wiki' | 'self' | 'external';
  readonly words: readonly string[];
}

export interface PageSpec {
  readonly source: string;
  readonly path: string;
  readonly group: string;
  readonly title: readonly string[];
  readonly summary: readonly string[];
  readonly sections: readonly SectionSpec[];
  readonly links: readonly LinkSpec[];
  readonly tags: readonly string[];
  readonly aliases: readonly string[];
  readonly status?: PageStatus;
  readonly productVersion?: string;
  readonly supersededBy?: string;
  readonly validUntil?: Day;
  readonly verifiedAt?: Day;
}

const words = (minLength: number, maxLength: number) => fc.array(fc.constantFrom(...WORDS), { minLength, maxLength });
/** Present once in `times`. */
const maybe = <T>(each: fc.Arbitrary<T>, times = 3) =>
  fc.oneof({ weight: times - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: each });

export const anySection: fc.Arbitrary<SectionSpec> = fc.record({
  heading: words(0, 2).map((each) => each.join(' ')),
  words: words(0, 14),
  repeats: fc.boolean(),
});

export const anyLink: fc.Arbitrary<LinkSpec> = fc.record({
  to: fc.constantFrom(...PATHS, 'gone.md', 'rate limits', 'Install'),
  kind: fc.constantFrom('path', 'path', 'wiki', 'self', 'external'),
  words: words(0, 3),
});

export const anyPage: fc.Arbitrary<PageSpec> = fc
  .record({
    source: fc.constantFrom(...SOURCES),
    path: fc.constantFrom(...PATHS),
    group: fc.constantFrom(...GROUPS),
    title: words(0, 3),
    summary: words(0, 4),
    sections: fc.array(anySection, { maxLength: 4 }),
    links: fc.array(anyLink, { maxLength: 3 }),
    tags: fc.subarray([...TAGS]),
    aliases: fc.array(
      words(1, 2).map((each) => each.join(' ')),
      { maxLength: 2 },
    ),
    status: maybe(fc.constantFrom<PageStatus>('current', 'legacy')),
    productVersion: maybe(fc.constantFrom(...VERSIONS)),
    supersededBy: maybe(fc.constant('b.md'), 10),
    validUntil: maybe(fc.constantFrom('2026-01-01' as Day, '2027-01-01' as Day), 4),
    verifiedAt: maybe(fc.constantFrom('2026-02-02' as Day, '2026-05-05' as Day)),
  })
  .map(withoutAbsent);

function withoutAbsent<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as { [K in keyof T]: Exclude<T[K], undefined> };
}

export interface BatchSpec {
  readonly source: string;
  readonly upserts: readonly PageSpec[];
  readonly removals: readonly string[];
}

export const anyBatch: fc.Arbitrary<BatchSpec> = fc
  .record({
    source: fc.constantFrom(...SOURCES),
    upserts: fc.array(anyPage, { maxLength: 6 }),
    removals: fc.subarray([...PATHS], { maxLength: 3 }),
  })
  .map((batch) => ({ ...batch, upserts: batch.upserts.map((page) => ({ ...page, source: batch.source })) }));

const MANY = 24;
const manyPath = (at: number) => `many/${String(at).padStart(2, '0')}.md`;

/** One large first batch, then more small ones than a compartment keeps segments: removals stay buried, segments get merged. */
export const anyLongHistory: fc.Arbitrary<readonly BatchSpec[]> = fc
  .record({
    first: fc.array(anyPage, { minLength: MANY, maxLength: MANY }),
    later: fc.array(fc.record({ page: anyPage, at: fc.nat(MANY + 8), removes: fc.boolean() }), { minLength: 3, maxLength: 14 }),
  })
  .map(({ first, later }) => {
    const place = (page: PageSpec, at: number): PageSpec => ({
      ...page,
      source: 'handbook',
      group: at % 8 === 0 ? 'ops' : 'staff',
      path: manyPath(at),
    });
    return [
      { source: 'handbook', upserts: first.map(place), removals: [] },
      ...later.map(({ page, at, removes }) => ({
        source: 'handbook',
        upserts: removes ? [] : [place(page, at)],
        removals: removes ? [manyPath(at)] : [],
      })),
    ];
  });

export function batchOf(spec: BatchSpec): IndexBatch {
  return {
    source: spec.source,
    transformation: 'transformation-1',
    upserts: spec.upserts.map((page) => ({ prepared: pageOf(page), signature: `mtime-${page.path}` })),
    removals: spec.removals,
  };
}

export function compartmentOf(source: string, group: string): Compartment {
  return compartment({
    source,
    tenants: ['acme'],
    permissionsRef: group,
    classification: 'internal',
    purposes: ['assist'],
    egress: 'any',
  });
}

/** What members of these groups may read, less what is withheld from all. */
export function eligibleTo(
  compartments: readonly Compartment[],
  groups: readonly string[],
  withheld: EligibleSet['withheld'] = [],
): EligibleSet {
  const withheldOf = (source: string) => withheld.filter((each) => each.source === source);
  const facts = compartments.map((each) => ({
    compartment: each,
    source: { id: each.source, state: 'active', owner: 'role:docs', freshnessSloMs: 1, withheld: withheldOf(each.source) } as const,
    readers: [each.permissionsRef],
  }));
  return sealEligible(facts, {
    at: 0 as Instant,
    freshnessCritical: false,
    requester: {
      principal: 'person:reader',
      workload: 'workload://test',
      tenant: 'acme',
      purpose: 'assist',
      groups: new Set(groups),
      ceiling: 'restricted',
      client: { name: 'test', locality: 'local' },
    },
  });
}

export function pageOf(spec: PageSpec): PreparedPage {
  const title = spec.title.join(' ');
  const summary = spec.summary.join(' ');
  const lines = [`# ${title}`, summary];
  const artifacts: PreparedArtifact[] = [];
  const ordinals = new Map<string, number>();
  for (const section of spec.sections) {
    lines.push(`## ${section.heading}`);
    const body = section.words.join(' ');
    lines.push(body);
    const headingPath = [title, section.heading];
    const ordinalUnderHeading = ordinals.get(section.heading) ?? 0;
    ordinals.set(section.heading, ordinalUnderHeading + 1);
    const excerpt = section.repeats ? `| table |\n${body}` : body;
    const prefix = `${headingPath.join(' › ')}\n${summary}`;
    artifacts.push({
      id: artifactId({ source: spec.source, path: spec.path, headingPath, ordinalUnderHeading, excerpt }),
      headingPath,
      anchor: section.heading.toLowerCase().replaceAll(' ', '-'),
      ordinal: artifacts.length,
      lines: { start: lines.length, end: lines.length },
      bytes: { start: 0, end: Buffer.byteLength(body) },
      excerpt,
      prefix,
      digest: sha256(excerpt),
      tokens: section.words.length,
      fields: fieldsOf(title, section.heading, summary, excerpt),
    });
  }
  const text = `${lines.join('\n')}\n`;
  return {
    page: {
      source: spec.source,
      path: spec.path,
      blob: gitBlobId(Buffer.from(JSON.stringify(spec))),
      title,
      summary,
      meta: metaOf(spec),
      tier: 'trusted',
      authorityClass: 'reference',
      curated: true,
      lineCount: lines.length,
    },
    compartment: compartmentOf(spec.source, spec.group),
    text,
    artifacts,
    links: spec.links.map((link, at) => linkOf(link, at + 1)),
    problems: [],
    removals: {},
  };
}

function fieldsOf(title: string, heading: string, summary: string, excerpt: string): FieldTerms {
  const body = indexTerms(excerpt);
  return {
    title: indexTerms(title).body,
    headings: indexTerms(heading).body,
    summary: indexTerms(summary).body,
    body: body.body,
    identifiers: body.identifiers,
  };
}

function metaOf(spec: PageSpec): PageMeta {
  return {
    ...(spec.status === undefined ? {} : { status: spec.status }),
    ...(spec.productVersion === undefined ? {} : { productVersion: spec.productVersion }),
    ...(spec.supersededBy === undefined ? {} : { supersededBy: spec.supersededBy }),
    ...(spec.validUntil === undefined ? {} : { validUntil: spec.validUntil }),
    ...(spec.verifiedAt === undefined ? {} : { verifiedAt: spec.verifiedAt }),
    tags: spec.tags,
    aliases: spec.aliases,
    audience: [],
    related: [],
    other: {},
  };
}

function linkOf(spec: LinkSpec, line: number): PageLink {
  const targets: Readonly<Record<LinkSpec['kind'], LinkTarget>> = {
    path: { to: 'page', paths: [spec.to, `${spec.to}/index.md`, `guide/${spec.to}`] },
    wiki: { to: 'name', name: spec.to.replace(/\.md$/, '') },
    self: { to: 'self' },
    external: { to: 'external' },
  };
  return {
    kind: spec.kind === 'wiki' ? 'wiki' : 'markdown',
    href: spec.to,
    text: spec.words.join(' '),
    terms: indexTerms(spec.words.join(' ')).body,
    target: targets[spec.kind],
    anchor: '',
    line,
  };
}

export const anyScope: fc.Arbitrary<Scope> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Scope>({}) },
  {
    weight: 2,
    arbitrary: fc
      .record({
        sources: maybe(fc.subarray([...SOURCES], { minLength: 1 })),
        paths: maybe(fc.subarray(['a.md', 'guide/', 'ops/'], { minLength: 1 })),
        exclude: maybe(fc.subarray(['guide/**', '*.md', 'ops/keys.md'], { minLength: 1 })),
        productVersion: maybe(fc.constantFrom(...VERSIONS)),
        tags: maybe(fc.subarray([...TAGS], { minLength: 1 })),
        statuses: maybe(fc.subarray(['current', 'legacy'], { minLength: 1 })),
        verifiedSince: maybe(fc.constantFrom('2026-03-03' as Day)),
      })
      .map(withoutAbsent),
  },
);

const anyTerm: fc.Arbitrary<QueryTerm> = fc
  .record({
    word: fc.constantFrom(...WORDS, 'absent', 'agentless'),
    required: fc.constantFrom(false, false, false, false, false, true),
    content: fc.constantFrom(true, true, true, false),
    weight: fc.constantFrom(1, 1, 0.1, 3),
  })
  .map(({ word, ...rest }) => termOf(word, rest));

/** The query term for a word of the vocabulary. */
export function termOf(
  word: string,
  rest: Pick<QueryTerm, 'required' | 'content' | 'weight'> = { required: false, content: true, weight: 1 },
): QueryTerm {
  const { body, identifiers } = indexTerms(word);
  const identifier = identifiers[0];
  if (identifier !== undefined) return { kind: 'identifier', surface: word, term: identifier, ...rest };
  const term = body[0] ?? word;
  if (term.startsWith('^')) return { kind: 'bigram', surface: word, term, ...rest };
  return { kind: 'word', surface: word, term, stem: stemOf(term) ?? term, ...rest };
}

const anyAlternative: fc.Arbitrary<Alternative> = fc
  .record({ words: fc.array(fc.constantFrom(...WORDS, 'absent'), { minLength: 1, maxLength: 2 }), weight: fc.constantFrom(0.5, 0.25) })
  .map(({ words: own, weight }) => ({
    label: own.join(' '),
    weight,
    words: own.map((word) => {
      const { kind, term, stem } = termOf(word);
      return { kind, term, ...(stem === undefined ? {} : { stem }) };
    }),
  }));

/** A third of the terms have other names. */
const anyNamedTerm: fc.Arbitrary<QueryTerm> = fc
  .tuple(anyTerm, maybe(fc.array(anyAlternative, { minLength: 1, maxLength: 2 })))
  .map(([term, alternatives]) => (alternatives === undefined ? term : { ...term, alternatives }));

/** Slips of the hand, and words that are none. */
export const anyNear: fc.Arbitrary<NearQuery> = fc.record({
  word: fc.constantFrom('agnet', 'agentz', 'limts', 'rotaton', 'configrue', 'instal', 'keys', 'rotate', 'zzzzz'),
  mostEdits: fc.constantFrom(1, 2),
});

export const anyQuery: fc.Arbitrary<LexicalQuery> = fc.record({
  terms: fc.array(anyNamedTerm, { minLength: 1, maxLength: 5 }),
  scope: anyScope,
  policy: fc.record({ pageWeight: fc.constantFrom(0, 0.5, 1) }).map(({ pageWeight }) => ({ ...DEFAULT_RANKING, pageWeight })),
  stemming: fc.constantFrom<Record<string, number>>({}, { handbook: 0 }, { handbook: 0.5, product: 0 }, { handbook: 1, product: 0.25 }),
  today: fc.constant(TODAY),
  limit: fc.constantFrom(1, 3, 10, 100),
});
