/** Checks what a caller gave an operation, and says in words which field is wrong and what it must be. */
import type { z } from 'zod';
import { Fault } from '../kernel/errors.js';
import { nearest } from './asking/nearest.js';

/** `spell` names a field the way the caller's surface does, e.g. `--limit`; `offer` one that there is, in a list of them. */
export function checkInput<I extends z.ZodType>(
  entry: { readonly input: I },
  given: object,
  spell: (field: string) => string = (field) => field,
  offer: (field: string) => string = spell,
): z.output<I> {
  const known = 'shape' in entry.input ? Object.keys(entry.input.shape as object) : undefined;
  const unknown = Object.keys(given).find((key) => known !== undefined && !known.includes(key));
  if (unknown !== undefined) {
    const meant = nearest(unknown, known ?? []);
    const expected =
      meant === undefined ? `left out; there is ${(known ?? []).map(offer).join(', ')}` : `left out or spelled ${offer(meant)}`;
    throw new Fault('input/invalid', { field: spell(unknown), expected });
  }
  const parsed = entry.input.safeParse(given);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = issue?.path.join('.') ?? '';
  throw new Fault('input/invalid', { field: field === '' ? 'the input' : spell(field), expected: wordsFor(issue) });
}

function wordsFor(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return 'valid';
  if (issue.code === 'invalid_type') return issue.expected === 'int' ? 'a whole number' : `a ${issue.expected}`;
  if (issue.code === 'invalid_value') return `one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'too_big') return `at most ${issue.maximum}`;
  if (issue.code === 'too_small') return issue.origin === 'string' ? 'filled in' : `at least ${issue.minimum}`;
  // What a pattern stands for is said beside it; a test asks every operation.
  return issue.message;
}
