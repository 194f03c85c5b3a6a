/** A search as an agent reads it: numbered cards with place, labels, reason and text. */

import type { ItemFacts } from '../../context/preamble.js';
import { itemLines, NOTICE } from '../../context/preamble.js';
import { isFenced } from '../../domain/authority.js';
import { parseDay } from '../../kernel/clock.js';
import type { SearchAnswer } from '../operations/search.js';
import type { Hit } from '../operations/wire.js';
import { type AgentView, boundaryFor, fence, shown, tokensOf } from './agent-view.js';
import { boundedProblems, inertDescription, inertFact, inertFacts, problemLines, saidProblems, vouchedBy } from './inert-facts.js';

interface Card {
  readonly structured: object;
  readonly text: string;
}

/** How many of the hits, from the first, fit the budget; never none. */
export function hitsThatFit(answer: SearchAnswer, budgetTokens: number): number {
  const boundary = boundaryFor([answer.hits]);
  let used = tokensOf({ ...envelopeOf(answer), hits: [] });
  let count = 0;
  for (const hit of answer.hits) {
    const card = cardOf(hit, boundary);
    used += tokensOf(card.structured) + tokensOf(card.text);
    if (used > budgetTokens && count > 0) break;
    count += 1;
  }
  return count;
}

export function searchView(answer: SearchAnswer): AgentView {
  const boundary = boundaryFor([answer.hits]);
  const cards = answer.hits.map((each) => cardOf(each, boundary));
  const fenced = answer.hits.some((each) => isFenced(each.tier));
  const text = [
    headline(answer),
    ...(fenced ? [NOTICE] : []),
    ...cards.map((each) => each.text),
    ...(answer.truncated
      ? [`Truncated: more passages match. Ask again with next ${JSON.stringify(answer.next)}, or narrow with path or tag.`]
      : []),
    ...problemLines(saidProblems(answer.problems, vouchedBy(answer.hits))),
  ];
  return {
    structured: { ...envelopeOf(answer), ...(fenced ? { notice: NOTICE } : {}), hits: cards.map((each) => each.structured) },
    text: text.join('\n\n'),
  };
}

/** All but the hits. A long question is not said back whole. */
function envelopeOf({ hits, problems, ...answer }: SearchAnswer): object {
  return {
    ...answer,
    query: inertFact(answer.query),
    reason: inertFact(answer.reason),
    ...boundedProblems(saidProblems(problems, vouchedBy(hits))),
  };
}

function headline({ hits, noContext, reason }: SearchAnswer): string {
  if (hits.length === 0) return `No passage: ${reason === '' ? 'nothing matches' : inertFact(reason.replace(/\.$/, ''))}.`;
  const found = hits.length === 1 ? '1 passage' : `${hits.length} passages`;
  return noContext ? `${found}, none good enough to rely on (no_context): ${inertFact(reason)}` : `${found}, best first.`;
}

function cardOf(hit: Hit, boundary: string): Card {
  const excerpt = shown(hit.excerpt);
  const { before, after } = itemLines(factsOf(hit), hit.rank - 1, boundary);
  const { why: _why, bytes: _bytes, ...kept } = hit;
  const structured = {
    ...inertDescription(kept),
    ...(inertFacts({ status: hit.status, productVersion: hit.productVersion }) as object),
    excerpt: fence(excerpt, hit.tier, boundary),
  };
  return { structured, text: `${before}${excerpt}${after}\n(${inertFact(hit.reason)})` };
}

function factsOf(hit: Hit): ItemFacts {
  const verifiedAt = hit.verifiedAt === undefined ? undefined : parseDay(hit.verifiedAt);
  const reviewBy = hit.reviewBy === undefined ? undefined : parseDay(hit.reviewBy);
  return {
    artifact: hit.artifact,
    source: hit.source,
    path: hit.path,
    title: hit.title,
    headingPath: hit.headingPath,
    lines: hit.lines,
    excerpt: hit.excerpt,
    tier: hit.tier,
    labels: hit.labels,
    ...(verifiedAt === undefined ? {} : { verifiedAt }),
    ...(reviewBy === undefined ? {} : { reviewBy }),
  };
}
