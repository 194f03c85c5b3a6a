/** Edits to a text as values: apply them, and take exactly them back. */

export interface TextEdit {
  /** UTF-16 offset in the text before any of the edits. */
  readonly offset: number;
  readonly removed: string;
  readonly inserted: string;
}

/** An edit that could not be worked out, and where the file stands in the way. */
export interface Unreadable {
  /** 1-based. */
  readonly line: number;
  readonly reason: string;
}

export type Edits = { readonly ok: true; readonly edits: readonly TextEdit[] } | { readonly ok: false; readonly unreadable: Unreadable };

/** Edits must not overlap; those at one offset apply in the order given. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let out = '';
  let from = 0;
  for (const { offset, removed, inserted } of inOrder(edits)) {
    out += text.slice(from, offset) + inserted;
    from = offset + removed.length;
  }
  return out + text.slice(from);
}

/** The edits that turn `applyEdits(text, edits)` back into `text`. */
export function reverseEdits(edits: readonly TextEdit[]): readonly TextEdit[] {
  let shift = 0;
  return inOrder(edits).map(({ offset, removed, inserted }) => {
    const reversed = { offset: offset + shift, removed: inserted, inserted: removed };
    shift += inserted.length - removed.length;
    return reversed;
  });
}

function inOrder(edits: readonly TextEdit[]): readonly TextEdit[] {
  return [...edits].sort((a, b) => a.offset - b.offset);
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
