/**
 * Puts a listing into the form the port promises: sorted by code unit, without repeats, under a cursor.
 *
 * Invariant: equal files give an equal cursor, whatever their times.
 */
import type { Problem } from '../../../domain/problem.js';
import { sha256 } from '../../../kernel/digest.js';
import type { ListedDocument, Listing } from '../../../ports/connector.js';

export interface Findings {
  readonly documents: readonly ListedDocument[];
  readonly unseen: readonly string[];
  readonly problems: readonly Problem[];
  readonly ignored: Readonly<Record<string, number>>;
}

export function listingOf(source: string, found: Findings, at: { readonly commit?: string; readonly pinned: boolean }): Listing {
  const byPath = new Map(found.documents.map((document) => [document.path, document]));
  const documents = [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  const state = documents.map(({ path, blob, sizeBytes }) => `${path}\0${blob ?? sizeBytes}\0`).join('');
  return {
    cursor: at.pinned && at.commit !== undefined ? at.commit : `listing-${sha256(`${at.commit ?? ''}\0${state}`).slice(0, 40)}`,
    ...(at.commit === undefined ? {} : { commit: at.commit }),
    walk: found.unseen.length === 0 ? 'complete' : 'partial',
    documents,
    unseen: [...new Set(found.unseen)].sort(),
    problems: [...found.problems, ...caseTwins(source, documents)].sort(byPlace),
    ignored: Object.fromEntries(Object.entries(found.ignored).sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function byPlace(a: Problem, b: Problem): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return a.code < b.code ? -1 : Number(a.code > b.code);
}

/** Two pages here, one file on a disk that does not tell cases apart. */
function caseTwins(source: string, documents: readonly ListedDocument[]): Problem[] {
  const first = new Map<string, string>();
  return documents.flatMap(({ path }): Problem[] => {
    const folded = path.normalize('NFC').toLowerCase();
    const twin = first.get(folded);
    if (twin === undefined) {
      first.set(folded, path);
      return [];
    }
    const message = `${path} and ${twin} differ only in letter case or in how accents are encoded.`;
    return [
      { code: 'page/case-twin', severity: 'info', source, path, message, hint: 'Both are indexed; some disks can hold only one of them.' },
    ];
  });
}
