/**
 * The same rows for every contender: pages cut at a fixed length, filed in numbered groups.
 *
 * Invariant: a page's group depends on its place among the pages alone, so two corpora that begin alike are grouped alike.
 */
import { artifactId } from '../../src/domain/artifact.js';
import { type Compartment, compartment } from '../../src/domain/compartment.js';
import type { EligibleSet } from '../../src/domain/eligibility.js';
import type { PreparedArtifact, PreparedPage } from '../../src/domain/prepared-page.js';
import { sealEligible } from '../../src/domain/seal-eligible.js';
import type { Instant } from '../../src/kernel/clock.js';
import { gitBlobId, sha256 } from '../../src/kernel/digest.js';
import { indexTerms } from '../../src/text/analyze.js';
import { multiplied, type Source } from './texts.js';

const CUT_UNITS = 1100;
export const NOW = 1_780_000_000_000 as Instant;
export const SOURCE = 'bench';

export interface Layout {
  readonly artifacts: number;
  /** Pages are dealt to groups 0, 1, 2 …; each group is a compartment of its own, unless `joined`. */
  readonly groups: number;
  /** Only pages of groups below this are kept. */
  readonly keptGroups?: number;
  /** All in one compartment. */
  readonly joined?: boolean;
}

/** Pages until there are as many artifacts as wanted, those of dropped groups counted. */
export function* pagesOf(documents: readonly Source[], layout: Layout): Generator<PreparedPage> {
  let artifacts = 0;
  let number = 0;
  for (const document of multiplied(documents)) {
    if (artifacts >= layout.artifacts) return;
    const cuts = cutsOf(document.text);
    const group = number++ % layout.groups;
    artifacts += cuts.length;
    if (group < (layout.keptGroups ?? layout.groups)) yield pageOf(document, cuts, layout.joined === true ? 0 : group);
  }
}

export function groupOf({ permissionsRef }: Compartment): number {
  return Number(permissionsRef);
}

/** The compartments of groups below `groups`. */
export function eligibleGroups(compartments: readonly Compartment[], groups: number): EligibleSet {
  return sealEligible(
    compartments.map((each) => ({
      compartment: each,
      source: { id: SOURCE, state: 'active', owner: 'role:bench', freshnessSloMs: 1 } as const,
      readers: groupOf(each) < groups ? ['everyone'] : [],
    })),
    {
      at: NOW,
      freshnessCritical: false,
      requester: {
        principal: 'person:bench',
        workload: 'workload://bench',
        tenant: 'acme',
        purpose: 'assist',
        groups: new Set(['everyone']),
        ceiling: 'restricted',
        client: { name: 'bench', locality: 'local' },
      },
    },
  );
}

function cutsOf(text: string): string[] {
  const cuts: string[] = [];
  for (let at = 0; at < text.length; at += CUT_UNITS) cuts.push(text.slice(at, at + CUT_UNITS));
  return cuts;
}

function pageOf({ path, title, text }: Source, cuts: readonly string[], group: number): PreparedPage {
  return {
    page: {
      source: SOURCE,
      path,
      blob: gitBlobId(Buffer.from(text)),
      title,
      summary: '',
      meta: { tags: [], aliases: [], audience: [], related: [], other: {} },
      tier: 'trusted',
      authorityClass: 'reference',
      curated: true,
      lineCount: 1,
    },
    compartment: compartment({
      source: SOURCE,
      tenants: ['acme'],
      permissionsRef: String(group),
      classification: 'internal',
      purposes: ['assist'],
      egress: 'any',
    }),
    text,
    artifacts: cuts.map((excerpt, ordinal) => artifactOf(path, title, excerpt, ordinal)),
    links: [],
    problems: [],
    removals: {},
  };
}

function artifactOf(path: string, title: string, excerpt: string, ordinal: number): PreparedArtifact {
  const { body, identifiers } = indexTerms(excerpt);
  return {
    id: artifactId({ source: SOURCE, path, headingPath: [title], ordinalUnderHeading: ordinal, excerpt }),
    headingPath: [title],
    anchor: '',
    ordinal,
    lines: { start: 1, end: 1 },
    bytes: { start: 0, end: 0 },
    excerpt,
    prefix: title,
    digest: sha256(excerpt),
    tokens: 0,
    fields: { title: indexTerms(title).body, headings: [], summary: [], body, identifiers },
  };
}
