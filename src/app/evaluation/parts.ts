/**
 * Two parts of one set: questions to choose on, and questions of other pages to confirm on.
 *
 * Invariant: no page stands on both sides.
 */
import { relevantPages } from '../../evaluation/metrics.js';
import type { Question } from '../../evaluation/question.js';
import { splitOf } from '../../evaluation/weak-labels.js';
import { Fault } from '../../kernel/errors.js';
import { hasSplit } from './beir-folder.js';
import type { LabelledSet, WhichSet } from './set.js';

export interface WhichParts extends WhichSet {
  readonly heldOut?: string | undefined;
}

export interface Parts {
  readonly dev: readonly Question[];
  readonly heldOut: readonly Question[];
}

/** `dev` where the set has it; else its one split is parted by page. */
export async function tuningSplit({ beir, split }: WhichParts): Promise<string> {
  return split ?? (beir === undefined || (await hasSplit(beir, 'dev')) ? 'dev' : 'test');
}

/** Questions that have an answer. */
export async function partsOf(set: LabelledSet, { heldOut, golden }: WhichParts): Promise<Parts> {
  const name = heldOut ?? (golden === undefined ? 'test' : 'held-out');
  const other = name === set.split ? undefined : await set.otherSplit(name);
  if (heldOut !== undefined && other === undefined)
    throw new Fault('input/invalid', { field: '--held-out', expected: `another split of the set; it has no ${heldOut}` });
  const parts = other === undefined ? partedByPage(set.questions) : { dev: answerable(set.questions), heldOut: answerable(other) };
  if (parts.dev.length === 0 || parts.heldOut.length === 0)
    throw new Fault('input/invalid', { field: 'the set', expected: 'one with answerable questions to choose on and others to confirm on' });
  return parts;
}

function answerable(questions: readonly Question[]): readonly Question[] {
  return questions.filter(({ grades }) => relevantPages(grades).length > 0);
}

/** A question whose pages lie on both sides is on neither. */
function partedByPage(questions: readonly Question[]): Parts {
  const side = (is: 'dev' | 'test') => answerable(questions).filter(({ grades }) => splitOf(relevantPages(grades)) === is);
  return { dev: side('dev'), heldOut: side('test') };
}
