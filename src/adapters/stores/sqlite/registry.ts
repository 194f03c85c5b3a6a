/**
 * The registry: the standing of each source, moved only along SOURCE_LIFECYCLE, each move recorded with who and why.
 *
 * Invariant: a standing that the disk changed, lost or brought back is `store/corrupt`, never believed.
 * Invariant: an order is judged and recorded in one transaction that holds the write lock from its start.
 */
import { withheldBy } from '../../../domain/page-standing.js';
import { SOURCE_LIFECYCLE, type SourceEvent, type SourceStanding, type SourceState } from '../../../domain/source.js';
import type { RecordedEvent, RegistrationVersion, SourceRecord, StatedBy, StateEvent } from '../../../domain/source-record.js';
import type { Instant } from '../../../kernel/clock.js';
import { canonicalJson, type Digest } from '../../../kernel/digest.js';
import { Fault } from '../../../kernel/errors.js';
import { next } from '../../../kernel/lifecycle.js';
import type { Registry, SourceOrder, SourceRuling } from '../../../ports/records.js';
import { asNumber, asText, type Cell, type Database, type Row } from './driver.js';
import { orderDigest, parsed, repeated, writtenOrder } from './order-rows.js';
import { standingOf as pageStandingOf } from './page-ledger.js';
import { allStandings } from './page-order-rows.js';
import { allSources, listOf, putInList, putSource, type SourceRow, sourceRow } from './registry-rows.js';

export class SqliteRegistry implements Registry {
  readonly #db: Database;
  #known: { readonly mark: string; readonly standings: readonly SourceStanding[] } | undefined;

  constructor(db: Database) {
    this.#db = db;
  }

  /** For each question: read, and held against its seals, when anything was written since it was read last. */
  async standings(): Promise<readonly SourceStanding[]> {
    const mark = this.#db.mark();
    if (this.#known?.mark !== mark) this.#known = { mark, standings: this.#readStandings() };
    return this.#known.standings;
  }

  #readStandings(): readonly SourceStanding[] {
    const { sources, pages } = this.#db.reading(() => ({ sources: allSources(this.#db), pages: allStandings(this.#db) }));
    const withheld = pages.flatMap((row) => withheldBy(pageStandingOf(row)));
    return sources.map(standingOf).map((standing) => {
      const own = withheld.filter(({ source }) => source === standing.id);
      return own.length === 0 ? standing : { ...standing, withheld: own };
    });
  }

  async records(): Promise<readonly SourceRecord[]> {
    return this.#db.reading(() => allSources(this.#db)).map(recordOf);
  }

  async register(source: Parameters<Registry['register']>[0], at: Instant, by?: StatedBy): Promise<void> {
    const { id, owner, initialState, freshnessSloMs, registrationDigest, declared = {} } = source;
    const isSame = (held: SourceRow | undefined) =>
      held !== undefined &&
      held.owner === owner &&
      held.freshness_slo_ms === freshnessSloMs &&
      held.registration_digest === registrationDigest &&
      !isClaimed(held, by);
    if (isSame(sourceRow(this.#db, id))) return;
    this.#db.transaction(() => {
      const held = sourceRow(this.#db, id);
      if (isSame(held)) return;
      const { actor = '' } = by ?? {};
      const row = { owner, freshness_slo_ms: freshnessSloMs, registration_digest: registrationDigest, registered_at: at };
      const fresh = { id, state: initialState, confirmed_at: null, retires_at: null, version: 0, proposer: actor };
      const version = (held === undefined ? 0 : asNumber(held.version)) + 1;
      const proposer = held !== undefined && isClaimed(held, by) ? { proposer: actor } : {};
      putSource(this.#db, { ...fresh, ...held, ...row, ...proposer, version } as SourceRow, held);
      putInList(this.#db, 'source_declaration', { source: id, digest: registrationDigest, declared: canonicalJson(declared), actor, at });
      if (by !== undefined) this.#registered(held, { id, state: initialState, digest: registrationDigest, declared }, by, at);
    });
  }

  #registered(
    held: SourceRow | undefined,
    {
      id,
      state,
      digest,
      declared,
    }: { readonly id: string; readonly state: SourceState; readonly digest: Digest; readonly declared: object },
    by: StatedBy,
    at: Instant,
  ): void {
    const before = listOf(this.#db, 'source_declaration', id).at(-2);
    const changed = before === undefined ? [] : changedFields(parsed(before['declared']), declared);
    const now = held === undefined ? state : stateOf(held);
    this.#record({ source: id, event: 'register', from: now, to: now, by, at, detail: { outcome: 'made', declaration: digest, changed } });
  }

  async confirm(sourceId: string, at: Instant): Promise<void> {
    this.#db.transaction(() => {
      const held = this.#require(sourceId);
      putSource(this.#db, { ...held, confirmed_at: at }, held);
    });
  }

  async move(sourceId: string, event: SourceEvent, by: StatedBy, at: Instant): Promise<SourceState> {
    return this.#db.transaction(() => {
      const held = this.#require(sourceId);
      const from = stateOf(held);
      const to = next(SOURCE_LIFECYCLE, from, event);
      if (to === null) throw new Fault('input/invalid', { field: `event ${event}`, expected: `one that a source in state ${from} allows` });
      this.#put(held, to, event === 'keep' ? null : held.retires_at);
      this.#record({ source: sourceId, event, from, to, by, at, detail: { outcome: 'made' } });
      return to;
    });
  }

  async command(order: SourceOrder, judge: (record: SourceRecord, history: readonly StateEvent[]) => SourceRuling): Promise<StateEvent> {
    return this.#db.transaction(() => {
      const held = this.#require(order.source);
      const history = this.#historyOf(order.source);
      const ordered = orderDigest(order);
      const before = repeated(order.key, ordered, history, 'source');
      if (before !== undefined) return before;
      const record = recordOf(held);
      const ruling = this.#rulingOn(order, record, history, judge);
      const from = record.state;
      const to = ruling.made ? ruling.to : from;
      if (ruling.made) this.#put(held, to, ruling.retiresAt ?? (order.event === 'keep' ? null : held.retires_at));
      const detail = {
        ...ruling.detail,
        key: order.key,
        expected: order.expectedVersion,
        ordered,
        outcome: ruling.made ? 'made' : 'refused',
      };
      return this.#record({ source: order.source, event: order.event, from, to, by: order.by, at: order.at, detail });
    });
  }

  #rulingOn(
    { expectedVersion, event }: SourceOrder,
    record: SourceRecord,
    history: readonly StateEvent[],
    judge: Parameters<Registry['command']>[1],
  ): SourceRuling {
    if (expectedVersion !== undefined && expectedVersion !== record.version)
      return { made: false, detail: { why: 'version', said: `the source is at version ${record.version}, not ${expectedVersion}` } };
    const ruling = judge(record, history);
    // Whatever a judge says, no state is left by another way than the table has.
    const isLegal = !ruling.made || next(SOURCE_LIFECYCLE, record.state, event) === ruling.to;
    if (!isLegal) throw new Error(`${record.state} has no move ${event} to ${ruling.to}`);
    return ruling;
  }

  async note(
    sourceId: string,
    event: RecordedEvent,
    by: StatedBy,
    at: Instant,
    detail: Readonly<Record<string, unknown>>,
  ): Promise<StateEvent> {
    return this.#db.transaction(() => {
      const state = stateOf(this.#require(sourceId));
      return this.#record({ source: sourceId, event, from: state, to: state, by, at, detail: { ...detail, outcome: 'made' } });
    });
  }

  async history(sourceId: string): Promise<readonly StateEvent[]> {
    return this.#db.reading(() => this.#historyOf(sourceId));
  }

  async registrations(sourceId: string): Promise<readonly RegistrationVersion[]> {
    return this.#db.reading(() =>
      listOf(this.#db, 'source_declaration', sourceId).map((row) => ({
        digest: asText(row['digest']) as Digest,
        declared: parsed(row['declared']),
        actor: asText(row['actor']),
        at: asNumber(row['at']) as Instant,
      })),
    );
  }

  #historyOf(sourceId: string): readonly StateEvent[] {
    return listOf(this.#db, 'source_event', sourceId).map(eventOf);
  }

  #put(held: SourceRow, state: SourceState, retiresAt: Cell): void {
    putSource(this.#db, { ...held, state, retires_at: retiresAt, version: asNumber(held.version) + 1 }, held);
  }

  #record({ source, event, from, to, by, at, detail }: Recorded): StateEvent {
    const { actor, reason, workload = '', policy = '' } = by;
    const row: Row = {
      source,
      event,
      from_state: from,
      to_state: to,
      actor,
      reason,
      at,
      detail: canonicalJson(JSON.parse(JSON.stringify({ ...detail, workload, policy }))),
    };
    return eventOf({ ...row, seq: putInList(this.#db, 'source_event', row) });
  }

  #require(sourceId: string): SourceRow {
    const held = sourceRow(this.#db, sourceId);
    if (held === undefined) throw new Fault('source/unknown', { sourceId });
    return held;
  }
}

interface Recorded extends Pick<StateEvent, 'source' | 'event' | 'from' | 'to' | 'at' | 'detail'> {
  readonly by: StatedBy;
}

/** What nobody in particular proposed becomes the proposal of who says so. */
function isClaimed(held: SourceRow, by: StatedBy | undefined): boolean {
  return by !== undefined && PRINCIPAL.test(by.actor) && !PRINCIPAL.test(asText(held.proposer)) && held.state === 'proposed';
}
const PRINCIPAL = /^(?:person|agent):/;

function stateOf(row: SourceRow): SourceState {
  return asText(row.state) as SourceState;
}

function standingOf(row: SourceRow): SourceStanding {
  return {
    id: asText(row.id),
    state: stateOf(row),
    owner: asText(row.owner),
    freshnessSloMs: asNumber(row.freshness_slo_ms),
    ...(row.confirmed_at === null ? {} : { confirmedAt: asNumber(row.confirmed_at) as Instant }),
    ...(row.retires_at === null ? {} : { retiresAt: asNumber(row.retires_at) as Instant }),
  };
}

function recordOf(row: SourceRow): SourceRecord {
  return {
    ...standingOf(row),
    version: asNumber(row.version),
    proposer: asText(row.proposer),
    registrationDigest: asText(row.registration_digest) as Digest,
    registeredAt: asNumber(row.registered_at) as Instant,
  };
}

function eventOf(row: Row): StateEvent {
  return {
    ...writtenOrder(row),
    event: asText(row['event']) as RecordedEvent,
    from: asText(row['from_state']) as SourceState,
    to: asText(row['to_state']) as SourceState,
  };
}

function changedFields(before: Readonly<Record<string, unknown>>, after: object): readonly string[] {
  const now = after as Readonly<Record<string, unknown>>;
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  return names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]));
}
