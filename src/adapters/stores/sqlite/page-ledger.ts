/**
 * Orders about pages: judged on the record as it is, and recorded, in one transaction that holds the write lock from its start.
 *
 * Invariant: a standing that the disk changed, lost or brought back is `store/corrupt`, never believed.
 */
import { ARTIFACT_LIFECYCLE, type ArtifactEvent, type ArtifactState } from '../../../domain/artifact-state.js';
import { barredAfter, type PageEvent, type PageStanding } from '../../../domain/page-standing.js';
import type { Instant } from '../../../kernel/clock.js';
import { canonicalJson } from '../../../kernel/digest.js';
import { next } from '../../../kernel/lifecycle.js';
import type { PageLedger, PageOrder, PageRuling } from '../../../ports/page-ledger.js';
import { asNumber, asText, type Cell, type Database, type Row } from './driver.js';
import { orderDigest, repeated, writtenOrder } from './order-rows.js';
import { allStandings, eventsOf, putPageEvent, putStanding, type StandingRow } from './page-order-rows.js';

export class SqlitePageLedger implements PageLedger {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async command(order: PageOrder, judge: (standing: PageStanding | undefined) => PageRuling): Promise<PageEvent> {
    return this.#db.transaction(() => {
      const { source, path, event, by, at, texts, key, expectedVersion } = order;
      const held = allStandings(this.#db).find((row) => row['source'] === source && row['path'] === path);
      const ordered = orderDigest(order);
      const before = repeated(key, ordered, eventsOf(this.#db, source, path).map(eventOf), 'page');
      if (before !== undefined) return before;
      const standing = held === undefined ? undefined : standingOf(held);
      const ruling = ruled(order, standing, judge);
      const to = ruling.made ? ruling.to : ruling.from;
      const version = (standing?.version ?? 0) + 1;
      if (ruling.made) {
        const barred = JSON.stringify(barredAfter(standing, order));
        const row = { source, path, state: to, texts: JSON.stringify(texts), barred, version, since: at };
        putStanding(this.#db, row, held);
      }
      const { actor, reason, workload = '', policy = '' } = by;
      const outcome = ruling.made ? 'made' : 'refused';
      const detail = { ...ruling.detail, texts, key, expected: expectedVersion, ordered, outcome, workload, policy };
      const row: Row = {
        ...{ source, path, event, from_state: ruling.from, to_state: to, actor, reason, at },
        detail: canonicalJson(JSON.parse(JSON.stringify(detail))),
      };
      return eventOf({ ...row, seq: putPageEvent(this.#db, row) });
    });
  }

  async standings(source?: string): Promise<readonly PageStanding[]> {
    const all = this.#db.reading(() => allStandings(this.#db)).map(standingOf);
    return source === undefined ? all : all.filter((each) => each.source === source);
  }

  async history(source: string, path: string): Promise<readonly PageEvent[]> {
    return this.#db.reading(() => eventsOf(this.#db, source, path)).map(eventOf);
  }
}

function ruled(
  { event, expectedVersion }: PageOrder,
  standing: PageStanding | undefined,
  judge: (standing: PageStanding | undefined) => PageRuling,
): PageRuling {
  const ruling = judge(standing);
  const version = standing?.version ?? 0;
  if (expectedVersion !== undefined && expectedVersion !== version) {
    const said = `orders about the page are at version ${version}, not ${expectedVersion}`;
    return { made: false, from: ruling.from, detail: { why: 'version', said } };
  }
  // Whatever a judge says, no state is left by another way than the table has.
  if (ruling.made && next(ARTIFACT_LIFECYCLE, ruling.from, event) !== ruling.to)
    throw new Error(`${ruling.from} has no move ${event} to ${ruling.to}`);
  return ruling;
}

export function standingOf(row: StandingRow): PageStanding {
  return {
    source: asText(row.source),
    path: asText(row.path),
    state: asText(row.state) as ArtifactState,
    texts: textsOf(row.texts),
    barred: textsOf(row.barred),
    version: asNumber(row.version),
    since: asNumber(row.since) as Instant,
  };
}

/** The seal of the row holds, so it is a list of texts. */
function textsOf(cell: Cell): readonly string[] {
  return JSON.parse(asText(cell)) as readonly string[];
}

function eventOf(row: Row): PageEvent {
  return {
    ...writtenOrder(row),
    path: asText(row['path']),
    event: asText(row['event']) as ArtifactEvent,
    from: asText(row['from_state']) as ArtifactState,
    to: asText(row['to_state']) as ArtifactState,
  };
}
