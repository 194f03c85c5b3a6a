/**
 * A supplied item: what the caller brought along, as the package will hold it.
 *
 * It is cleaned, counted and fenced as its tier demands like any other item; its place is the caller's word for where it has it from.
 *
 * Invariant: its id and digest are over its own text and provenance, so equal text from another place is another item.
 */
import { CALLER_SOURCE, type SuppliedItem } from '../domain/required-material.js';
import { gitBlobId, sha256 } from '../kernel/digest.js';
import { cleanText, inertLine, wellFormed } from './inert.js';
import type { DraftItem } from './item.js';

const KINDS: Readonly<Record<SuppliedItem['class'], string>> = {
  'task-facts': 'a fact of the task',
  'tool-results': 'a tool result',
  history: 'history',
  examples: 'an example',
};

export function suppliedItem(item: SuppliedItem): DraftItem {
  const { origin, at, digest } = item;
  const excerpt = cleanText(wellFormed(item.text));
  const bytes = new TextEncoder().encode(excerpt);
  const title = wellFormed(item.title);
  const place = wellFormed(inertLine(origin));
  return {
    class: item.class,
    artifact: `ki_${sha256(JSON.stringify([item.class, place, title, at ?? '', item.tier, excerpt])).slice(0, 32)}`,
    source: CALLER_SOURCE,
    path: place,
    blob: gitBlobId(bytes),
    title,
    headingPath: [],
    anchor: '',
    lines: { start: 1, end: excerpt.split('\n').length },
    bytes: { start: 0, end: bytes.length },
    excerpt,
    excerptDigest: sha256(excerpt),
    tier: item.tier,
    classification: item.classification,
    labels: ['unreviewed'],
    duplicates: [],
    reason: `supplied by the caller: ${KINDS[item.class]}`,
    provenance: {
      origin: place,
      ...(at === undefined ? {} : { at }),
      ...(digest === undefined ? {} : { digest }),
    },
  };
}
