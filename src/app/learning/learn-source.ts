/**
 * Learn one source: list, plan, read, ingest, write in batches, close with a checkpoint.
 *
 * A page is written at its new version or left at its old one. Removals go into the last batch, after everything that was
 * renamed is there under its new name. What was written before an interruption is known to the next run, which does the rest.
 *
 * Invariant: memory is bounded by one batch, whatever the source holds.
 * Invariant: a page that could not be read keeps its old version; a page that was refused loses it.
 */
import type { Problem } from '../../domain/problem.js';
import type { SourceRegistration, SourceState } from '../../domain/source.js';
import { secretInName } from '../../ingest/secret-name.js';
import { transformationOf } from '../../ingest/transformation.js';
import { counted } from '../../kernel/counted.js';
import { Fault } from '../../kernel/errors.js';
import type { Connector, ListedDocument, Listing } from '../../ports/connector.js';
import type { IndexBatch, IndexWriter, KnownPage } from '../../ports/index-writer.js';
import { checkpointOf } from '../../sources/checkpoint.js';
import { gapScan, isClean } from '../../sources/gap-scan.js';
import { planSync, type SyncPlan, unseenTest } from '../../sources/plan-sync.js';
import type { Library } from '../library.js';
import { type MadePages, type Portion, portionsOf } from './make-pages.js';
import { paced, type Report } from './pace.js';
import type { PageMakers } from './page-makers.js';

/** A source that loses more pages than these, and all of them at once, was more likely not there than emptied. */
const HANDFUL = 5;
/** Below this many re-read pages, reading them again costs less than a write that changes nothing. */
const REFRESH_FROM = 500;

export interface SourceReport {
  readonly id: string;
  readonly state: SourceState;
  readonly walk: 'complete' | 'partial';
  readonly seen: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly unchanged: number;
  /** Pages that only the source's owner may see, because what governs them could not be read. */
  readonly withheld: number;
  /** Listed documents that gave no page this time. */
  readonly failed: number;
  /** Left out by rule, per rule. */
  readonly ignored: Readonly<Record<string, number>>;
  readonly commit?: string;
}

export interface SourceRun {
  readonly counts: Omit<SourceReport, 'id' | 'state' | 'withheld'>;
  readonly writes: number;
  /** Of the walk and of the pages this run made. */
  readonly problems: readonly Problem[];
  readonly gapsFree: boolean;
  /** Documents that no parser could make a page of. */
  readonly unparsed: number;
  /** The source was seen, and names it no more. */
  readonly isGone: (path: string) => boolean;
}

export interface LearnSourceOptions {
  readonly full: boolean;
  /** Believe a source that has no document left. */
  readonly allowEmpty: boolean;
  readonly signal: AbortSignal;
  readonly progress: Report;
  readonly makers: PageMakers;
}

export async function learnSource(
  library: Library,
  writer: IndexWriter,
  registration: SourceRegistration,
  options: LearnSourceOptions,
): Promise<SourceRun> {
  const { id } = registration;
  const connector = connectorOf(library, registration);
  options.progress({ phase: `listing ${id}`, done: 0, total: 0 });
  const listed = await connector.list(registration, options.signal);
  const transformation = transformationOf(registration, { scanner: library.scanner.version, embedder: library.embedder.id });
  const known = await writer.known(id);
  const listing = options.allowEmpty ? listed : distrusted(registration, listed, known.size);
  const planned = planSync(listing, known, transformation, options.full);
  const plan = proven(planned, await sameOf(connector, registration, planned.unsure, known, library, options));

  const run = new Run(library, writer, registration, plan, known, transformation, options);
  await run.announce(await troubledPaths(library, id));
  for await (const made of options.makers.make({ registration, portions: run.portions(), signal: options.signal, step: run.step })) {
    await run.take(made);
    options.signal.throwIfAborted();
  }
  const done = await run.finish();

  const pages = done.writes > 0 ? await writer.known(id) : known;
  const gapsFree = isClean(gapScan(listing, pages, done.accountedFor));
  const walkProblems = [...(await namable(library, id, listing.problems)), ...done.walkProblems, ...emptiness(registration, listing)];
  const at = library.clock.now();
  const checkpoint = checkpointOf({ source: id, connectorVersion: connector.version, listing, transformation, pages, at });
  const { writes } = await writer.close(checkpoint, walkProblems);
  await writer.pending(id, 0);
  return {
    counts: {
      walk: listing.walk,
      seen: listing.documents.length,
      ...done.counts,
      ignored: listing.ignored,
      ...(listing.commit === undefined ? {} : { commit: listing.commit }),
    },
    writes: done.writes + writes,
    problems: [...walkProblems, ...done.pageProblems],
    gapsFree,
    unparsed: done.walkProblems.filter(({ code, severity }) => code === 'page/unreadable' && severity === 'error').length,
    isGone: goneFrom(listing),
  };
}

function goneFrom({ walk, documents, unseen }: Listing): SourceRun['isGone'] {
  if (walk !== 'complete') return () => false;
  const isUnseen = unseenTest(unseen);
  return (path) => !isUnseen(path) && !documents.some((each) => each.path === path);
}

/** ING-02: only the workload named in the registration writes a source. */
function connectorOf(library: Library, registration: SourceRegistration): Connector {
  const connector = library.connector(registration.location.connector);
  if (connector.identity === registration.connectorIdentity) return connector;
  throw new Fault('input/invalid', { field: `connector_identity of source ${registration.id}`, expected: connector.identity });
}

/** Documents compared at a time: between them it is said how far it has come. */
const COMPARED_AT_ONCE = 2_000;

/** Of documents whose signature is new, those whose bytes are not: touched, or checked out again. */
async function sameOf(
  connector: Connector,
  registration: SourceRegistration,
  unsure: readonly ListedDocument[],
  known: ReadonlyMap<string, KnownPage>,
  { clock }: Library,
  { progress, signal }: LearnSourceOptions,
): Promise<ReadonlySet<string>> {
  const same = new Set<string>();
  const held = new Map(unsure.map(({ path }) => [path, known.get(path)?.blob ?? '']));
  const step = paced(`comparing ${registration.id}`, unsure.length, clock, progress);
  for (let at = 0; at < unsure.length; at += COMPARED_AT_ONCE) {
    for (const path of await connector.same(registration, unsure.slice(at, at + COMPARED_AT_ONCE), held, signal)) same.add(path);
    step(Math.min(at + COMPARED_AT_ONCE, unsure.length));
  }
  return same;
}

/** The plan, when these are known to be the same. */
function proven(plan: SyncPlan, same: ReadonlySet<string>): SyncPlan {
  if (same.size === 0) return plan;
  const left = (documents: readonly ListedDocument[]) => documents.filter(({ path }) => !same.has(path));
  const found = plan.unsure.filter(({ path }) => same.has(path));
  return { ...plan, unsure: left(plan.unsure), unchanged: [...plan.unchanged, ...found], toRead: left(plan.toRead) };
}

/** Documents the last run could make no page of: they will be read again, and are no work that is left to do. */
async function troubledPaths(library: Library, source: string): Promise<ReadonlySet<string>> {
  return new Set((await library.reader.problems(source)).map(({ path }) => path));
}

/** A mount that is missing looks like a folder that was emptied: what the index holds stays until somebody says so. */
function distrusted(registration: SourceRegistration, listing: Listing, held: number): Listing {
  if (listing.documents.length > 0 || listing.unseen.length > 0 || held <= HANDFUL) return listing;
  const problem: Problem = {
    code: 'source/emptied',
    severity: 'error',
    source: registration.id,
    path: '',
    message: `Source ${registration.id} lists no document, and the index holds ${counted(held, 'page')} of it; they were kept.`,
    hint: 'Bring its folder back if it was not there. If the pages are gone for good, run `colophon index --allow-empty`.',
  };
  return { ...listing, walk: 'partial', unseen: [''], problems: [...listing.problems, problem] };
}

/** What is kept of a walk names no file whose name is a secret. */
async function namable({ scanner }: Library, source: string, problems: readonly Problem[]): Promise<readonly Problem[]> {
  const named: Problem[] = [];
  for (const problem of problems) named.push((await secretInName(problem.path, source, scanner)) ?? problem);
  return named;
}

function emptiness(registration: SourceRegistration, listing: Listing): Problem[] {
  if (listing.documents.length > 0 || listing.unseen.length > 0) return [];
  const left = Object.entries(listing.ignored).map(([rule, count]) => `${count} by ${rule}`);
  return [
    {
      code: 'source/empty',
      severity: 'warning',
      source: registration.id,
      path: '',
      message: `Source ${registration.id} has no documents${left.length === 0 ? '' : `; left out: ${left.join(', ')}`}.`,
      hint: 'Documents are .md, .mdx, .markdown, .mdown and .txt files; `include` patterns name others.',
    },
  ];
}

class Run {
  /** Says how many documents were looked at. */
  readonly step: (done: number) => void;
  readonly #writer: IndexWriter;
  readonly #registration: SourceRegistration;
  readonly #plan: SyncPlan;
  readonly #known: ReadonlyMap<string, KnownPage>;
  readonly #transformation: string;
  readonly #full: boolean;
  readonly #removals: string[];
  readonly #accountedFor = new Set<string>();
  readonly #walkProblems: Problem[] = [];
  readonly #pageProblems: Problem[] = [];
  readonly #refreshed: { path: string; signature: string }[] = [];
  #taken = 0;
  #writes = 0;
  #counts = { added: 0, changed: 0, removed: 0, unchanged: 0, failed: 0 };

  constructor(
    library: Library,
    writer: IndexWriter,
    registration: SourceRegistration,
    plan: SyncPlan,
    known: ReadonlyMap<string, KnownPage>,
    transformation: string,
    options: LearnSourceOptions,
  ) {
    this.#writer = writer;
    this.#registration = registration;
    this.#plan = plan;
    this.#known = known;
    this.#transformation = transformation;
    this.#full = options.full;
    this.#removals = [...plan.removed];
    this.#counts.unchanged = plan.unchanged.length;
    for (const { path, signature } of plan.unchanged) this.#note(path, signature);
    this.step = paced(`indexing ${registration.id}`, plan.toRead.length, library.clock, options.progress);
  }

  /** Says early what is to be done, when it is certain that something is. */
  async announce(troubled: ReadonlySet<string>): Promise<void> {
    const { added, changed, removed } = this.#plan;
    const certain = added.some(({ path }) => !troubled.has(path)) || changed.length > 0 || removed.length > 0;
    if (certain) await this.#sayPending();
    this.step(0);
  }

  portions(): Portion[] {
    return portionsOf(this.#plan.toRead).map((documents) => ({
      source: this.#registration.id,
      documents,
      held: new Map(documents.flatMap(({ path }) => this.#heldBlob(path))),
    }));
  }

  async take({ documents, made, packed, problems, same, refused, failed }: MadePages): Promise<void> {
    this.#taken += documents;
    for (const path of made) {
      if (this.#known.has(path)) this.#counts.changed++;
      else this.#counts.added++;
    }
    this.#pageProblems.push(...problems);
    this.#counts.unchanged += same.length;
    for (const { path, signature } of same) this.#note(path, signature);
    for (const { path, problems: found } of [...refused, ...failed]) this.#fail(path, found);
    for (const { path } of refused) if (this.#known.has(path)) this.#removals.push(path);
    if (packed !== undefined) await this.#write({ packed });
    if (this.#taken < this.#plan.toRead.length && packed !== undefined) await this.#sayPending();
  }

  async finish() {
    if (this.#removals.length > 0) await this.#write({ removals: this.#removals });
    // What is kept of looks at files is no change of the index, and no write of it.
    const signatures = this.#refreshed.length >= REFRESH_FROM ? this.#refreshed : [];
    if (signatures.length > 0) await this.#apply({ signatures });
    this.#counts.removed = this.#removals.length;
    return {
      counts: this.#counts,
      writes: this.#writes,
      accountedFor: this.#accountedFor,
      walkProblems: this.#walkProblems,
      pageProblems: this.#pageProblems,
    };
  }

  /** What need not be made again when the bytes are the same. */
  #heldBlob(path: string): [string, string][] {
    const held = this.#known.get(path);
    return this.#full || held?.transformation !== this.#transformation ? [] : [[path, held.blob]];
  }

  /** The bytes are those held; under another signature, maybe. */
  #note(path: string, signature: string | undefined): void {
    if (signature !== undefined && signature !== this.#known.get(path)?.signature) this.#refreshed.push({ path, signature });
  }

  #fail(path: string, problems: readonly Problem[]): void {
    this.#counts.failed++;
    this.#accountedFor.add(path);
    this.#walkProblems.push(...problems);
  }

  async #write(change: Partial<Pick<IndexBatch, 'packed' | 'removals'>>): Promise<void> {
    this.#writes += await this.#apply(change);
  }

  async #apply(change: Partial<Pick<IndexBatch, 'packed' | 'removals' | 'signatures'>>): Promise<number> {
    const { writes } = await this.#writer.apply({
      source: this.#registration.id,
      transformation: this.#transformation,
      upserts: [],
      removals: [],
      ...change,
    });
    return writes;
  }

  async #sayPending(): Promise<void> {
    await this.#writer.pending(this.#registration.id, this.#plan.toRead.length - this.#taken + this.#removals.length);
  }
}
