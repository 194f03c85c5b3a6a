/**
 * What of the library somebody sees whom the process asks for: what a run may tell them.
 *
 * Invariant: nothing of it depends on a page that is hidden from them (ATH-06).
 */
import type { Problem } from '../../domain/problem.js';
import { doorIfBuilt } from '../packages/access.js';
import type { Call } from './catalogue.js';

/** Of a whole source: they name no page. */
const OF_SOURCES: ReadonlySet<string> = new Set(['source/unreachable', 'source/closed', 'source/declared-state']);

export interface Seen {
  readonly figures: { readonly documents: number; readonly artifacts: number; readonly contentDigest: string };
  readonly source: (of: { readonly id: string }) => boolean;
  readonly problem: (of: Pick<Problem, 'code' | 'source'>) => boolean;
}

export async function seenBy(call: Call): Promise<Seen> {
  const door = await doorIfBuilt(call);
  try {
    const visible = new Set(door?.eligible.compartments.map(({ source }) => source));
    const counts = door === undefined ? { documents: 0, artifacts: 0 } : await door.snapshot.counts(door.eligible);
    const contentDigest = door === undefined ? '' : await door.snapshot.projectedManifest(door.eligible);
    return {
      figures: { ...counts, contentDigest },
      source: ({ id }) => visible.has(id),
      problem: ({ code, source }) => OF_SOURCES.has(code) && visible.has(source),
    };
  } finally {
    await door?.snapshot.close();
  }
}
