/**
 * Learn one source: list, plan, read, ingest, write in batches, close with a checkpoint.
 *
 * A page is written at its new version or left at its old one. Removals go into the last batch, after everything that was
 * renamed is there under its new name. What was written before an interruption is known to the next run, which does the rest.
 *
 * Invariant: memory is bounded by one batch, whatever the source holds.
 * Invariant: a page that could not be read keeps its old version; a page that was refused loses it.
 */
import type { Problem } from '../domain/problem.js';
import type { SourceRegistration, SourceState } from '../domain/source.js';
import { transformationOf } from '../ingest/transformation.js';
import { Fault } from '../kernel/errors.js';
import type { Connector, Listing, SourceDocument, UnreadDocument } from '../ports/connector.js';
import type { IndexBatch, IndexWriter, KnownPage } from '../ports/index-writer.js';
import { checkpointOf } from '../sources/checkpoint.js';
import { gapScan, isClean } from '../sources/gap-scan.js';
import { planSync, type SyncPlan } from '../sources/plan-sync.js';
import type { Library } from './library.js';
import { paced, type Report } from './pace.js';

const BATCH_PAGES = 500;
const BATCH_BYTES = 8 * 1024 * 1024;
/** Below this many re-read pages, reading them again costs less than a write that changes nothing. */
const REFRESH_FROM = 500;
/** Reading and parsing hardly ever wait; without a turn in between, an abort would not be heard before the end. */
const TURN_PAGES = 16;
/** Problems of a listed document after which its old version must go: it is read, and it is no page. */
const REFUSED_UNREAD: ReadonlySet<Problem['code']> = new Set(['page/too-large']);

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
}

export interface LearnSourceOptions {
  readonly full: boolean;
  readonly signal: AbortSignal;
  readonly progress: Report;
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
  const listing = await connector.list(registration, options.signal);
  const transformation = transformationOf(registration, { scanner: library.scanner.version, embedder: library.embedder.id });
  const known = await writer.known(id);
  const plan = planSync(listing, known, transformation, options.full);

  const run = new Run(library, writer, registration, plan, known, transformation, options);
  await run.announce(await troubledPaths(library, id));
  for await (const document of connector.read(registration, plan.toRead, options.signal)) {
    await run.take(document);
    if (run.taken % TURN_PAGES === 0) await turn();
    options.signal.throwIfAborted();
  }
  const done = await run.finish();

  const pages = done.writes > 0 ? await writer.known(id) : known;
  const gapsFree = isClean(gapScan(listing, pages, done.accountedFor));
  const walkProblems = [...listing.problems, ...done.walkProblems, ...emptiness(registration, listing)];
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
  };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** ING-02: only the workload named in the registration writes a source. */
function connectorOf(library: Library, registration: SourceRegistration): Connector {
  const connector = library.connector(registration.location.connector);
  if (connector.identity === registration.connectorIdentity) return connector;
  throw new Fault('input/invalid', { field: `connector_identity of source ${registration.id}`, expected: connector.identity });
}

/** Documents the last run could make no page of: they will be read again, and are no work that is left to do. */
async function troubledPaths(library: Library, source: string): Promise<ReadonlySet<string>> {
  return new Set((await library.reader.problems(source)).map(({ path }) => path));
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
  readonly #library: Library;
  readonly #writer: IndexWriter;
  readonly #registration: SourceRegistration;
  readonly #plan: SyncPlan;
  readonly #known: ReadonlyMap<string, KnownPage>;
  readonly #transformation: string;
  readonly #full: boolean;
  readonly #step: (done: number) => void;
  readonly #removals: string[];
  readonly #accountedFor = new Set<string>();
  readonly #walkProblems: Problem[] = [];
  readonly #pageProblems: Problem[] = [];
  readonly #refreshed: { path: string; signature: string }[] = [];
  #upserts: IndexBatch['upserts'][number][] = [];
  #batchBytes = 0;
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
    this.#library = library;
    this.#writer = writer;
    this.#registration = registration;
    this.#plan = plan;
    this.#known = known;
    this.#transformation = transformation;
    this.#full = options.full;
    this.#removals = [...plan.removed];
    this.#counts.unchanged = plan.unchanged.length;
    this.#step = paced(`indexing ${registration.id}`, plan.toRead.length, library.clock, options.progress);
  }

  get taken(): number {
    return this.#taken;
  }

  /** Says early what is to be done, when it is certain that something is. */
  async announce(troubled: ReadonlySet<string>): Promise<void> {
    const { added, changed, removed } = this.#plan;
    const certain = added.some(({ path }) => !troubled.has(path)) || changed.length > 0 || removed.length > 0;
    if (certain) await this.#sayPending();
    this.#step(0);
  }

  async take(document: SourceDocument | UnreadDocument): Promise<void> {
    this.#taken++;
    if ('problem' in document) this.#unread(document);
    else if (this.#isSame(document)) this.#same(document);
    else await this.#ingest(document);
    if (this.#upserts.length >= BATCH_PAGES || this.#batchBytes >= BATCH_BYTES) await this.#flush([]);
    this.#step(this.#taken);
  }

  async finish() {
    await this.#flush(this.#removals);
    this.#counts.removed = this.#removals.length;
    return {
      counts: this.#counts,
      writes: this.#writes,
      accountedFor: this.#accountedFor,
      walkProblems: this.#walkProblems,
      pageProblems: this.#pageProblems,
    };
  }

  #isSame({ path, blob }: SourceDocument): boolean {
    const held = this.#known.get(path);
    return !this.#full && held?.blob === blob && held.transformation === this.#transformation;
  }

  #same({ path, signature }: SourceDocument): void {
    this.#counts.unchanged++;
    if (signature !== undefined && signature !== this.#known.get(path)?.signature) this.#refreshed.push({ path, signature });
  }

  #unread({ path, problem }: UnreadDocument): void {
    if (REFUSED_UNREAD.has(problem.code)) this.#refuse(path, [problem]);
    else this.#fail(path, [problem]);
  }

  async #ingest(document: SourceDocument): Promise<void> {
    const { scanner, embedder } = this.#library;
    // Parsers and the like, only when there is a page to make: a run that finds nothing new must be quick.
    const { ingestPage } = await import('../ingest/pipeline.js');
    try {
      const made = await ingestPage(document, this.#registration, { scanner, embedder });
      if (made.kind === 'refused') return this.#refuse(document.path, made.problems);
      this.#pageProblems.push(...made.prepared.problems);
      this.#upserts.push({ prepared: made.prepared, ...(document.signature === undefined ? {} : { signature: document.signature }) });
      this.#batchBytes += document.bytes.byteLength;
      if (this.#known.has(document.path)) this.#counts.changed++;
      else this.#counts.added++;
    } catch (error) {
      if (error instanceof Fault) throw error;
      this.#fail(document.path, [this.#unprocessed(document.path, error)]);
    }
  }

  /** ING-09: one page that breaks the pipeline stops only itself. The error's own text may quote the page, so it stays out. */
  #unprocessed(path: string, error: unknown): Problem {
    const kind = error instanceof Error ? error.name : typeof error;
    return {
      code: 'page/unreadable',
      severity: 'error',
      source: this.#registration.id,
      path,
      message: `${path} could not be processed (${kind}); its earlier version, if any, was kept.`,
      hint: 'This is a fault of the program: please report it with the page, if you may.',
    };
  }

  #refuse(path: string, problems: readonly Problem[]): void {
    this.#fail(path, problems);
    if (this.#known.has(path)) this.#removals.push(path);
  }

  #fail(path: string, problems: readonly Problem[]): void {
    this.#counts.failed++;
    this.#accountedFor.add(path);
    this.#walkProblems.push(...problems);
  }

  async #flush(removals: readonly string[]): Promise<void> {
    const isLast = this.#taken === this.#plan.toRead.length;
    const signatures = isLast && this.#refreshed.length >= REFRESH_FROM ? this.#refreshed : [];
    if (this.#upserts.length + removals.length + signatures.length === 0) return;
    const { writes } = await this.#writer.apply({
      source: this.#registration.id,
      transformation: this.#transformation,
      upserts: this.#upserts,
      removals,
      ...(signatures.length === 0 ? {} : { signatures }),
    });
    this.#writes += writes;
    this.#upserts = [];
    this.#batchBytes = 0;
    if (!isLast) await this.#sayPending();
  }

  async #sayPending(): Promise<void> {
    await this.#writer.pending(this.#registration.id, this.#plan.toRead.length - this.#taken + this.#removals.length);
  }
}
