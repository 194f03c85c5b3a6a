/** Fields repeated in every artifact of a page; they count once for the page. */
import { FIELDS } from '../domain/fields.js';

const REPEATED: readonly boolean[] = FIELDS.map((field) => field === 'title' || field === 'headings' || field === 'summary');

export function isRepeated(field: number): boolean {
  return REPEATED[field] ?? false;
}
