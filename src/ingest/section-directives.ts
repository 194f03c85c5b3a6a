/**
 * Section directives: `<!-- colophon: classification=confidential permissions=board -->` under a heading says that what stands there needs
 * more than the page.
 *
 * A page is filed in one compartment, so that what a reader sees of it can never depend on a part that is hidden from them; the page
 * therefore needs what its strictest sections need, all of it together.
 *
 * Invariant: a directive only ever sharpens; one that cannot be read closes the page to all but the source's owner. In code it is text.
 */
import { CLASSIFICATIONS, type Classification } from '../domain/classification.js';
import type { Outline } from '../text/outline.js';
import { isSectionMark, saidInMark } from '../text/section-mark.js';
import type { SafeText } from './sanitize.js';

export interface SectionDirective {
  readonly line: number;
  readonly classification?: Classification;
  readonly permissionsRef?: string;
  readonly isPrivate?: true;
  /** Why it cannot be read. */
  readonly fault?: string;
}

const REF = /^[a-z0-9][a-z0-9._-]*$/;

/** A section that was cut out because of its directive must be seen to have one here too. */
export function sectionDirectives(safe: SafeText, { unseen }: Pick<Outline, 'unseen'>, isSection = false): readonly SectionDirective[] {
  const found = unseen
    .filter(({ start }) => isSectionMark(safe.text, start))
    .map(({ start, end }) => ({ line: safe.lines.lineAt(start), ...read(safe.text.slice(start, end)) }));
  return isSection && found.length === 0 ? [{ line: 1, fault: 'it is not there any more once the text is cleaned' }] : found;
}

function read(comment: string): Omit<SectionDirective, 'line'> {
  const inside = saidInMark(comment);
  const found: { -readonly [K in keyof SectionDirective]?: SectionDirective[K] } = {};
  for (const part of inside.split(/[\s,;]+/).filter((each) => each !== '')) {
    const [key = '', value = '', ...more] = part.split('=');
    const classification = CLASSIFICATIONS.find((each) => each === value.toLowerCase());
    if (more.length > 0) return { fault: `${shown(part)} is no key=value` };
    else if (key === 'classification' && classification !== undefined && found.classification === undefined)
      found.classification = classification;
    else if (key === 'permissions' && REF.test(value) && found.permissionsRef === undefined) found.permissionsRef = value;
    else if (key === 'sensitivity' && value === 'private') found.isPrivate = true;
    else return { fault: `${shown(part)} says nothing a section directive can say` };
  }
  return Object.keys(found).length === 0 ? { fault: 'it is empty' } : found;
}

/** As much of it as a line may carry. */
function shown(part: string): string {
  return part.slice(0, 40);
}
