/**
 * The registry: the standing of each source, moved only along SOURCE_LIFECYCLE, each move recorded with who and why.
 *
 * Invariant: a standing that the disk changed, lost or brought back is `store/corrupt`, never believed.
 */
import { SOURCE_LIFECYCLE, type SourceEvent, type SourceStanding, type SourceState } from '../../../domain/source.js';
import type { Instant } from '../../../kernel/clock.js';
import { Fault } from '../../../kernel/errors.js';
import { next } from '../../../kernel/lifecycle.js';
import type { Registry } from '../../../ports/records.js';
import { asNumber, asText, type Database } from './driver.js';
import { allSources, putEvent, putSource, type SourceRow, sourceRow } from './registry-rows.js';

export class SqliteRegistry implements Registry {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async standings(): Promise<readonly SourceStanding[]> {
    return this.#db
      .reading(() => allSources(this.#db))
      .map((row) => ({
        id: asText(row.id),
        state: asText(row.state) as SourceState,
        owner: asText(row.owner),
        freshnessSloMs: asNumber(row.freshness_slo_ms),
        ...(row.confirmed_at === null ? {} : { confirmedAt: asNumber(row.confirmed_at) as Instant }),
      }));
  }

  async register(source: Parameters<Registry['register']>[0], at: Instant): Promise<void> {
    const { id, owner, initialState, freshnessSloMs, registrationDigest } = source;
    const isSame = (held: SourceRow | undefined) =>
      held !== undefined &&
      held.owner === owner &&
      held.freshness_slo_ms === freshnessSloMs &&
      held.registration_digest === registrationDigest;
    if (isSame(sourceRow(this.#db, id))) return;
    this.#db.transaction(() => {
      const held = sourceRow(this.#db, id);
      const declared = { owner, freshness_slo_ms: freshnessSloMs, registration_digest: registrationDigest, registered_at: at };
      putSource(this.#db, { id, state: initialState, confirmed_at: null, ...held, ...declared }, held);
    });
  }

  async confirm(sourceId: string, at: Instant): Promise<void> {
    this.#db.transaction(() => {
      const held = this.#require(sourceId);
      putSource(this.#db, { ...held, confirmed_at: at }, held);
    });
  }

  async move(
    sourceId: string,
    event: SourceEvent,
    by: { readonly actor: string; readonly reason: string },
    at: Instant,
  ): Promise<SourceState> {
    return this.#db.transaction(() => {
      const held = this.#require(sourceId);
      const from = asText(held.state) as SourceState;
      const to = next(SOURCE_LIFECYCLE, from, event);
      if (to === null) throw new Fault('input/invalid', { field: `event ${event}`, expected: `one that a source in state ${from} allows` });
      putSource(this.#db, { ...held, state: to }, held);
      putEvent(this.#db, { source: sourceId, event, from_state: from, to_state: to, ...by, at });
      return to;
    });
  }

  #require(sourceId: string): SourceRow {
    const held = sourceRow(this.#db, sourceId);
    if (held === undefined) throw new Fault('source/unknown', { sourceId });
    return held;
  }
}
