/** A small library for proofs about durability: a tree that can be edited by number, its records, and packages without end. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveConfig } from '../../src/app/configuration/config.js';
import { openContainer } from '../../src/app/container.js';
import type { Library } from '../../src/app/library.js';
import type { Compartment } from '../../src/domain/compartment.js';
import type { ContextPackage, PackageBody } from '../../src/domain/context-package.js';
import type { EligibleSet } from '../../src/domain/eligibility.js';
import type { Clock, Day } from '../../src/kernel/clock.js';
import { digestOf, sha256 } from '../../src/kernel/digest.js';
import { teamSource } from './team-source.js';

const CONFIG = `version: 1
profile: team
identity: { principal: person:ada, tenants: [north], purposes: [assist], groups: [staff, owner:role:docs], ceiling: restricted }
permissions: { everyone: [staff], few: [owner:role:docs] }
sources:
${teamSource('docs', {
  classification: 'public',
  tenant_scope: '[north]',
  allowed_purposes: '[assist]',
  rules: "[{ glob: 'few/**', permissions: few }]",
})}`;

export const PAGES = 14;

/** Lays the library down with every page in its first edition. */
export function layLibrary(root: string): void {
  mkdirSync(join(root, 'docs', 'few'), { recursive: true });
  writeFileSync(join(root, 'colophon.yaml'), CONFIG);
  for (let page = 0; page < PAGES; page++) layPage(root, page, 0);
}

/** Writes the page anew, or takes it out: every seventh edition of a page is its absence. */
export function layPage(root: string, page: number, edition: number): void {
  const file = join(root, 'docs', page % 5 === 0 ? 'few' : '.', `page-${page}.md`);
  if (edition % 7 === 6) rmSync(file, { force: true });
  else writeFileSync(file, pageText(page, edition));
}

function pageText(page: number, edition: number): string {
  const head = edition % 5 === 4 ? `---\nstatus: legacy\nsuperseded_by: page-${(page + 1) % PAGES}.md\n---\n\n` : '';
  const parts = Array.from({ length: 1 + (page % 3) }, (_, part) => {
    const words = Array.from({ length: 30 }, (_, at) => `term${(page * 13 + edition * 7 + part * 5 + at * at) % 211}`);
    return `## Part ${part} of valve ${page}\n\nThe valve ${page} opens in edition ${edition}. ${words.join(' ')}\n\nSee [the next](page-${(page + 1) % PAGES}.md).\n`;
  });
  return `${head}# Valve ${page}\n\nHow valve ${page} is kept.\n\n${parts.join('\n')}`;
}

/** The real thing, but for the scanner: loading it takes longer than all the rest. */
export async function openLibrary(root: string, clock?: Clock, stateHome?: string): Promise<Library> {
  const env = stateHome === undefined ? {} : { COLOPHON_HOME: stateHome };
  const library = await openContainer(await resolveConfig({ env, cwd: root }), clock);
  return { ...library, scanner: { version: 'none', scan: async () => [] } };
}

/** All there is, whoever may see it. */
export function everythingIn(compartments: readonly Compartment[]): EligibleSet {
  return { compartments, keys: new Set(compartments.map(({ key }) => key)), withheld: [] } as unknown as EligibleSet;
}

/** Numbers from 0 to 1, the same for the same seed. */
export function sequence(seed: number): () => number {
  let state = (seed * 2_654_435_761) % 2_147_483_647 || 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** A package of some kilobytes that nothing else is equal to. */
export function packageOf(name: string): ContextPackage {
  const body: PackageBody = {
    format: 'colophon/package@1',
    status: 'no_context',
    reason: `nothing fits ${name}`,
    request: {
      text: `${name} ${'how is the valve kept '.repeat(60)}`,
      profile: 'preamble',
      requester: 'person:ada',
      workload: 'workload://test',
      tenant: 'north',
      purpose: 'assist',
      groups: ['staff'],
      ceiling: 'internal',
      client: 'terminal',
      locality: 'local',
      model: 'generic',
      scope: {},
      asOf: '2026-11-30' as Day,
    },
    versions: { compiler: 'c', analyzer: 'a', rankingPolicy: sha256('r'), contextPolicy: sha256('c'), manifest: sha256('m') },
    budget: { ceiling: 1500, used: 0, classes: {} },
    items: [],
    excluded: [],
    gaps: [],
    conflicts: [],
    taint: false,
    classification: 'public',
    expires: '2026-12-07' as Day,
  };
  return { digest: digestOf(body), body };
}
