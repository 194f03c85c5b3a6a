/**
 * The door every question goes through: pin a snapshot, resolve who may see what, then ask.
 *
 * Invariant: eligibility is resolved from records.db for every request, before anything is looked up (ATH-01, ATH-04).
 */
import type { Retrieved } from '../../domain/candidate.js';
import type { Checkpoint } from '../../domain/checkpoint.js';
import type { EligibleSet } from '../../domain/eligibility.js';
import type { Label } from '../../domain/page.js';
import type { Scope } from '../../domain/query.js';
import { type SourceStanding, standingAt } from '../../domain/source.js';
import { type Day, dayOf } from '../../kernel/clock.js';
import type { IndexSnapshot } from '../../ports/index-reader.js';
import type { RetrievalDeps } from '../../retrieval/draft.js';
import { resolveEligible, sourceLabels } from '../../retrieval/eligible.js';
import { retrieve } from '../../retrieval/pipeline.js';
import type { LibraryConfig } from '../library.js';
import type { Call } from '../operations/catalogue.js';
import { currentVocabulary } from '../vocabulary/current-vocabulary.js';
import type { Recalled } from './context-cache.js';
import { narrowScope } from './narrow-scope.js';

/** What a request may read, and what reads it. Close the snapshot when done. */
export interface Door {
  readonly snapshot: IndexSnapshot;
  readonly eligible: EligibleSet;
  /** Where the sources stand, for paths that are written from elsewhere than a source's root. */
  readonly places: Pick<LibraryConfig, 'root' | 'sources'>;
  /** Labels a source's own state puts on its pages. */
  sourceLabels(source: string): readonly Label[];
}

export async function openDoor(call: Call): Promise<Door> {
  const deps = await dependencies(call, 'any');
  try {
    const standings = new Map(deps.standings.map((each) => [each.id, each]));
    return {
      snapshot: deps.snapshot,
      eligible: await resolveEligible(deps, call.ask),
      places: call.library.config,
      sourceLabels: (source) => sourceLabels(standings.get(source)),
    };
  } catch (error) {
    await deps.snapshot.close();
    throw error;
  }
}

export interface Question {
  readonly text: string;
  readonly scope: Scope;
  readonly limit: number;
  /** `lexical` leaves every model out of it. */
  readonly mode: 'any' | 'lexical';
  readonly purpose: 'search' | 'context' | 'ranking';
  /** The scope of an answer that was given before, in the index's own words already. */
  readonly narrowed?: boolean;
  /** Of the model that will read the answer. */
  readonly cutoff?: Day;
}

/** The answer of the retrieval pipeline, with the snapshot it came from. Close the snapshot when done. */
export interface Asked {
  readonly retrieved: Retrieved;
  readonly snapshot: IndexSnapshot;
  readonly checkpoints: readonly Checkpoint[];
  readonly standings: readonly SourceStanding[];
  /** To ask the same snapshot further questions. */
  readonly deps: RetrievalDeps;
}

/** Close the snapshot when done. */
export async function retrieveFor(call: Call, question: Question): Promise<Pick<Asked, 'retrieved' | 'snapshot'>> {
  const deps = await openQuestion(call, question);
  try {
    const { kept, keep } = await recalled(call, question, deps);
    const retrieved = kept?.retrieved ?? (await retrieveIn(deps, call, question));
    if (kept === undefined) keep({ retrieved });
    return { retrieved, snapshot: deps.snapshot };
  } catch (error) {
    await deps.snapshot.close();
    throw error;
  }
}

/** What was found for the very same question before, where somebody keeps such a thing. */
async function recalled(call: Call, question: Question, deps: RetrievalDeps): Promise<Recalled<Pick<Asked, 'retrieved'>>> {
  const { searches, config } = call.library;
  if (searches === undefined || question.purpose !== 'search') return { keep: () => undefined };
  const request = { ...question, model: NO_MODEL, ranking: config.ranking };
  return searches.recall(call, request, { ...deps, compiler: 'search' }, await resolveEligible(deps, call.ask));
}

const NO_MODEL = {};

/** What the question is answered from. Close the snapshot when done, or when it fails. */
export async function openQuestion(call: Call, { mode, cutoff }: Pick<Question, 'mode' | 'cutoff'>): Promise<RetrievalDeps> {
  return { ...(await dependencies(call, mode)), ...(cutoff === undefined ? {} : { cutoff }) };
}

export async function retrieveWith(deps: RetrievalDeps, call: Call, question: Question): Promise<Asked> {
  return askedOf(deps, call, await retrieveIn(deps, call, question));
}

async function retrieveIn(deps: RetrievalDeps, call: Call, { text, limit, purpose, ...asked }: Question): Promise<Retrieved> {
  const scope = asked.narrowed === true ? asked.scope : await narrowScope(deps, call, asked.scope);
  return retrieve(deps, { ask: call.ask, text, scope, limit, for: purpose });
}

/** The answer may have been found before, as long as it is what would be found now. */
export async function askedOf(deps: RetrievalDeps, { library }: Call, retrieved: Retrieved): Promise<Asked> {
  return { retrieved, snapshot: deps.snapshot, checkpoints: await library.reader.checkpoints(), standings: deps.standings, deps };
}

/** The id of a model that is not there; a leg that would need it stays off. */
const OFF = 'none';

async function dependencies({ library, ask }: Call, mode: Question['mode']): Promise<RetrievalDeps> {
  const { config, reader, records } = library;
  // First: a vocabulary that cannot be read must leave no snapshot open.
  const vocabulary = await currentVocabulary(config);
  const [standings, snapshot] = await Promise.all([records.registry.standings(), reader.snapshot()]);
  return {
    snapshot,
    standings: standings.map((each) => standingAt(each, ask.at)),
    permissions: config.permissions,
    policy: config.ranking,
    ...(vocabulary === undefined ? {} : { vocabulary }),
    stemming: Object.fromEntries(config.sources.map(({ id, stemming }) => [id, stemming])),
    reranker: mode === 'lexical' ? { ...library.reranker, id: OFF } : library.reranker,
    embedder: mode === 'lexical' ? { ...library.embedder, id: OFF } : library.embedder,
    today: dayOf(ask.at),
  };
}
