/**
 * What a run is told of to somebody whom the process asks for: that it was done, and what of it they may see.
 *
 * Invariant: no count, digest or problem depends on a page that is hidden from them (ATH-06).
 */
import { doorIfBuilt } from '../packages/access.js';
import type { Call } from './catalogue.js';
import type { IndexAnswer } from './index-sources.js';

/** Of a whole source: they name no page. */
const OF_SOURCES: ReadonlySet<string> = new Set(['source/unreachable', 'source/closed', 'source/declared-state']);

export async function indexAsSeen(call: Call, answer: IndexAnswer): Promise<IndexAnswer> {
  const door = await doorIfBuilt(call);
  try {
    const visible = new Set(door?.eligible.compartments.map(({ source }) => source));
    const counts = door === undefined ? { documents: 0, artifacts: 0 } : await door.snapshot.counts(door.eligible);
    const contentDigest = door === undefined ? '' : await door.snapshot.projectedManifest(door.eligible);
    const nothing = { seen: 0, added: 0, changed: 0, removed: 0, unchanged: 0, withheld: 0, failed: 0 };
    return {
      ...answer,
      ...counts,
      contentDigest,
      generation: 0,
      writes: 0,
      elapsedMs: 0,
      sources: answer.sources.filter(({ id }) => visible.has(id)).map(({ id, state, walk }) => ({ id, state, walk, ...nothing })),
      problems: answer.problems.filter(({ code, source }) => OF_SOURCES.has(code) && visible.has(source)),
    };
  } finally {
    await door?.snapshot.close();
  }
}
