/**
 * The library's own file of models: read strictly, written whole.
 *
 * Invariant: a family's name stands in colophon.yaml alone, so that a question that names no model need not read this file.
 * Invariant: a file that is not one of these is refused, and so never written over.
 */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { MODEL_PROFILES, type ModelProfile } from '../../domain/model-profile.js';
import type { Day } from '../../kernel/clock.js';
import { Fault } from '../../kernel/errors.js';
import { boundedText } from '../configuration/bounded-text.js';
import { modelEntry, profileOf } from '../configuration/model-entry.js';
import { invalidKey, readStrictYaml } from '../configuration/strict-yaml.js';
import type { LibraryConfig } from '../library.js';
import { writeWhole } from '../write-whole.js';
import { MOST_MODELS, PLAIN_NAME } from './public-list.js';

const MOST_BYTES = 2 * 1_048_576;

export const modelsFile = z.strictObject({
  version: z.literal(1, { error: '1' }),
  models: z
    .array(modelEntry.extend({ name: z.string().regex(PLAIN_NAME, { error: 'letters, digits and . _ : / @ + ~ - alone' }) }))
    .max(2 * MOST_MODELS),
});

type Declared = Pick<LibraryConfig, 'modelsFile' | 'root'>;

/** Empty where there is none; one that colophon.yaml names must be there. */
export async function readModelsFile({ modelsFile: place, root }: Declared): Promise<readonly ModelProfile[]> {
  if (place === undefined) return [];
  const { path, isDefault } = place;
  const marked = await stat(path).catch((error: NodeJS.ErrnoException) => error);
  if (marked instanceof Error) {
    if (isDefault === true && isAbsence(marked)) return [];
    throw new Fault('config/unreadable', { file: path, reason: marked.code ?? marked.message }, { cause: marked });
  }
  const { dev, ino, size, mtimeMs, ctimeMs } = marked;
  const mark = JSON.stringify([dev, ino, size, mtimeMs, ctimeMs]);
  const held = known.get(path);
  if (held?.mark === mark && held.readAt - Math.max(mtimeMs, ctimeMs) > SETTLED_MS) return held.models;
  const readAt = Date.now();
  const models = parseModelsFile(await boundedText(path, { mostBytes: MOST_BYTES, within: [root, dirname(path)] }), path);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(path, { mark, readAt, models });
  return models;
}

interface Known {
  readonly mark: string;
  readonly readAt: number;
  readonly models: readonly ModelProfile[];
}

/** A server is asked for the same model again and again. */
const known = new Map<string, Known>();
/** File times are coarse: what was changed this shortly before it was read may have been changed again within the same tick. */
const SETTLED_MS = 2_000;
const MOST_KNOWN = 32;

/** For who writes it: one that is named and not there yet is empty. */
export async function readToWrite({ modelsFile: place, root }: Declared): Promise<readonly ModelProfile[]> {
  return place === undefined ? [] : readModelsFile({ modelsFile: { ...place, isDefault: true }, root });
}

export function parseModelsFile(text: string, file: string): readonly ModelProfile[] {
  const { value, lineOf } = readStrictYaml(text, file, modelsFile);
  const names = new Set<string>();
  for (const [at, { name }] of value.models.entries()) {
    const expected = FAMILIES.has(name)
      ? `none of ${[...FAMILIES].join(', ')}: those are declared under \`models\` in colophon.yaml`
      : names.has(name)
        ? `a name of its own: ${name} stands here before`
        : undefined;
    if (expected !== undefined) throw invalidKey(file, lineOf(['models', at, 'name']), ['models', at, 'name'], expected);
    names.add(name);
  }
  return value.models.map(profileOf);
}

export const FAMILIES: ReadonlySet<string> = new Set(MODEL_PROFILES.map(({ name }) => name));

export async function writeModelsFile(path: string, models: readonly ModelProfile[], from: string, today: Day): Promise<void> {
  const text = modelsFileText(models, from, today);
  // What could not be read again must not be written.
  parseModelsFile(text, path);
  await mkdir(dirname(path), { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new Fault('file/unwritable', { file: path, reason: error.code ?? error.message }, { cause: error });
  });
  await writeWhole(path, text);
}

/** One line a model, by name: a refresh is read as a diff. */
export function modelsFileText(models: readonly ModelProfile[], from: string, today: Day): string {
  const sorted = [...models].sort((a, b) => (a.name < b.name ? -1 : 1));
  const rows = sorted.map(({ name, windowTokens, tokenFactor, knowledgeCutoff }) => {
    const cutoff = knowledgeCutoff === undefined ? '' : `, knowledge_cutoff: ${knowledgeCutoff}`;
    return `  - { name: ${JSON.stringify(name)}, window_tokens: ${windowTokens}, token_factor: ${tokenFactor}${cutoff} }\n`;
  });
  return `# Models and how much they take in. Written by \`colophon models refresh\`; read it before you commit it.
# What stands under \`models\` in colophon.yaml wins over what stands here. A \`token_factor\` you change here stays.
# List: ${from}, read ${today}
version: 1
models:${rows.length === 0 ? ' []' : ''}
${rows.join('')}`;
}

function isAbsence({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR';
}
