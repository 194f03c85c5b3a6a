/**
 * Fuse: one order from the legs, then what the policy says about the page itself (RET-04, RET-12, RET-13).
 *
 * Invariant: a demotion depends on categories only (status, tier, dates), never on how well the text matches. A legacy page that is asked
 * for by its name is not demoted for being one.
 * Invariant: a passage that literally holds a rare identifier of the question stands above those that do not (RET-03), unless the
 * question says so much besides that the name is one thing among others.
 * Invariant: total order; equal scores are ordered by artifact id.
 */
import type { Leg } from '../domain/candidate.js';
import { type Label, labelsOf } from '../domain/page.js';
import type { UnderstoodQuery } from '../domain/query.js';
import type { RankingPolicy } from '../domain/ranking-policy.js';
import type { SourceStanding } from '../domain/source.js';
import { type Day, dayOf, type Instant } from '../kernel/clock.js';
import type { StoredPage } from '../ports/index-reader.js';
import { foldedWords } from '../text/analyze.js';
import { byScore, type Draft, pageKey } from './draft.js';
import { sourceLabels } from './eligible.js';
import { askedFor } from './evidence.js';
import { otherVersions } from './product-version.js';

interface FuseInput {
  readonly policy: RankingPolicy;
  readonly standings: readonly SourceStanding[];
  readonly today: Day;
  readonly cutoff?: Day;
}

export function fuse(drafts: readonly Draft[], query: UnderstoodQuery, input: FuseInput): readonly Draft[] {
  const { policy, today } = input;
  const best = bestScores(drafts);
  const standings = new Map(input.standings.map((standing) => [standing.id, standing]));
  const others = otherVersions(drafts, query);
  const isAskedForByName = namesAsked(query);
  const { lexical, metadata, links } = policy.legs;
  const most = (lexical + metadata + links + (policy.nameLikeness ?? 0)) * weightOfNames(query, policy);
  const fused = drafts.map((draft): Draft => {
    const { page } = draft.artifact;
    const labels = [...labelsOf(page, today), ...sourceLabels(standings.get(page.source))];
    const version = others.has(pageKey(page)) ? versionDemotion(policy) : {};
    const demotions = {
      ...demotionsOf(
        page,
        labels.includes('legacy') && isAskedForByName(page) ? labels.filter((label) => label !== 'legacy') : labels,
        policy,
      ),
      ...cutoffDemotion(page, input),
      ...version,
    };
    const evidence = policy.fusion === 'rrf' ? reciprocalRanks(draft, policy) : weightedScores(draft, policy, best);
    const factor = Object.values(demotions).reduce((product, each) => product * each, 1);
    return { ...draft, labels, demotions, score: (evidence + most * draft.literal) * factor };
  });
  return fused.sort(byScore);
}

/** Of a sentence of many words the passage that answers need not be the one that holds the name. */
function weightOfNames(query: UnderstoodQuery, { wordsBesideNames = Number.POSITIVE_INFINITY }: RankingPolicy): number {
  return Math.min(1, (wordsBesideNames / Math.max(1, askedFor(query).size)) ** 3);
}

type LegScores = Readonly<Partial<Record<Leg, number>>>;

function bestScores(drafts: readonly Draft[]): LegScores {
  const best: Partial<Record<Leg, number>> = {};
  for (const { legScores } of drafts) {
    for (const leg of ['lexical', 'metadata', 'links'] as const) best[leg] = Math.max(best[leg] ?? 0, legScores[leg] ?? 0);
  }
  return best;
}

function weightedScores({ legScores, named = 0 }: Draft, { legs, nameLikeness = 0 }: RankingPolicy, best: LegScores): number {
  let sum = nameLikeness * named;
  for (const leg of ['lexical', 'metadata', 'links'] as const) {
    const top = best[leg] ?? 0;
    if (top > 0) sum += (legs[leg] * (legScores[leg] ?? 0)) / top;
  }
  return sum;
}

function reciprocalRanks({ ranks }: Draft, { legs, fusionK }: RankingPolicy): number {
  let sum = 0;
  for (const leg of ['lexical', 'metadata', 'links'] as const) {
    const rank = ranks[leg];
    if (rank !== undefined) sum += legs[leg] / (fusionK + rank);
  }
  return sum;
}

const DAY_MS = 86_400_000;

/**
 * Pages about the own system are left alone; of the others the later verified never stands lower for it, and a page that does not
 * say when it was verified is taken for an old one.
 */
function cutoffDemotion({ meta }: StoredPage, { cutoff, policy }: FuseInput): Readonly<Record<string, number>> {
  if (cutoff === undefined || meta.scope !== 'external' || policy.demotion.beforeCutoff === 1) return {};
  const bound = dayOf((Date.parse(cutoff) - policy.cutoffMarginDays * DAY_MS) as Instant);
  return meta.verifiedAt !== undefined && meta.verifiedAt >= bound
    ? {}
    : { 'older than what the model knows': policy.demotion.beforeCutoff };
}

function versionDemotion({ demotion: { otherVersion = 1 } }: RankingPolicy): Readonly<Record<string, number>> {
  return otherVersion === 1 ? {} : { 'other version': otherVersion };
}

/** Of what was asked, the share that may be about something else than the page's name. */
const MOST_BESIDES = 0.3;

/** Is the question as good as nothing but a title or an alias of the page? Then this page is meant, however old. */
function namesAsked(query: UnderstoodQuery): (page: StoredPage) => boolean {
  const said = new Set(foldedWords(query.text));
  const asked = new Set(
    query.terms.filter(({ content, kind }) => content && kind !== 'bigram').flatMap(({ surface }) => foldedWords(surface)),
  );
  return ({ title, meta: { aliases } }) =>
    [title, ...aliases].some((name) => {
      const words = new Set(foldedWords(name));
      const besides = [...asked].filter((word) => !words.has(word)).length;
      return words.size > 0 && besides <= asked.size * MOST_BESIDES && [...words].every((word) => said.has(word));
    });
}

function demotionsOf(page: StoredPage, labels: readonly Label[], { demotion }: RankingPolicy): Readonly<Record<string, number>> {
  const applied: Record<string, number> = {};
  for (const label of ['legacy', 'deprecated', 'overdue', 'superseded', 'expired'] as const) {
    if (labels.includes(label)) applied[label] = demotion[label];
  }
  if (page.tier === 'untrusted' || page.tier === 'advisory') applied[page.tier] = demotion[page.tier];
  if (page.meta.authorship === 'llm-generated') applied['llm-generated'] = demotion.llmGenerated;
  return Object.fromEntries(Object.entries(applied).filter(([, factor]) => factor !== 1));
}
