/**
 * Page selection: which pages of some compartments a question is about, and which of them are retired.
 *
 * Asked of the page table by compartment, before anything is scored. Invariant: the same scope selects the same pages for every
 * leg. A scope's lists are alternatives; its members must all hold.
 */
import type { Scope } from '../../../domain/query.js';
import type { Day } from '../../../kernel/clock.js';
import { globMatcher } from '../../../text/glob.js';
import { asNumber, asText, type Cell, type Database } from './driver.js';

export interface PageSelection {
  /** Page rows in scope; undefined when the scope asks for nothing, so every page is. */
  readonly inside: ReadonlySet<number> | undefined;
  /** Page rows retired on the day. */
  readonly retired: ReadonlySet<number>;
}

const OF_COMPARTMENTS = 'FROM json_each(?) AS e CROSS JOIN page AS p ON p.compartment = e.value';

/** The pages there are: all of these compartments but those withheld. */
interface Readable {
  readonly rows: readonly number[];
  readonly withheld: ReadonlySet<number>;
}

export function selectPages(db: Database, { rows, withheld }: Readable, scope: Scope, today: Day | undefined): PageSelection {
  const inside = rowsInScope(db, rows, scope);
  for (const row of withheld) inside?.delete(row);
  return { inside, retired: today === undefined ? new Set() : retiredRows(db, rows, today) };
}

/** The key under which a selection may be remembered. */
export function selectionKey(scope: Scope, today: Day | undefined): string {
  const parts: unknown[] = [
    scope.sources,
    scope.paths,
    scope.exclude,
    scope.productVersion,
    scope.tags,
    scope.statuses,
    scope.verifiedSince,
    today,
  ];
  return JSON.stringify(parts.map((part) => part ?? null));
}

function retiredRows(db: Database, compartments: readonly number[], today: Day): Set<number> {
  const rows = db.all(
    `SELECT p.row AS row ${OF_COMPARTMENTS}
     AND (p.superseded = 1 OR p.valid_until IS NOT NULL) AND (p.superseded = 1 OR p.valid_until < ?)`,
    JSON.stringify(compartments),
    today,
  );
  return new Set(rows.map((row) => asNumber(row['row'])));
}

function rowsInScope(db: Database, compartments: readonly number[], scope: Scope): Set<number> | undefined {
  const { conditions, values } = conditionsOf(scope);
  const excluded = scope.exclude !== undefined && scope.exclude.length > 0 ? globMatcher(scope.exclude) : undefined;
  if (conditions.length === 0 && excluded === undefined) return undefined;
  const where = conditions.map((condition) => ` AND ${condition}`).join('');
  const rows = db.all(`SELECT p.row AS row, p.path AS path ${OF_COMPARTMENTS}${where}`, JSON.stringify(compartments), ...values);
  const kept = excluded === undefined ? rows : rows.filter((row) => !excluded(asText(row['path'])));
  return new Set(kept.map((row) => asNumber(row['row'])));
}

function conditionsOf(scope: Scope): { readonly conditions: readonly string[]; readonly values: readonly Cell[] } {
  const conditions: string[] = [];
  const values: Cell[] = [];
  const add = (condition: string, ...cells: readonly Cell[]): void => {
    conditions.push(condition);
    values.push(...cells);
  };
  if (scope.sources !== undefined) add('p.source IN (SELECT value FROM json_each(?))', JSON.stringify(scope.sources));
  if (scope.paths !== undefined) addPaths(scope.paths, add);
  if (scope.productVersion !== undefined) add('p.product_version = ?', scope.productVersion);
  if (scope.statuses !== undefined) add('p.status IN (SELECT value FROM json_each(?))', JSON.stringify(scope.statuses));
  if (scope.verifiedSince !== undefined) add('p.verified_at >= ?', scope.verifiedSince);
  if (scope.tags !== undefined) {
    add('EXISTS (SELECT 1 FROM json_each(p.tags) AS t WHERE t.value IN (SELECT value FROM json_each(?)))', JSON.stringify(scope.tags));
  }
  return { conditions, values };
}

/** Each a page's path, or a folder ending in `/`. */
function addPaths(paths: readonly string[], add: (condition: string, ...cells: readonly Cell[]) => void): void {
  const each = paths.map((path) => (path.endsWith('/') ? 'substr(p.path, 1, ?) = ?' : 'p.path = ?'));
  const cells = paths.flatMap((path): Cell[] => (path.endsWith('/') ? [[...path].length, path] : [path]));
  add(each.length === 0 ? '0' : `(${each.join(' OR ')})`, ...cells);
}
