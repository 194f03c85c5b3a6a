/**
 * Labels of a golden set, resolved to the artifacts that hold them today (K-30).
 *
 * Invariant: a label is looked up with all the library's own identity holds, whoever the question is asked by: whether that asker
 * may see the page is what is measured.
 * Invariant: a label whose words are gone is a fault with file and line; no label is dropped in silence.
 */
import type { GoldenQuestion } from '../../evaluation/golden-set.js';
import { locateSpan } from '../../evaluation/span.js';
import type { Instant } from '../../kernel/clock.js';
import { Fault } from '../../kernel/errors.js';
import type { StoredArtifact } from '../../ports/index-reader.js';
import { type Door, openDoor } from '../asking/asking.js';
import { resolveAsk } from '../identity.js';
import type { Library } from '../library.js';

export const EVALUATION_CALLER = { workload: 'workload://colophon/eval', defaultClient: 'terminal' } as const;

export interface LabelledPassages {
  readonly artifacts: ReadonlySet<string>;
  readonly apart: boolean;
}

/** By question; a question without labels is not in it. */
export async function labelledPassages(
  library: Library,
  questions: readonly GoldenQuestion[],
  file: string,
  at: Instant,
): Promise<ReadonlyMap<string, LabelledPassages>> {
  const found = new Map<string, LabelledPassages>();
  const look = await openEveryDoor(library, at);
  try {
    for (const { id, labels, line } of questions) {
      const artifacts = new Set<string>();
      let apart = false;
      for (const [index, { page, span }] of labels.entries()) {
        const segments = await look.segments(page);
        const located = locateSpan(span, segments);
        if (located === undefined) {
          const gone = segments.length === 0 ? 'page' : 'words';
          throw new Fault('evaluation/label-lost', { file, line, label: index + 1, page, gone });
        }
        for (const artifact of located.artifacts) artifacts.add(artifact);
        apart ||= located.apart;
      }
      if (labels.length > 0) found.set(id, { artifacts, apart });
    }
    return found;
  } finally {
    await look.close();
  }
}

/** All an identity can see takes one request per tenant and purpose. */
export async function openEveryDoor(library: Library, at: Instant) {
  const doors: Door[] = [];
  const close = async () => {
    for (const { snapshot } of doors) await snapshot.close();
  };
  const { tenants, purposes } = library.config.identity;
  for (const tenant of tenants) {
    for (const purpose of purposes) {
      const ask = resolveAsk(library.config, { tenant, purpose }, EVALUATION_CALLER, at);
      doors.push(await openDoor({ library, ask, signal: new AbortController().signal, progress: () => undefined }));
    }
  }
  const known = new Map<string, readonly StoredArtifact[]>();
  return {
    /** Of `source:path`; empty when there is no such page. */
    async segments(id: string): Promise<readonly StoredArtifact[]> {
      const before = known.get(id);
      if (before !== undefined) return before;
      const found = await firstSegments(doors, id);
      known.set(id, found);
      return found;
    },
    close,
  };
}

async function firstSegments(doors: readonly Door[], id: string): Promise<readonly StoredArtifact[]> {
  const colon = id.indexOf(':');
  for (const { snapshot, eligible } of doors) {
    const page = await snapshot.page(eligible, id.slice(0, colon), id.slice(colon + 1));
    if (page !== undefined) return snapshot.segments(eligible, page);
  }
  return [];
}
