/**
 * Section: the passages of a page from the heading with this anchor to the end of what stands under it.
 *
 * Invariant: whole; a section that cannot be given in full is not given at all.
 */
import type { StoredArtifact } from '../ports/index-reader.js';
import { slug } from '../text/anchors.js';

export function sectionOf(segments: readonly StoredArtifact[], anchor: string): readonly StoredArtifact[] {
  const first = segments.findIndex((each) => each.anchor === anchor);
  const head = segments[first];
  return head === undefined ? belowHeading(segments, anchor) : [head, ...rest(segments.slice(first + 1), head, anchor)];
}

function rest(following: readonly StoredArtifact[], { headingPath }: StoredArtifact, anchor: string): readonly StoredArtifact[] {
  const end = following.findIndex((each) => {
    const under = headingPath.every((heading, depth) => each.headingPath[depth] === heading);
    // The same heading again, further down, is another section.
    return !under || (each.anchor !== anchor && each.headingPath.length === headingPath.length);
  });
  return end < 0 ? following : following.slice(0, end);
}

/** A heading with nothing but sections below it has no passage of its own; it lives on in their paths. */
function belowHeading(segments: readonly StoredArtifact[], anchor: string): readonly StoredArtifact[] {
  const depthOf = ({ headingPath }: StoredArtifact) => headingPath.findIndex((heading) => slug(heading) === anchor);
  const first = segments.findIndex((each) => depthOf(each) >= 0);
  const head = segments[first];
  if (head === undefined) return [];
  const path = head.headingPath.slice(0, depthOf(head) + 1);
  const end = segments.slice(first).findIndex((each) => !path.every((heading, depth) => each.headingPath[depth] === heading));
  return end < 0 ? segments.slice(first) : segments.slice(first, first + end);
}
