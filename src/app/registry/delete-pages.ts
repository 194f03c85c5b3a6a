/**
 * What becomes of orders about pages when the pages are gone: the pipeline moves them to `deleted` by itself (SM-A11), and the record
 * keeps the digest alone of what was held (SM-A12), so that the same text does not come back by being put back.
 */
import { ruleOnArtifact } from '../../domain/artifact-moves.js';
import type { StatedBy } from '../../domain/source-record.js';
import type { Instant } from '../../kernel/clock.js';
import type { PageLedger } from '../../ports/page-ledger.js';
import type { Library } from '../library.js';
import { orIfNotBuilt } from './page-signs.js';

interface Deleting {
  readonly source: string;
  readonly isGone: (path: string) => boolean;
  /** What the index held of it before it was taken out; what the last order was about where it held nothing. */
  readonly held: ReadonlyMap<string, readonly string[]>;
  readonly by: () => Promise<StatedBy>;
  readonly at: Instant;
}

export async function deleteGonePages(pages: PageLedger, { source, isGone, held, by, at }: Deleting): Promise<void> {
  for (const { path, state, texts } of await pages.standings(source)) {
    if (state === 'deleted' || !isGone(path)) continue;
    const said = await by();
    await pages.command({ source, path, event: 'delete', by: said, at, texts: held.get(path) ?? texts, terms: {} }, (standing) => {
      const from = standing?.state ?? state;
      const order = { event: 'delete', actor: said.actor, reason: said.reason, at } as const;
      const facts = { policy: { roles: NOBODY }, state: from, source: 'active', unchanged: true, newPipeline: false } as const;
      const ruling = ruleOnArtifact(order, { ...facts, ordered: true, gone: true });
      return ruling.made
        ? { made: true, from, to: ruling.to, detail: { row: ruling.row } }
        : { made: false, from, detail: { row: ruling.row, why: ruling.why, said: ruling.detail } };
    });
  }
}

/** To be asked before the pages are taken out. */
export async function heldOfOrdered(
  { reader, records }: Pick<Library, 'reader' | 'records'>,
  source: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const held = new Map<string, readonly string[]>();
  for (const { path } of await records.pages.standings(source)) {
    const version = await orIfNotBuilt(reader.held(source, path), undefined);
    if (version !== undefined) held.set(path, version.texts);
  }
  return held;
}

const NOBODY = { knowledge: [], source: [], security: [], workflow: [], quality: [] } as const;
