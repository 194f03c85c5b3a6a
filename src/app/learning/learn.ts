/**
 * Learn — bring the index up to date with the sources, and say what was found.
 *
 *   index → plan-sync → connector → ingest pipeline → index-writer (one transaction per batch) → checkpoint
 *
 * Invariant: this is the only way text enters the index, for every surface (ING-18).
 * Invariant: a source that cannot be reached loses nothing and stops no other; when none can be reached, that is a fault.
 */
import type { Problem } from '../../domain/problem.js';
import { isOverdue, type SourceRegistration, type SourceState, SYSTEM_WORKLOAD } from '../../domain/source.js';
import type { StatedBy } from '../../domain/source-record.js';
import { Fault } from '../../kernel/errors.js';
import type { IndexWriter } from '../../ports/index-writer.js';
import type { Registry } from '../../ports/records.js';
import { withEnclosing } from '../../sources/overlap.js';
import { contradictsDeclared, mayIngest, movesAfter, registrationDigest, restrictingMove, whyNotIngested } from '../../sources/register.js';
import { CONFIG_NAME } from '../configuration/config.js';
import type { Library } from '../library.js';
import { deleteGonePages, heldOfOrdered } from '../registry/delete-pages.js';
import { type LearnSourceOptions, learnSource, type SourceReport, type SourceRun } from './learn-source.js';
import type { Report } from './pace.js';
import { PageMakers } from './page-makers.js';

export interface LearnOptions {
  /** Source ids; absent or empty means all. */
  readonly sources?: readonly string[] | undefined;
  /** Make every page again, whatever is known of it. */
  readonly full?: boolean | undefined;
  /** Take the pages of a source out although it lists none any more. */
  readonly allowEmpty?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: Report | undefined;
}

/** The `index` answer of the machine-readable output, without its envelope. */
export interface LearnReport {
  readonly generation: number;
  readonly contentDigest: string;
  readonly documents: number;
  readonly artifacts: number;
  readonly writes: number;
  readonly elapsedMs: number;
  readonly sources: SourceReport[];
  readonly problems: Problem[];
}

export async function learn(library: Library, options: LearnOptions = {}): Promise<LearnReport> {
  const startedAt = library.clock.now();
  const chosen = chooseSources(library, options.sources);
  const writer = await library.writer(`index, process ${process.pid}`);
  const makers = new PageMakers(library);
  try {
    const states = await registerAll(library);
    const outcome = await learnAll(library, writer, chosen, states, {
      full: options.full === true,
      allowEmpty: options.allowEmpty === true,
      signal: options.signal ?? new AbortController().signal,
      progress: options.progress ?? (() => undefined),
      makers,
    });
    const forgotten = isEverything(options.sources) ? await forgetUndeclared(library, writer) : { writes: 0, problems: [] };
    const totals = await writer.totals();
    return {
      generation: await generationOf(library),
      contentDigest: totals.contentDigest,
      documents: totals.documents,
      artifacts: totals.artifacts,
      writes: outcome.writes + forgotten.writes,
      elapsedMs: library.clock.now() - startedAt,
      sources: outcome.sources,
      problems: [...outcome.problems, ...forgotten.problems],
    };
  } finally {
    await makers.close();
    await writer.release();
  }
}

function isEverything(ids: readonly string[] | undefined): boolean {
  return ids === undefined || ids.length === 0;
}

function chooseSources(library: Library, ids: readonly string[] | undefined): readonly SourceRegistration[] {
  const { sources } = library.config;
  if (ids === undefined || ids.length === 0) return sources;
  for (const id of ids) if (!sources.some((source) => source.id === id)) throw new Fault('source/unknown', { sourceId: id });
  return withEnclosing(new Set(ids), sources);
}

async function registerAll(library: Library): Promise<ReadonlyMap<string, SourceState>> {
  const { registry } = library.records;
  const known = new Map((await registry.records()).map((each) => [each.id, each]));
  for (const source of library.config.sources) {
    const declaration = declarationOf(source);
    const held = known.get(source.id);
    const isSame = held?.registrationDigest === declaration.registrationDigest && held.owner === source.owner;
    if (!isSame)
      await registry.register(declaration, library.clock.now(), await byItself(library, { actor: CONFIG_NAME, reason: 'as declared' }));
  }
  await restrict(library);
  await degradeOverdue(library);
  return new Map((await registry.standings()).map(({ id, state }) => [id, state]));
}

/** What the registry is told of a source: the declaration, and what of it counts at once. */
export function declarationOf(source: SourceRegistration): Parameters<Registry['register']>[0] {
  const { id, owner, initialState, freshnessSloMs } = source;
  const declared = JSON.parse(JSON.stringify(source)) as Readonly<Record<string, unknown>>;
  return { id, owner, initialState, freshnessSloMs, registrationDigest: registrationDigest(source), declared };
}

/** What the pipeline does by itself is its own doing, under the policy of the moment (ATH-12). */
async function byItself({ config }: Library, by: StatedBy): Promise<StatedBy> {
  // Only a run that records something needs the name of the policy.
  const { policyOf } = await import('../policy/resolve-policy.js');
  return { ...by, workload: SYSTEM_WORKLOAD, policy: policyOf(config).version };
}

/** SM-S5: a source that promised to be seen by now, and was not. A clean run will take it back. */
async function degradeOverdue(library: Library): Promise<void> {
  const { records, clock } = library;
  for (const standing of await records.registry.standings()) {
    if (!isOverdue(standing, clock.now())) continue;
    const by = await byItself(library, { actor: SYSTEM_WORKLOAD, reason: 'no complete walk within its freshness promise' });
    await records.registry.move(standing.id, 'degrade', by, clock.now());
  }
}

/** Who closes a source in colophon.yaml means it, whatever state it has come to. */
async function restrict(library: Library): Promise<void> {
  const { config, records, clock } = library;
  for (const { id, state } of await records.registry.standings()) {
    const declared = config.sources.find((source) => source.id === id)?.initialState;
    const move = declared === undefined ? undefined : restrictingMove(state, declared);
    if (move !== undefined)
      await records.registry.move(id, move.event, await byItself(library, { actor: CONFIG_NAME, reason: move.reason }), clock.now());
  }
}

async function learnAll(
  library: Library,
  writer: IndexWriter,
  chosen: readonly SourceRegistration[],
  states: ReadonlyMap<string, SourceState>,
  options: LearnSourceOptions,
) {
  const sources: SourceReport[] = [];
  const problems: Problem[] = [];
  const unreachable: Fault[] = [];
  let writes = 0;
  for (const registration of chosen) {
    const state = states.get(registration.id) ?? registration.initialState;
    if (contradictsDeclared(state, registration.initialState)) problems.push(declaredOtherwise(registration, state));
    if (!mayIngest(state, library.config.profile)) {
      sources.push(untouched(registration, state));
      problems.push(closed(registration, state));
      continue;
    }
    try {
      const held = await heldOfOrdered(library, registration.id);
      const run = await learnSource(library, writer, registration, options);
      writes += run.writes;
      problems.push(...run.problems);
      sources.push(await settle(library, registration, { before: state, held }, run));
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      unreachable.push(error);
      sources.push(untouched(registration, state));
      problems.push(unreachableProblem(registration, error));
    }
  }
  const [first] = unreachable;
  if (first !== undefined && unreachable.length === chosen.length) throw first;
  return { sources, problems, writes };
}

/** Records what the run means for the source's standing. */
async function settle(
  library: Library,
  registration: SourceRegistration,
  { before, held }: { readonly before: SourceState; readonly held: ReadonlyMap<string, readonly string[]> },
  run: SourceRun,
): Promise<SourceReport> {
  const { registry } = library.records;
  const { id } = registration;
  const { profile, identity } = library.config;
  let state = before;
  for (const { event, reason } of movesAfter(before, profile, { walk: run.counts.walk, gapsFree: run.gapsFree, unparsed: run.unparsed })) {
    const actor = event === 'approve' ? identity.principal : SYSTEM_WORKLOAD;
    state = await registry.move(id, event, await byItself(library, { actor, reason }), library.clock.now());
  }
  if (run.counts.walk === 'complete') await registry.confirm(id, library.clock.now());
  const { walk, seen, added, changed, removed, unchanged, failed, ignored, commit } = run.counts;
  await deleteGonePages(library.records.pages, {
    source: id,
    isGone: run.isGone,
    held,
    by: () => byItself(library, { actor: SYSTEM_WORKLOAD, reason: 'its source names it no more' }),
    at: library.clock.now(),
  });
  const withheld = await withheldPages(library, id);
  return {
    id,
    state,
    walk,
    seen,
    added,
    changed,
    removed,
    unchanged,
    withheld,
    failed,
    ignored,
    ...(commit === undefined ? {} : { commit }),
  };
}

async function withheldPages(library: Library, source: string): Promise<number> {
  const problems = await library.reader.problems(source);
  return new Set(problems.filter(({ code }) => code === 'page/governance-unreadable').map(({ path }) => path)).size;
}

function untouched({ id }: SourceRegistration, state: SourceState): SourceReport {
  return { id, state, walk: 'partial', seen: 0, added: 0, changed: 0, removed: 0, unchanged: 0, withheld: 0, failed: 0, ignored: {} };
}

function closed({ id }: SourceRegistration, state: SourceState): Problem {
  const message = `Source ${id} was not read: ${whyNotIngested(state)}.`;
  return {
    code: 'source/closed',
    severity: 'warning',
    source: id,
    path: '',
    message,
    hint: '`colophon status` shows the state of every source.',
  };
}

function declaredOtherwise({ id, initialState }: SourceRegistration, state: SourceState): Problem {
  return {
    code: 'source/declared-state',
    severity: 'warning',
    source: id,
    path: '',
    message: `Source ${id} is ${state}; colophon.yaml declares ${initialState}, which is only the state a source starts in.`,
    hint: 'A later `suspended`, `retiring` or `revoked` is carried out where the present state allows it; nothing in the file sets free.',
  };
}

function isUnreachable(error: unknown): error is Fault {
  return error instanceof Fault && (error.code === 'source/unreachable' || error.code === 'git/failed');
}

function unreachableProblem({ id }: SourceRegistration, fault: Fault): Problem {
  return { code: 'source/unreachable', severity: 'error', source: id, path: '', message: fault.message, hint: fault.hint };
}

/** Files are the truth: a source that nobody declares any more has no text here either. */
async function forgetUndeclared(library: Library, writer: IndexWriter): Promise<{ writes: number; problems: Problem[] }> {
  const declared = new Set(library.config.sources.map(({ id }) => id));
  const problems: Problem[] = [];
  let writes = 0;
  for (const id of await writer.sources()) {
    if (declared.has(id)) continue;
    writes += (await writer.forget(id)).writes;
    const message = `Source ${id} is no longer declared; its pages were taken out of the index.`;
    problems.push({
      code: 'source/forgotten',
      severity: 'info',
      source: id,
      path: '',
      message,
      hint: 'Declare it again to bring them back.',
    });
  }
  return { writes, problems };
}

async function generationOf(library: Library): Promise<number> {
  const snapshot = await library.reader.snapshot();
  try {
    return snapshot.manifest.generation;
  } finally {
    await snapshot.close();
  }
}
