/**
 * A context as an agent reads it: the passages once, fenced, in `rendered`; beside them a list of what they are.
 *
 * Invariant: of a page left out that nobody vouches for, an agent hears the id and the reason, and no word of its author.
 */
import { NOTICE } from '../../context/preamble.js';
import { openDoor } from '../asking/asking.js';
import type { Call } from '../operations/catalogue.js';
import type { ContextAnswer } from '../operations/context.js';
import { type AgentView, ANSWER_TOKENS, shrunk } from './agent-view.js';
import {
  boundedProblems,
  inertDescription,
  inertFact,
  inertFacts,
  isPlainPath,
  problemLines,
  saidProblems,
  type Vouched,
  vouchedBy,
} from './inert-facts.js';

export const EXCLUDED_SHOWN = 10;

type Excluded = ContextAnswer['excluded'][number];

/** Which of the pages that would be named as left out are of no fenced tier; one that cannot be seen is not vouched for. */
export async function vouchedAmong(excluded: readonly Excluded[], call: Call): Promise<Vouched> {
  if (excluded.length === 0) return vouchedBy([]);
  const { snapshot, eligible } = await openDoor(call);
  try {
    const pages = await Promise.all(excluded.slice(0, EXCLUDED_SHOWN).map(({ source, path }) => snapshot.page(eligible, source, path)));
    return vouchedBy(pages.filter((each) => each !== undefined));
  } finally {
    await snapshot.close();
  }
}

export function contextView(answer: ContextAnswer, vouched: Vouched): AgentView {
  const ofItems = vouchedBy(answer.items);
  const problems = saidProblems(answer.problems, (source, path) => ofItems(source, path) || vouched(source, path));
  const left = answer.excluded.length - EXCLUDED_SHOWN;
  const structured = {
    ...answer,
    ...boundedProblems(problems),
    reason: inertFact(answer.reason),
    ...(answer.taint ? { notice: NOTICE } : {}),
    items: answer.items.map(({ excerpt: _excerpt, ...item }) => inertDescription(item)),
    excluded: answer.excluded.slice(0, EXCLUDED_SHOWN).map((each) => excludedEntry(each, vouched)),
    ...(left > 0 ? { excludedMore: left } : {}),
    gaps: inertFacts(answer.gaps),
    ...(answer.facts === undefined ? {} : { facts: inertFacts(answer.facts) }),
    ...(answer.live === undefined ? {} : { live: inertFacts(answer.live) }),
    conflicts: inertFacts(answer.conflicts),
  };
  return {
    structured: shrunk(structured, ANSWER_TOKENS - 2 * answer.budget.used),
    text: [answer.rendered, ...problemLines(problems)].join('\n\n'),
  };
}

function excludedEntry({ artifact, source, path, title, reason, detail }: Excluded, vouched: Vouched): object {
  const place = isPlainPath(path) ? { artifact, source, path, reason } : { artifact, source, reason };
  if (!vouched(source, path)) return { ...place, untrusted: true };
  return { ...place, title: inertFact(title), detail: inertFact(detail) };
}
