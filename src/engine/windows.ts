/**
 * Windows: a corpus cut into short rows of whole pages, so that a question can leave out those that cannot matter.
 *
 * For each list it is known once what a document of a window can gain from the term at most. A window whose terms together stay
 * below the worst hit so far is never opened. Invariant: bounds decide what is read, never what is answered.
 */
import type { Corpus } from './corpus.js';
import { PAGE_RETIRED, PAGE_SERVING } from './page-states.js';

/** Windows are so long that there are about this many: to plan more costs more than shorter ones save. */
const WANTED_WINDOWS = 12_288;
const LEAST_DOCUMENTS = 16;

export interface Windows {
  readonly count: number;
  /** First page, and first document, of each; one more at the end. */
  readonly firstPages: Int32Array;
  readonly firstDocuments: Int32Array;
  /** Of the largest. */
  readonly mostPages: number;
  readonly mostDocuments: number;
}

const cut = new WeakMap<Corpus, Windows>();

export function windowsOf(corpus: Corpus): Windows {
  const known = cut.get(corpus);
  if (known !== undefined) return known;
  const fresh = cutWindows(corpus);
  cut.set(corpus, fresh);
  return fresh;
}

function cutWindows(corpus: Corpus): Windows {
  // A window is closed by the page that brings it to this many documents.
  const wanted = Math.max(LEAST_DOCUMENTS, Math.ceil(corpus.documents / WANTED_WINDOWS));
  const firstPages = new Int32Array(corpus.pages + 1);
  const firstDocuments = new Int32Array(corpus.pages + 1);
  const { starts, pages } = corpus;
  let [mostPages, mostDocuments] = [0, 0];
  let [pageFrom, documentFrom, count] = [0, 0, 0];
  for (let page = 0; page < pages; page++) {
    const end = starts[page + 1] ?? 0;
    if (end - documentFrom < wanted && page + 1 < pages) continue;
    mostPages = Math.max(mostPages, page + 1 - pageFrom);
    mostDocuments = Math.max(mostDocuments, end - documentFrom);
    count += 1;
    firstPages[count] = page + 1;
    firstDocuments[count] = end;
    pageFrom = page + 1;
    documentFrom = end;
  }
  return {
    count,
    firstPages: firstPages.slice(0, count + 1),
    firstDocuments: firstDocuments.slice(0, count + 1),
    mostPages,
    mostDocuments,
  };
}

/** The window a document lies in. */
export function windowAt({ firstDocuments, count }: Windows, document: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((firstDocuments[middle] ?? 0) <= document) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** What a window has pages of. */
export const HAS_SERVING = 1;
export const HAS_RETIRED = 2;

export interface WindowStates {
  /** HAS_… of every window. */
  readonly ofWindow: Uint8Array;
  readonly anyRetired: boolean;
}

const shown = new WeakMap<Uint8Array, WindowStates>();

/** For these states of the corpus's pages. States do not change once they are made. */
export function windowStates(corpus: Corpus, pageStates: Uint8Array): WindowStates {
  const known = shown.get(pageStates);
  if (known !== undefined) return known;
  const { count, firstPages } = windowsOf(corpus);
  const ofWindow = new Uint8Array(count);
  let seen = 0;
  for (let window = 0; window < count; window++) {
    let state = 0;
    for (let page = firstPages[window] ?? 0; page < (firstPages[window + 1] ?? 0); page++) {
      if (pageStates[page] === PAGE_SERVING) state |= HAS_SERVING;
      else if (pageStates[page] === PAGE_RETIRED) state |= HAS_RETIRED;
    }
    ofWindow[window] = state;
    seen |= state;
  }
  const states = { ofWindow, anyRetired: (seen & HAS_RETIRED) !== 0 };
  shown.set(pageStates, states);
  return states;
}
