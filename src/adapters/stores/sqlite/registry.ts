/** Registry rows: the standing of each source, moved only along SOURCE_LIFECYCLE, each move recorded with who and why. */
import { SOURCE_LIFECYCLE, type SourceEvent, type SourceStanding, type SourceState } from '../../../domain/source.js';
import type { Instant } from '../../../kernel/clock.js';
import { Fault } from '../../../kernel/errors.js';
import { next } from '../../../kernel/lifecycle.js';
import type { Registry } from '../../../ports/records.js';
import { asNumber, asText, type Database } from './driver.js';

export class SqliteRegistry implements Registry {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async standings(): Promise<readonly SourceStanding[]> {
    return this.#db.all('SELECT id, owner, state, confirmed_at, freshness_slo_ms FROM source ORDER BY id').map((row) => ({
      id: asText(row['id']),
      state: asText(row['state']) as SourceState,
      owner: asText(row['owner']),
      freshnessSloMs: asNumber(row['freshness_slo_ms']),
      ...(row['confirmed_at'] === null ? {} : { confirmedAt: asNumber(row['confirmed_at']) as Instant }),
    }));
  }

  async register(source: Parameters<Registry['register']>[0], at: Instant): Promise<void> {
    const held = this.#db.get('SELECT owner, freshness_slo_ms, registration_digest FROM source WHERE id = ?', source.id);
    const isSame =
      held !== undefined &&
      held['owner'] === source.owner &&
      held['freshness_slo_ms'] === source.freshnessSloMs &&
      held['registration_digest'] === source.registrationDigest;
    if (isSame) return;
    this.#db.transaction(() => {
      this.#db.run(
        `INSERT INTO source (id, owner, state, freshness_slo_ms, registration_digest, registered_at) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, freshness_slo_ms = excluded.freshness_slo_ms,
           registration_digest = excluded.registration_digest, registered_at = excluded.registered_at`,
        source.id,
        source.owner,
        source.initialState,
        source.freshnessSloMs,
        source.registrationDigest,
        at,
      );
    });
  }

  async confirm(sourceId: string, at: Instant): Promise<void> {
    const { changes } = this.#db.transaction(() => this.#db.run('UPDATE source SET confirmed_at = ? WHERE id = ?', at, sourceId));
    if (changes === 0) throw new Fault('source/unknown', { sourceId });
  }

  async move(
    sourceId: string,
    event: SourceEvent,
    by: { readonly actor: string; readonly reason: string },
    at: Instant,
  ): Promise<SourceState> {
    return this.#db.transaction(() => {
      const held = this.#db.get('SELECT state FROM source WHERE id = ?', sourceId);
      if (held === undefined) throw new Fault('source/unknown', { sourceId });
      const from = asText(held['state']) as SourceState;
      const to = next(SOURCE_LIFECYCLE, from, event);
      if (to === null) throw new Fault('input/invalid', { field: `event ${event}`, expected: `one that a source in state ${from} allows` });
      this.#db.run('UPDATE source SET state = ? WHERE id = ?', to, sourceId);
      this.#db.run(
        'INSERT INTO source_event (source, event, from_state, to_state, actor, reason, at) VALUES (?, ?, ?, ?, ?, ?, ?)',
        sourceId,
        event,
        from,
        to,
        by.actor,
        by.reason,
        at,
      );
      return to;
    });
  }
}
