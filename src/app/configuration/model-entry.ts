/** A model as people declare it, in colophon.yaml or in a file of models, and the profile that is made of it. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { MODEL_PROFILES, type ModelProfile } from '../../domain/model-profile.js';
import { type Day, parseDay } from '../../kernel/clock.js';
import type { LibraryConfig } from '../library.js';

export const modelEntry = z.strictObject({
  name: z.string().min(1),
  window_tokens: z.int().positive(),
  token_factor: z.number().min(1).default(1),
  knowledge_cutoff: z
    .string()
    .refine((text) => parseDay(text) !== undefined, { error: 'a day, such as 2025-03-31' })
    .optional()
    .describe('Up to when the model knows the world by itself: external pages verified long before rank lower for it.'),
});

export function profileOf(entry: z.output<typeof modelEntry>): ModelProfile {
  return {
    name: entry.name,
    windowTokens: entry.window_tokens,
    tokenFactor: entry.token_factor,
    ...(entry.knowledge_cutoff === undefined ? {} : { knowledgeCutoff: entry.knowledge_cutoff as Day }),
  };
}

/** Where more models stand unless `models_file` names another place. */
const MODELS_FILE = 'contracts/models.yaml';

/** What is declared, before the families whose names it leaves. */
export function modelsOf(
  {
    models = [],
    models_file: named,
  }: { readonly models?: z.output<typeof modelEntry>[] | undefined; readonly models_file?: string | undefined },
  root: string,
): Pick<LibraryConfig, 'models' | 'modelsFile'> {
  const declared = models.map(profileOf);
  const taken = new Set(declared.map((each) => each.name));
  return {
    models: [...declared, ...MODEL_PROFILES.filter((each) => !taken.has(each.name))],
    modelsFile: { path: resolve(root, named ?? MODELS_FILE), ...(named === undefined ? { isDefault: true } : {}) },
  };
}
