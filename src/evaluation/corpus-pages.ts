/**
 * Corpus pages: give each page of a labelled set a path and a text that the real pipeline can index.
 *
 * A set whose ids are all document paths is a tree already and is written as it is. Any other set gets paths made from its
 * ids and, where a page has a title, a front matter that holds it.
 *
 * Invariant: path and id map onto each other both ways; two ids never share a path.
 * Invariant: judgements are invisible here; nothing of a question or its answer reaches a page.
 */
import { isWellFormed } from '../kernel/digest.js';
import { Fault } from '../kernel/errors.js';
import type { CorpusPage } from './beir.js';
import type { PageId } from './metrics.js';

export interface PlacedPage {
  readonly id: PageId;
  /** POSIX, from the root of the tree. */
  readonly path: string;
  readonly text: string;
}

export interface PlacedCorpus {
  readonly shape: 'tree' | 'records';
  readonly pages: readonly PlacedPage[];
  pathOf(id: PageId): string;
  /** Undefined for a path that no page of the set has. */
  idOf(path: string): PageId | undefined;
}

export function placeCorpus(corpus: readonly CorpusPage[]): PlacedCorpus {
  const shape = corpus.length > 0 && corpus.every(({ id }) => isDocumentPath(id)) ? 'tree' : 'records';
  const pages = corpus.map(
    (page): PlacedPage =>
      shape === 'tree'
        ? { id: page.id, path: page.id, text: page.text }
        : { id: page.id, path: pathFromId(page.id), text: recordText(page) },
  );
  const ids = new Map<string, PageId>();
  for (const { id, path } of pages) {
    const other = ids.get(path);
    if (other !== undefined)
      throw new Fault('input/invalid', { field: 'corpus.jsonl', expected: `ids with paths of their own (${other}, ${id})` });
    ids.set(path, id);
  }
  return {
    shape,
    pages,
    pathOf: (id) => (shape === 'tree' ? id : pathFromId(id)),
    idOf: (path) => ids.get(path),
  };
}

const DOCUMENT = /\.(md|mdx|markdown)$/i;
/** No file system we run on takes a name of more than 255 bytes. */
const SEGMENT_CHARACTERS = 120;
/** Marks that percent-encoding never makes: a name that is empty, and one that goes on in the next folder. */
const EMPTY = '%-';
const CONTINUED = '%+';

function isDocumentPath(id: string): boolean {
  return DOCUMENT.test(id) && !id.includes('\0') && id.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/** Slashes stay folders, so that an address still reads as one; what a file name cannot hold is percent-encoded. */
export function pathFromId(id: PageId): string {
  if (!isWellFormed(id)) throw new Fault('input/invalid', { field: 'corpus.jsonl', expected: 'ids of well-formed Unicode' });
  return `${id.split('/').map(nameOf).join('/')}.md`;
}

/** The id that `pathFromId` made this path from. */
export function idFromPath(path: string): PageId {
  return path
    .slice(0, -'.md'.length)
    .replaceAll(`${CONTINUED}/`, '')
    .split('/')
    .map((name) => (name === EMPTY ? '' : decodeURIComponent(name)))
    .join('/');
}

function nameOf(part: string): string {
  if (part === '') return EMPTY;
  const name = encodeURIComponent(part).replace(/^\./, '%2E').replaceAll('*', '%2A');
  const pieces: string[] = [];
  for (let at = 0; at < name.length; at += SEGMENT_CHARACTERS) pieces.push(name.slice(at, at + SEGMENT_CHARACTERS));
  return pieces.join(`${CONTINUED}/`);
}

function recordText(page: CorpusPage): string {
  const title = page.title.replace(/\s+/g, ' ').trim();
  const body = page.text.startsWith('---') ? `\n${page.text}` : page.text;
  return title === '' ? body : `---\ntitle: ${JSON.stringify(title)}\n---\n\n${body}`;
}
