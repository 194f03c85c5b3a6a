/**
 * Asks a library one labelled question the way everybody asks, and notes what came of it: the ranking, the package, and where a
 * right page was lost.
 *
 * Invariant: the road is the product's own; nothing here ranks, filters or repairs.
 * Invariant: pages that count as absent for a question are absent for it as evidence too.
 */
import type { Candidate } from '../../domain/candidate.js';
import type { PackageBody } from '../../domain/context-package.js';
import type { Observation, SIGNALS, Signal } from '../../evaluation/calibration.js';
import type { Delivery } from '../../evaluation/delivery.js';
import type { PageId } from '../../evaluation/metrics.js';
import { relevantPages } from '../../evaluation/metrics.js';
import { type GoldFacts, MISS_OF, type Miss, missOf } from '../../evaluation/misses.js';
import { RUN_DEPTH, rankPages } from '../../evaluation/page-ranking.js';
import type { Question } from '../../evaluation/question.js';
import type { Answer, QueryScore } from '../../evaluation/scoring.js';
import { Fault } from '../../kernel/errors.js';
import { openDoor, retrieveFor } from '../asking/asking.js';
import { compilePackage } from '../asking/compile-package.js';
import { resolveAsk } from '../identity.js';
import type { Call } from '../operations/catalogue.js';
import { citationReader } from './citations.js';
import { EVALUATION_CALLER, openEveryDoor } from './labels.js';
import type { LabelledSet } from './set.js';
import { noon } from './set.js';

const PREAMBLE_TOKENS = 1500;
/** Passages asked for at first; more when they are of too few pages. */
const FIRST_PASSAGES = 400;
const MOST_PASSAGES = 25_600;
/** As deep as the measures of passages look. */
const PASSAGE_DEPTH = 10;

export interface Outcome extends Answer {
  readonly passages: readonly string[];
  readonly body: PackageBody;
  readonly rankMs: number;
  readonly contextMs: number;
}

export type AskingOf = Pick<LabelledSet, 'library' | 'asOf' | 'pageId' | 'placeOf'>;

export interface Asker {
  ask(question: Question): Promise<Outcome>;
  /** The order of pages alone, and the passages it came from. */
  rank(question: Question): Promise<Pick<Outcome, 'ranking' | 'passages'>>;
  /** What a preamble would hold. */
  deliver(question: Question): Promise<Delivery>;
  /** How strongly what is found answers the question, with the floor away. */
  evidence(question: Question): Promise<Evidence>;
  callFor(question: Question): Call;
}

export interface Evidence extends Observation {
  /** Other signs of an answer, by name. */
  readonly signals: Readonly<Record<Signal, number>>;
}

export function askerOf(set: AskingOf, signal: AbortSignal): Asker {
  const { library } = set;
  const isExact = citationReader(library.config.sources);
  const callFor = ({ ask }: Question): Call => ({
    library,
    ask: resolveAsk(library.config, ask, EVALUATION_CALLER, noon(set.asOf)),
    signal,
    progress: () => undefined,
  });
  const rank = (question: Question) => rankedPages(callFor(question), question, set);
  return {
    callFor,
    rank,
    deliver: async (question) => deliveryOf(await packageFor(callFor(question), question, set), set, isExact),
    evidence: (question) => evidenceOf(callFor(question), question, set),
    ask: async (question) => {
      const startedAt = performance.now();
      const { ranking, passages } = await rank(question);
      const rankedAt = performance.now();
      const body = await packageFor(callFor(question), question, set);
      const contextMs = performance.now() - rankedAt;
      const delivery = await deliveryOf(body, set, isExact);
      return { query: question.id, ranking, passages, delivery, body, rankMs: rankedAt - startedAt, contextMs };
    },
  };
}

/** Globs that match the pages that count as absent, and no others. */
export function exclusionsOf(question: Pick<Question, 'absent'>, set: Pick<LabelledSet, 'placeOf'>): string[] {
  return [...question.absent].map((id) => literalGlob(set.placeOf(id).path)).sort();
}

/** Asks for more passages until enough pages are among them, or there are no more. */
async function rankedPages(call: Call, question: Question, set: AskingOf) {
  const scope = { exclude: exclusionsOf(question, set) };
  for (let limit = FIRST_PASSAGES; ; limit *= 4) {
    const { retrieved, snapshot } = await retrieveFor(call, { text: question.text, scope, limit, mode: 'any', purpose: 'ranking' });
    await snapshot.close();
    const found = retrieved.candidates.map(({ page, artifact }) => ({ page: set.pageId(page), artifact: artifact.id }));
    const ranking = rankPages(found, question.absent);
    if (ranking.length >= RUN_DEPTH || found.length < limit || limit >= MOST_PASSAGES)
      return { ranking, passages: found.slice(0, PASSAGE_DEPTH).map(({ artifact }) => artifact) };
  }
}

/** As many passages as a context may choose from. */
const EVIDENCE_PASSAGES = 40;

async function evidenceOf(call: Call, question: Question, set: AskingOf): Promise<Evidence> {
  const scope = { exclude: exclusionsOf(question, set) };
  const asked = { text: question.text, scope, limit: EVIDENCE_PASSAGES, mode: 'any', purpose: 'search' } as const;
  const { retrieved, snapshot } = await retrieveFor(call, asked);
  await snapshot.close();
  const { candidates, query, strength = 0 } = retrieved;
  const words = new Set(query.terms.filter((term) => term.content || term.required).map(({ surface }) => surface));
  const found = candidates.some(({ page }) => (question.grades.get(set.pageId(page)) ?? 0) > 0);
  return { strength, found, signals: { 'strength of the best passage': strength, ...signalsOf(candidates, words) } };
}

/** What could tell an answer from a page that only shares words, each from 0 to 1. */
function signalsOf(candidates: readonly Candidate[], words: ReadonlySet<string>): Omit<Evidence['signals'], (typeof SIGNALS)[0]> {
  const share = (surfaces: ReadonlySet<string>) => [...surfaces].filter((surface) => words.has(surface)).length / Math.max(1, words.size);
  const matchedIn = ({ why }: Candidate, fields?: ReadonlySet<string>) =>
    new Set(
      why.matched.filter((each) => fields === undefined || each.fields.some((field) => fields.has(field))).map(({ surface }) => surface),
    );
  const most = (of: (candidate: Candidate) => number) => candidates.reduce((best, each) => Math.max(best, of(each)), 0);
  const [first] = candidates;
  const other = candidates.find(({ page }) => page.path !== first?.page.path);
  const margin = first === undefined || first.score <= 0 ? 0 : 1 - Math.max(0, other?.score ?? 0) / first.score;
  return {
    'page coverage': most(({ why }) => why.coverage),
    'words in one passage': most((each) => share(matchedIn(each))),
    'words in title or heading': most((each) => share(matchedIn(each, NAMING))),
    'lead over the next page': Math.round(margin * 1e4) / 1e4,
  };
}

const NAMING: ReadonlySet<string> = new Set(['title', 'headings']);

/** Compiled as `context` does, and not stored: a measurement leaves no package behind. */
async function packageFor(call: Call, question: Question, set: AskingOf): Promise<PackageBody> {
  const { config } = call.library;
  const model = config.models.find(({ name }) => name === 'generic');
  if (model === undefined) throw new Fault('input/invalid', { field: 'model', expected: 'known: the profile `generic` is missing' });
  const { compiled, asked } = await compilePackage(call, {
    text: question.text,
    scope: { exclude: exclusionsOf(question, set) },
    model,
    ranking: config.ranking,
    ceilingTokens: PREAMBLE_TOKENS,
    mayRaiseCeiling: false,
  });
  await asked.snapshot.close();
  return compiled.package.body;
}

async function deliveryOf(body: PackageBody, { pageId }: AskingOf, isExact: ReturnType<typeof citationReader>): Promise<Delivery> {
  const seen = new Set<string>();
  const items: Delivery['items'][number][] = [];
  for (const item of body.items) {
    const exact = await isExact(item);
    const { artifact, tokens, excerptDigest } = item;
    items.push({ page: pageId(item), tokens, artifact, copy: seen.has(excerptDigest), ...(exact === undefined ? {} : { exact }) });
    seen.add(item.excerptDigest);
  }
  const named = [...body.excluded, ...body.items.flatMap(({ duplicates }) => duplicates)].map(pageId);
  return { status: body.status, items, tokensUsed: body.budget.used, named };
}

export interface FoundMiss {
  readonly miss: Miss;
  /** What the package itself says about it, where it does. */
  readonly detail: string;
}

/** Why the answer was not delivered; undefined when it was. */
export async function explainMiss(
  set: LabelledSet,
  asker: Asker,
  question: Question,
  outcome: Outcome,
  score: QueryScore,
): Promise<FoundMiss | undefined> {
  const { goldInPackage, answerInPackage } = score.delivered;
  if (goldInPackage === undefined || (goldInPackage === 1 && answerInPackage !== 0)) return undefined;
  const gold = relevantPages(question.grades).sort();
  const facts = goldInPackage === 1 ? [] : await factsOf(set, asker, question, outcome, gold);
  const miss = missOf({
    status: outcome.body.status,
    goldInPackage: goldInPackage === 1,
    answerInPackage: answerInPackage === undefined ? undefined : answerInPackage === 1,
    apart: question.apart === true,
    gold: goldInPackage === 1 ? [UNASKED] : facts,
  });
  if (miss === undefined) return undefined;
  const left = outcome.body.excluded.find((each) => MISS_OF[each.reason] === miss && gold.includes(set.pageId(each)));
  return { miss, detail: left?.detail ?? (score.goldRank === undefined ? '' : `the page ranks ${score.goldRank}`) };
}

const UNASKED: GoldFacts = { registered: true, indexed: true, eligible: true, exclusions: [] };

async function factsOf(
  set: LabelledSet,
  asker: Asker,
  question: Question,
  outcome: Outcome,
  gold: readonly PageId[],
): Promise<GoldFacts[]> {
  const call = asker.callFor(question);
  const everything = await openEveryDoor(set.library, call.ask.at);
  const door = await openDoor(call);
  try {
    const facts: GoldFacts[] = [];
    for (const id of gold) {
      const { source, path } = set.placeOf(id);
      const rank = outcome.ranking.indexOf(id) + 1;
      facts.push({
        registered: set.library.config.sources.some((each) => each.id === source),
        indexed: (await everything.segments(`${source}:${path}`)).length > 0,
        eligible: (await door.snapshot.page(door.eligible, source, path)) !== undefined,
        ...(rank === 0 ? {} : { rank }),
        exclusions: outcome.body.excluded.filter((each) => set.pageId(each) === id).map(({ reason }) => reason),
      });
    }
    return facts;
  } finally {
    await door.snapshot.close();
    await everything.close();
  }
}

/** A glob that matches this path and no other. */
export function literalGlob(path: string): string {
  return path.replace(/[\\*?[\](){}!+@|]/g, '\\$&');
}
