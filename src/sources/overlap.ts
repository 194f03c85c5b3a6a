/**
 * Overlap — which sources stand around which others.
 *
 * A physical file has one owner: the source whose folder is innermost. The configuration already leaves the inner folder
 * out of the outer source; this tells a run which outer sources must be looked at again when an inner one appears.
 */
import type { SourceRegistration } from '../domain/source.js';

type Placed = Pick<SourceRegistration, 'id' | 'location'>;

/** True when `inner` lies strictly below `outer` in the same state of the same files. */
export function encloses(outer: Placed, inner: Placed): boolean {
  return outer.id !== inner.id && outer.location.ref === inner.location.ref && isBelow(outer.location.path, inner.location.path);
}

/** The chosen sources and those around them, in the order they are registered. */
export function withEnclosing<S extends Placed>(chosen: ReadonlySet<string>, all: readonly S[]): S[] {
  const inner = all.filter(({ id }) => chosen.has(id));
  return all.filter((source) => chosen.has(source.id) || inner.some((each) => encloses(source, each)));
}

function isBelow(folder: string, path: string): boolean {
  const prefix = folder.endsWith('/') ? folder : `${folder}/`;
  return path !== folder && path.startsWith(prefix);
}
