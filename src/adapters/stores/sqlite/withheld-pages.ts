/**
 * Withheld pages as this file numbers them, and what compartments are without them.
 *
 * Invariant: a compartment all of whose pages are withheld is as good as not there, as one whose pages were removed is.
 */
import { pageOfSection, sectionPrefix, type WithheldPage } from '../../../domain/withheld.js';
import { removeMember } from '../../../engine/multiset-hash.js';
import { asNumber, asText, type Database, type Row } from './driver.js';

export interface WithheldRow {
  readonly row: number;
  readonly compartment: number;
  readonly artifacts: number;
  readonly metaDigest: string;
}

const PAGES = 'SELECT row, compartment, artifacts, meta_digest, blob, transformation, path FROM page WHERE source = ? AND';

/** Those that lie in the given compartments; the others' are not looked at further. */
export function withheldPages(db: Database, withheld: readonly WithheldPage[], compartments: ReadonlySet<number>): readonly WithheldRow[] {
  const found = withheld.flatMap(({ source, path, blob }) => {
    const held = pageAndSections(db, source, path);
    return blob === undefined ? held : held.filter((row) => row['blob'] === blob);
  });
  const rows = new Map(found.map((row) => [asNumber(row['row']), withheldRow(row)]));
  return [...rows.values()].filter(({ compartment }) => compartments.has(compartment)).sort((a, b) => a.row - b.row);
}

/** A page, and its sections that are filed apart, where there are any. */
export function pageAndSections(db: Database, source: string, path: string): readonly Row[] {
  const prefix = sectionPrefix(path);
  return [
    ...db.all(`${PAGES} path = ?`, source, path),
    ...db
      .all(`${PAGES} path >= ? AND path < ?`, source, prefix, `${prefix}\u{10ffff}`)
      .filter((row) => pageOfSection(asText(row['path'])) === path),
  ];
}

function withheldRow(row: Row): WithheldRow {
  return {
    row: asNumber(row['row']),
    compartment: asNumber(row['compartment']),
    artifacts: asNumber(row['artifacts']),
    metaDigest: asText(row['meta_digest']),
  };
}

interface Counted {
  readonly row: number;
  readonly pages: number;
  readonly artifacts: number;
  readonly contentSum: string;
}

export function less<C extends Counted>(compartments: readonly C[], withheld: readonly WithheldRow[]): readonly C[] {
  if (withheld.length === 0) return compartments;
  return compartments.flatMap((each) => {
    const gone = withheld.filter(({ compartment }) => compartment === each.row);
    const pages = each.pages - gone.length;
    if (pages === 0) return [];
    const artifacts = gone.reduce((left, page) => left - page.artifacts, each.artifacts);
    const contentSum = gone.reduce((sum, page) => removeMember(sum, page.metaDigest), each.contentSum);
    return [{ ...each, pages, artifacts, contentSum }];
  });
}
