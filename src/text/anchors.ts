/**
 * Anchors: the fragment by which a web view of the repository addresses each heading of a page.
 *
 * GitHub's rule: lower case, letters, marks, digits, connectors and hyphens stay, blanks become hyphens, and a title that was there
 * before gets `-1`, `-2`, … An id the author wrote (`## Title {#id}`) is taken as it is.
 *
 * Invariant: no two headings of one page share an anchor.
 */
const NOT_IN_ANCHOR = /[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu;
const AUTHOR_ID = /[ \t]*\{:?[ \t]*#([\w:.-]{1,128})[^{}\n]{0,64}\}[ \t]*$/;

export class Anchors {
  readonly #taken = new Map<string, number>();

  /** The anchor of the next heading, in page order. */
  next(title: string, authorId?: string): string {
    const wanted = authorId ?? slug(title);
    let anchor = wanted;
    let count = this.#taken.get(wanted) ?? 0;
    while (this.#taken.has(anchor)) {
      count += 1;
      anchor = `${wanted}-${count}`;
    }
    this.#taken.set(wanted, count);
    this.#taken.set(anchor, 0);
    return anchor;
  }
}

export function slug(title: string): string {
  return title.toLowerCase().trim().replace(NOT_IN_ANCHOR, '').replaceAll(' ', '-');
}

/** A heading's text and the id its author gave it. */
export function splitAuthorId(title: string): { readonly title: string; readonly id?: string } {
  const found = AUTHOR_ID.exec(title);
  const id = found?.[1];
  return found === null || id === undefined ? { title } : { title: title.slice(0, found.index), id };
}
