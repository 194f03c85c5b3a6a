/**
 * Golden sets: questions that people wrote over a library as it stands, read from `set.json` and `questions.jsonl`.
 *
 * A label is a page and a span of its text. Which artifacts that is today is worked out when the set is run, so that a change of
 * the segmenter voids no label (K-30).
 *
 * Invariant: dev and held-out are parted by page; a question whose labels lie on both sides is refused.
 * Invariant: what cannot be read is a fault that names file and line.
 */
import { z } from 'zod';
import { Fault } from '../kernel/errors.js';
import type { PageId } from './metrics.js';
import { QUESTION_CLASSES } from './question.js';

const SPLITS = ['dev', 'held-out'] as const;
type Split = (typeof SPLITS)[number];

/** `source:path` */
const page = z.string().regex(/^[^:]+:.+$/, 'a page as `source:path`');

const manifest = z.strictObject({
  schema: z.literal('colophon/golden@1'),
  name: z.string().min(1),
  /** The day the questions are asked on. */
  asOf: z.string(),
  /** The folder of the library, from the folder of the set. */
  library: z.string().min(1),
  /** A text that stands nowhere else: were it ever found in an index, the set was read into it. */
  canary: z.string().min(20),
  heldOut: z.array(page),
  archived: z.array(page).default([]),
});
export type GoldenManifest = z.output<typeof manifest>;

const question = z.strictObject({
  id: z.string().min(1),
  class: z.enum(QUESTION_CLASSES),
  question: z.string().min(1),
  labels: z.array(z.strictObject({ page, span: z.string().min(1), grade: z.int().min(1).default(1) })).default([]),
  never: z.array(page).default([]),
  against: z.array(page).default([]),
  ask: z
    .strictObject({
      as: z.string().exactOptional(),
      tenant: z.string().exactOptional(),
      purpose: z.string().exactOptional(),
      ceiling: z.string().exactOptional(),
      groups: z.array(z.string()).exactOptional(),
      client: z.string().exactOptional(),
    })
    .default({}),
  split: z.enum(SPLITS).optional(),
});

export interface GoldenQuestion extends Omit<z.output<typeof question>, 'split'> {
  readonly split: Split;
  /** Where it stands in questions.jsonl. */
  readonly line: number;
}

export function readGoldenManifest(text: string, file: string): GoldenManifest {
  return valid(manifest, jsonOf(text, file, 1), file, 1);
}

export function readGoldenQuestions(text: string, file: string, { heldOut }: Pick<GoldenManifest, 'heldOut'>): GoldenQuestion[] {
  const held = new Set(heldOut);
  const seen = new Set<string>();
  return text.split('\n').flatMap((content, index) => {
    const line = index + 1;
    if (content.trim() === '') return [];
    const read = valid(question, jsonOf(content, file, line), file, line);
    if (seen.has(read.id)) throw wrong(file, line, 'id', `one of its own; ${read.id} stands twice`);
    seen.add(read.id);
    return [{ ...read, split: splitOf(read, held, file, line), line }];
  });
}

function splitOf({ labels, split }: z.output<typeof question>, held: ReadonlySet<PageId>, file: string, line: number): Split {
  const sides = new Set(labels.map((label): Split => (held.has(label.page) ? 'held-out' : 'dev')));
  const [side, other] = sides;
  if (other !== undefined) throw wrong(file, line, 'labels', 'all on held-out pages or all on others');
  const chosen = side ?? split;
  if (chosen === undefined) throw wrong(file, line, 'split', 'given where there is no label to tell it');
  if (split !== undefined && split !== chosen) throw wrong(file, line, 'split', `${chosen}, as its pages are`);
  return chosen;
}

function valid<T extends z.ZodType>(schema: T, value: unknown, file: string, line: number): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const key = issue?.path.join('.') ?? '';
  throw wrong(file, line, key === '' ? 'the line' : key, `as the measuring guide shows (${issue?.message ?? 'unreadable'})`);
}

function jsonOf(text: string, file: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Fault('input/invalid', { field: `${file}:${line}`, expected: 'a JSON object' }, { cause });
  }
}

function wrong(file: string, line: number, key: string, expected: string): Fault {
  return new Fault('input/invalid', { field: `${file}:${line}: ${key}`, expected });
}
