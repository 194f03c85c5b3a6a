/** What is known of one page of a source besides orders about it: from the index, and from a look at the source itself. */
import type { ArtifactSigns } from '../../domain/artifact-moves.js';
import { standingAt } from '../../domain/source.js';
import type { SourceRecord } from '../../domain/source-record.js';
import { transformationOf } from '../../ingest/transformation.js';
import { Fault } from '../../kernel/errors.js';
import type { HeldVersion } from '../../ports/index-reader.js';
import { unseenTest } from '../../sources/plan-sync.js';
import type { Call } from '../operations/catalogue.js';

export interface PageSigns extends Omit<ArtifactSigns, 'ordered'> {
  /** What is there, in the index or else in the source: of the page, and of its sections that are filed apart; empty where nothing is. */
  readonly texts: readonly string[];
}

export interface PagePlace {
  readonly source: string;
  readonly path: string;
}

type Looking = Pick<Call, 'library' | 'signal'> & { readonly ask: Pick<Call['ask'], 'at'> };

export async function signsOf({ library, ask, signal }: Looking, record: SourceRecord, { path }: PagePlace): Promise<PageSigns> {
  const registration = library.config.sources.find(({ id }) => id === record.id);
  const held = await heldOf({ library }, { source: record.id, path });
  const { state } = standingAt(record, ask.at);
  const found: Looked = registration === undefined ? { named: false } : await lookedAt({ library, signal }, registration, path);
  const { scanner, embedder } = library;
  const made = registration === undefined ? '' : transformationOf(registration, { scanner: scanner.version, embedder: embedder.id });
  return {
    source: state,
    held: held !== undefined,
    named: found.named,
    failed: held === undefined && (await hasProblem({ library }, record.id, path)),
    outdated: held !== undefined && (found.blob !== held.blob || made !== held.transformation),
    texts: held?.texts ?? (found.blob === undefined ? [] : [found.blob]),
  };
}

/** What the index holds of it; nothing where there is no index. */
export async function heldOf({ library }: Pick<Call, 'library'>, { source, path }: PagePlace): Promise<HeldVersion | undefined> {
  return orIfNotBuilt(library.reader.held(source, path), undefined);
}

async function hasProblem({ library }: Pick<Call, 'library'>, source: string, path: string): Promise<boolean> {
  return (await orIfNotBuilt(library.reader.problems(source), [])).some((each) => each.path === path);
}

export async function orIfNotBuilt<T>(reading: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Fault && error.code === 'index/not-built') return otherwise;
    throw error;
  }
}

type Registration = Call['library']['config']['sources'][number];

interface Looked {
  /** False only where the source was seen whole and does not list it. */
  readonly named: boolean;
  readonly blob?: string;
}

/** A source that cannot be reached tells nothing, and nothing of it may be taken for gone. */
async function lookedAt({ library, signal }: Pick<Call, 'library' | 'signal'>, registration: Registration, path: string): Promise<Looked> {
  try {
    const connector = library.connector(registration.location.connector);
    const { documents, unseen, walk } = await connector.list(registration, signal);
    const listed = documents.filter((each) => each.path === path);
    for await (const each of connector.read(registration, listed, signal))
      if (each.path === path && !('problem' in each)) return { named: true, blob: each.blob };
    return { named: listed.length > 0 || walk !== 'complete' || unseenTest(unseen)(path) };
  } catch (error) {
    if (error instanceof Fault && (error.code === 'source/unreachable' || error.code === 'git/failed')) return { named: true };
    throw error;
  }
}
