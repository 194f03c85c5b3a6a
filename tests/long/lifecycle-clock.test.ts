/**
 * T1.11: a source in each of its eight states, in each of them pages in each of their six, and a clock that is set before, at and after
 * each moment from which something else holds. What is answered is compared with a table written here from the requirements.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/app/configuration/config.js';
import { openContainer } from '../../src/app/container.js';
import { resolveAsk } from '../../src/app/identity.js';
import { learn } from '../../src/app/learning/learn.js';
import type { Library } from '../../src/app/library.js';
import type { Call } from '../../src/app/operations/catalogue.js';
import { context } from '../../src/app/operations/context.js';
import { get } from '../../src/app/operations/get.js';
import { pageInvalidate, pageQuarantine } from '../../src/app/operations/page-moves.js';
import { search } from '../../src/app/operations/search.js';
import { sourceRetire } from '../../src/app/operations/source-moves.js';
import { ARTIFACT_STATES, type ArtifactState } from '../../src/domain/artifact-state.js';
import { SOURCE_STATES, type SourceEvent, type SourceStanding, type SourceState } from '../../src/domain/source.js';
import type { Instant } from '../../src/kernel/clock.js';
import { Fault } from '../../src/kernel/errors.js';
import { runs } from '../support/proof-scale.js';
import { memoryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const NOW = Date.UTC(2026, 10, 30, 12) as Instant;
const DAY = 86_400_000;
/** 1,008 pages when the proofs are whole; of each kind one ends on a day of its own. */
const EACH = Math.max(2, Math.round(runs(100) / (SOURCE_STATES.length * ARTIFACT_STATES.length)));
const RETIRES = Date.UTC(2026, 11, 3);
/** A page is valid until the end of this day. */
const VALID_UNTIL = '2026-12-02';
const EDGES = [NOW, NOW + DAY, Date.UTC(2026, 11, 3), RETIRES, RETIRES + 30 * DAY];
const TIMES = [...new Set(EDGES.flatMap((edge) => [edge - 1, edge, edge + 1]))].filter((at) => at >= NOW).sort((a, b) => a - b);

const idOf = (state: SourceState) => `s-${state}`;
const wordOf = (state: ArtifactState) => `quokka${state}`;
const pathOf = (state: ArtifactState, at: number) => `${state}/page-${at}.md`;
const textOf = (state: ArtifactState, at: number, more = '') =>
  `---\n${at === 0 ? `valid_until: ${VALID_UNTIL}\n` : ''}title: Page ${at}\n---\n# Page ${at} of ${state}\n\nThe ${wordOf(state)} sleeps ${at} hours. ${more}\n`;

let folder: TemporaryFolder;
let library: Library;
let now = NOW;

const callAt = (at: number, critical = false, of = library): Call => ({
  library: of,
  ask: resolveAsk(of.config, { freshnessCritical: critical }, { workload: 'workload://test', defaultClient: 'terminal' }, at as Instant),
  signal: new AbortController().signal,
  progress: () => undefined,
});

const pages = (state: ArtifactState) => Array.from({ length: EACH }, (_, at) => ({ at, path: pathOf(state, at) }));
const fileOf = (source: SourceState, path: string) => join(folder.path, idOf(source), path);

/** By what really leads there; a source takes part only while it may. */
const INTO: Readonly<Record<ArtifactState, (source: SourceState) => Promise<void>>> = {
  processing: async (source) => {
    for (const { at, path } of pages('processing')) writeFileSync(fileOf(source, path), textOf('processing', at));
  },
  indexed: async () => undefined,
  stale: async (source) => {
    for (const { at, path } of pages('stale')) writeFileSync(fileOf(source, path), textOf('stale', at, 'Edited since.'));
  },
  invalid: async (source) => {
    for (const { path } of pages('invalid'))
      await pageInvalidate.run(pageInvalidate.input.parse({ path, source: idOf(source), reason: 'wrong' }), callAt(NOW));
  },
  quarantined: async (source) => {
    for (const { path } of pages('quarantined'))
      await pageQuarantine.run(pageQuarantine.input.parse({ path, source: idOf(source), reason: 'odd' }), callAt(NOW));
  },
  deleted: async (source) => {
    for (const { path } of pages('deleted')) {
      await pageQuarantine.run(pageQuarantine.input.parse({ path, source: idOf(source), reason: 'odd' }), callAt(NOW));
      rmSync(fileOf(source, path));
    }
    await learn(library, { sources: [idOf(source)] });
    for (const { at, path } of pages('deleted')) writeFileSync(fileOf(source, path), textOf('deleted', at));
    await learn(library, { sources: [idOf(source)] });
  },
};

const SOURCE_MOVES: Readonly<Record<SourceState, readonly SourceEvent[]>> = {
  proposed: [],
  approved: ['suspend', 'rebuild'],
  active: [],
  degraded: ['degrade'],
  suspended: ['suspend'],
  retiring: [],
  revoked: ['revoke'],
  deleted: ['revoke', 'delete'],
};

function withStandings(of: Library, changed: (standing: SourceStanding) => SourceStanding): Library {
  const { records } = of;
  const registry = Object.assign(Object.create(records.registry) as typeof records.registry, {
    standings: async () => (await records.registry.standings()).map(changed),
  });
  return { ...of, records: { ...records, registry } };
}

beforeAll(async () => {
  folder = memoryFolder();
  const declared = (state: SourceState) => `  - { id: ${idOf(state)}, location: ./${idOf(state)}, freshness_slo: P1D }\n`;
  folder.write('colophon.yaml', `version: 1\nprofile: personal\nsources:\n${SOURCE_STATES.map(declared).join('')}`);
  for (const source of SOURCE_STATES)
    for (const state of ARTIFACT_STATES)
      for (const { at, path } of pages(state))
        folder.write(`${idOf(source)}/${state === 'processing' ? `processing/.keep-${at}` : path}`, textOf(state, at));
  const config = await resolveConfig({ cwd: folder.path, env: { COLOPHON_HOME: join(folder.path, 'home') } });
  library = await openContainer(config, { now: () => now });
  await learn(library, {});
  const { registry } = library.records;
  for (const source of SOURCE_STATES) {
    await INTO.deleted(source);
    for (const state of ['invalid', 'quarantined', 'stale', 'processing'] as const) await INTO[state](source);
    for (const event of SOURCE_MOVES[source]) await registry.move(idOf(source), event, { actor: 'person:local', reason: 'test' }, NOW);
  }
  await sourceRetire.run(
    sourceRetire.input.parse({ id: idOf('retiring'), on: new Date(RETIRES).toISOString(), reason: 'old' }),
    callAt(NOW),
  );
  // No move leads back to it: what was read is as if it had never been approved.
  library = withStandings(library, (standing) => (standing.id === idOf('proposed') ? { ...standing, state: 'proposed' } : standing));
}, 1_200_000);
afterAll(async () => {
  await library.close();
  folder.dispose();
});

/** From the requirements alone: §2.1 and §2.2, K-03, K-04. Undefined: not selected. */
function expected(source: SourceState, page: ArtifactState, at: number, critical: boolean): readonly string[] {
  if (page !== 'indexed' && page !== 'stale') return [];
  const serves = source === 'active' || source === 'degraded' || (source === 'retiring' && at < RETIRES);
  if (!serves) return [];
  if (critical && !(source === 'active' && at - NOW <= DAY)) return [];
  return pages(page).map(({ path }) => path);
}

interface Combination {
  readonly at: number;
  readonly critical: boolean;
  readonly source: SourceState;
  readonly page: ArtifactState;
}

function* combinations(): Generator<Combination> {
  for (const at of TIMES)
    for (const critical of [false, true])
      for (const source of SOURCE_STATES) for (const page of ARTIFACT_STATES) yield { at, critical, source, page };
}

/** What is wrong with the answer, or undefined. */
async function wrongAt(of: Library, { at, critical, source, page }: Combination): Promise<string | undefined> {
  now = at as Instant;
  const { paths, labels } = await hitsOf(
    { ...search.input.parse({ query: wordOf(page), limit: 50 }), source: [idOf(source)] },
    callAt(at, critical, of),
  );
  const wanted = [...expected(source, page, at, critical)].sort();
  const name = `${new Date(at).toISOString()} ${critical ? 'critical ' : ''}${source}/${page}`;
  if (paths.join() !== wanted.join()) return `${name}: ${paths.length} of ${wanted.length}`;
  const late = at - NOW > DAY;
  const label = source === 'retiring' ? 'retiring-source' : source === 'degraded' || late ? 'degraded-source' : '';
  return labels.some((each) => each !== label) ? `${name} is labelled ${labels.join()}` : undefined;
}

async function hitsOf(request: Parameters<typeof search.run>[0], call: Call) {
  try {
    const { hits } = await search.run(request, call);
    return {
      paths: hits.map(({ path }) => path).sort(),
      labels: [...new Set(hits.map(({ labels }) => labels.filter((each) => each.endsWith('-source')).join()))],
    };
  } catch (error) {
    // A source of which nothing may be read does not exist.
    if (error instanceof Fault && error.kind === 'not-found') return { paths: [], labels: [] };
    throw error;
  }
}

describe(`T1.11 8 × 6 × ${EACH} pages at ${TIMES.length} times`, () => {
  it('SRC-13, SM-A4, SM-A7: what is selected is what the states of the moment allow, and nothing else', async () => {
    const wrong: string[] = [];
    let answered = 0;
    for (const each of combinations()) {
      const found = await wrongAt(library, each);
      if (found !== undefined) wrong.push(found);
      answered += 1;
    }
    expect(wrong).toEqual([]);
    expect(answered).toBe(TIMES.length * 2 * 6 * 8);
  }, 1_200_000);

  it('K-04: a page past its day enters no context, by `get` it is read with its label', async () => {
    const indexed = pathOf('indexed', 0);
    const contextAt = async (at: number) => {
      now = at as Instant;
      const asked = context.input.parse({ query: `the ${wordOf('indexed')} sleeps`, text: wordOf('indexed') });
      return (await context.run(asked, callAt(at))).items.map(({ path }) => path);
    };
    const expires = Date.UTC(2026, 11, 3);
    expect(await contextAt(NOW)).toContain(indexed);
    expect(await contextAt(expires - 1)).toContain(indexed);
    expect(await contextAt(expires)).not.toContain(indexed);
    const read = await get.run(get.input.parse({ path: indexed, source: idOf('active') }), callAt(expires));
    expect(read.labels).toContain('expired');
  });

  const MUTANTS: readonly (readonly [string, (standing: SourceStanding) => SourceStanding])[] = [
    ['forgets which pages are withheld', ({ withheld: _, ...standing }) => standing],
    [
      'withholds the quarantined alone',
      (standing) => ({ ...standing, withheld: standing.withheld?.filter(({ blob }) => blob === undefined) ?? [] }),
    ],
    ['never looks at the day a source retires', ({ retiresAt: _, ...standing }) => standing],
    ['takes every source for just seen', (standing) => ({ ...standing, confirmedAt: now })],
    ['lets a suspended source answer', (standing) => (standing.state === 'suspended' ? { ...standing, state: 'active' } : standing)],
  ];
  it.each(MUTANTS)(
    'the proof can fail: a registry that %s is found out',
    async (_, changed) => {
      const mutant = withStandings(library, changed);
      for (const each of combinations()) if ((await wrongAt(mutant, each)) !== undefined) return;
      expect.fail('nothing was wrong');
    },
    1_200_000,
  );
});
