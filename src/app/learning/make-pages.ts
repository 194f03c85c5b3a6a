/**
 * Make pages: read one portion of a source's documents and turn them into pages, packed as the store files them.
 *
 * Needs no index and writes nothing, so any thread can do it.
 * Invariant: the same portion gives the same pages in every thread.
 */
import type { Problem } from '../../domain/problem.js';
import type { SourceRegistration } from '../../domain/source.js';
import { secretInName } from '../../ingest/secret-name.js';
import { Fault } from '../../kernel/errors.js';
import type { ListedDocument, SourceDocument, UnreadDocument } from '../../ports/connector.js';
import type { FiledPage, PackedPages } from '../../ports/index-writer.js';
import type { Library } from '../library.js';

/** Reading and parsing hardly ever wait; without a turn in between, an abort would not be heard before the end. */
const TURN_PAGES = 16;
/** Problems of a listed document after which its old version must go: it is read, and it is no page. */
const REFUSED_UNREAD: ReadonlySet<Problem['code']> = new Set(['page/too-large']);

export interface Portion {
  readonly source: string;
  readonly documents: readonly ListedDocument[];
  /** Path → blob of what the index holds of them that need not be made again when the bytes are the same. */
  readonly held: ReadonlyMap<string, string>;
}

interface Left {
  readonly path: string;
  readonly problems: readonly Problem[];
}

export interface MadePages {
  readonly documents: number;
  /** Paths of the pages in `packed`. */
  readonly made: readonly string[];
  readonly packed?: PackedPages;
  /** Problems of the pages made. */
  readonly problems: readonly Problem[];
  /** Held already: the bytes are the same. */
  readonly same: readonly { readonly path: string; readonly signature?: string }[];
  /** Read, and no page: an old version must go. */
  readonly refused: readonly Left[];
  /** Could not be read or made: an old version stays. */
  readonly failed: readonly Left[];
}

export type MakingLibrary = Pick<Library, 'connector' | 'scanner' | 'embedder' | 'packer'>;

export async function makePages(
  library: MakingLibrary,
  registration: SourceRegistration,
  portion: Portion,
  options: { readonly signal: AbortSignal; readonly step: (done: number) => void },
): Promise<MadePages> {
  const making = new Making(library, registration, portion.held);
  const connector = library.connector(registration.location.connector);
  let done = 0;
  for await (const document of connector.read(registration, portion.documents, options.signal)) {
    await making.take(document);
    done += 1;
    options.step(done);
    if (done % TURN_PAGES === 0) await turn();
    options.signal.throwIfAborted();
  }
  return making.finish(done);
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

class Making {
  readonly #library: MakingLibrary;
  readonly #registration: SourceRegistration;
  readonly #held: Portion['held'];
  readonly #pages: FiledPage[] = [];
  readonly #problems: Problem[] = [];
  readonly #same: MadePages['same'][number][] = [];
  readonly #refused: Left[] = [];
  readonly #failed: Left[] = [];

  constructor(library: MakingLibrary, registration: SourceRegistration, held: Portion['held']) {
    this.#library = library;
    this.#registration = registration;
    this.#held = held;
  }

  async take(document: SourceDocument | UnreadDocument): Promise<void> {
    const { path } = document;
    if ('problem' in document) {
      const { problem } = document;
      const secret = await secretInName(path, this.#registration.id, this.#library.scanner);
      (secret !== undefined || REFUSED_UNREAD.has(problem.code) ? this.#refused : this.#failed).push({
        path,
        problems: [secret ?? problem],
      });
    } else if (this.#held.get(path) === document.blob) {
      this.#same.push({ path, ...signed(document) });
    } else {
      await this.#make(document);
    }
  }

  async finish(documents: number): Promise<MadePages> {
    const packed = this.#pages.length === 0 ? undefined : (await this.#library.packer())(this.#pages);
    return {
      documents,
      made: this.#pages.map(({ prepared }) => prepared.page.path),
      ...(packed === undefined ? {} : { packed }),
      problems: this.#problems,
      same: this.#same,
      refused: this.#refused,
      failed: this.#failed,
    };
  }

  async #make(document: SourceDocument): Promise<void> {
    const { path } = document;
    const { scanner, embedder } = this.#library;
    // Parsers and the like, only when there is a page to make: a run that finds nothing new must be quick.
    const { ingestPage } = await import('../../ingest/pipeline.js');
    try {
      const made = await ingestPage(document, this.#registration, { scanner, embedder });
      if (made.kind === 'refused') {
        this.#refused.push({ path, problems: made.problems });
        return;
      }
      this.#problems.push(...made.prepared.problems);
      this.#pages.push({ prepared: made.prepared, ...signed(document) });
    } catch (error) {
      if (error instanceof Fault) throw error;
      const secret = await secretInName(path, this.#registration.id, scanner);
      this.#failed.push({ path, problems: [secret ?? this.#unprocessed(path, error)] });
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
}

function signed({ signature }: SourceDocument): { readonly signature?: string } {
  return signature === undefined ? {} : { signature };
}

/** Of the first portion; each next one may be twice as large, so that something is soon there to be found. */
const FIRST_BYTES = 512 * 1024;
const MOST_BYTES = 2 * 1024 * 1024;
const MOST_PAGES = 1_000;

/** Cuts a plan into portions, by sizes alone, so that equal plans are cut the same on every machine. */
export function portionsOf(documents: readonly ListedDocument[]): (readonly ListedDocument[])[] {
  const portions: ListedDocument[][] = [];
  let limit = FIRST_BYTES;
  let bytes = 0;
  let open: ListedDocument[] = [];
  for (const document of documents) {
    if (open.length > 0 && (bytes + document.sizeBytes > limit || open.length >= MOST_PAGES)) {
      portions.push(open);
      open = [];
      bytes = 0;
      limit = Math.min(limit * 2, MOST_BYTES);
    }
    open.push(document);
    bytes += document.sizeBytes;
  }
  if (open.length > 0) portions.push(open);
  return portions;
}
