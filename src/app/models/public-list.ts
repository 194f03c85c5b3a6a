/**
 * Reads a public list of models, as OpenRouter publishes it: strangers' text in, names, windows and cutoffs out.
 *
 * Invariant: of the text nothing is taken over but names of plain signs, whole numbers and days; descriptions are never looked at.
 * Invariant: an entry that says something impossible is left out and counted; a text that is no such list is refused whole.
 */
import { z } from 'zod';
import { type Day, parseDay } from '../../kernel/clock.js';
import { Fault } from '../../kernel/errors.js';

export const MOST_MODELS = 5_000;
/** Of a window: beyond this somebody means something else. */
const MOST_TOKENS = 1_000_000_000;
/** What a name may be made of, here and in the file it is written to. */
export const PLAIN_NAME = /^[A-Za-z0-9~@][A-Za-z0-9._:/@+~-]{0,127}$/;

export interface ListedModel {
  readonly name: string;
  readonly windowTokens: number;
  readonly knowledgeCutoff?: Day;
}

export interface PublicList {
  /** By name; text models with a window. */
  readonly models: readonly ListedModel[];
  /** Entries that say something impossible, by their place in the list, from 1. */
  readonly leftOut: readonly { readonly entry: number; readonly reason: string }[];
  /** Models that write no text, or say no window. */
  readonly passedOver: number;
}

const list = z.object({ data: z.array(z.unknown()).min(1).max(MOST_MODELS) });
const entry = z.object({
  id: z.string().regex(PLAIN_NAME),
  context_length: z.int().min(0).max(MOST_TOKENS).nullable(),
  knowledge_cutoff: z
    .string()
    .refine((text) => parseDay(text) !== undefined)
    .nullish(),
  architecture: z.object({ modality: z.string().max(200).nullish() }).nullish(),
});

const REASONS: Readonly<Record<string, string>> = {
  id: 'its name is not made of letters, digits and . _ : / @ + ~ - alone',
  context_length: 'its window is no number of tokens',
  knowledge_cutoff: 'its cutoff is no day',
  architecture: 'its kind cannot be read',
};

export function readPublicList(text: string, from: string, today: Day): PublicList {
  const { data } = listIn(text, from);
  const models = new Map<string, ListedModel>();
  const leftOut: { entry: number; reason: string }[] = [];
  let passedOver = 0;
  for (const [at, raw] of data.entries()) {
    const read = modelIn(raw, today);
    if (typeof read === 'string') leftOut.push({ entry: at + 1, reason: read });
    else if (read === undefined) passedOver += 1;
    else if (models.has(read.name)) leftOut.push({ entry: at + 1, reason: 'its name stands in the list before' });
    else models.set(read.name, read);
  }
  if (models.size === 0) throw new Fault('models/unusable-list', { from, reason: 'it names no text model with a window' });
  return { models: [...models.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), leftOut, passedOver };
}

function listIn(text: string, from: string): z.output<typeof list> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Fault('models/unusable-list', { from, reason: 'it is not JSON' }, { cause: error });
  }
  const parsed = list.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Fault('models/unusable-list', { from, reason: `it has no \`data\`, a list of at most ${MOST_MODELS} models` });
}

/** A reason to leave it out; nothing for a model that is none of ours. */
function modelIn(raw: unknown, today: Day): ListedModel | string | undefined {
  const parsed = entry.safeParse(raw);
  if (!parsed.success) return REASONS[String(parsed.error.issues[0]?.path[0])] ?? 'it is no set of keys';
  const { id, context_length: window, knowledge_cutoff: cutoff, architecture } = parsed.data;
  const written = architecture?.modality?.split('->').at(-1);
  if (window === null || window === 0 || (written !== undefined && !written.split('+').includes('text'))) return undefined;
  if (cutoff == null) return { name: id, windowTokens: window };
  if (cutoff > today) return 'its cutoff lies in the future';
  return { name: id, windowTokens: window, knowledgeCutoff: cutoff as Day };
}
