/** models list: every model a context can be compiled for, where its window and cutoff come from, and which entry wins. */
import { relative } from 'node:path';
import { z } from 'zod';
import { knownModels, modelNamed, ORIGINS } from '../models/known-models.js';
import { operation } from './catalogue.js';
import { answer } from './wire.js';

const listed = answer('models-list', {
  file: z.string().nullable().describe('The library’s own file of models, whether or not it is there; null without a colophon.yaml.'),
  models: z.array(
    z.object({
      name: z.string(),
      windowTokens: z.int().positive(),
      tokenFactor: z.number(),
      knowledgeCutoff: z.string().nullable(),
      origin: z.enum(ORIGINS),
      source: z.string().describe('For a shipped one: the vendor’s page, and when it was read.'),
      wins: z.boolean().describe('False where another entry is taken for this name.'),
    }),
  ),
});
export type ModelsListAnswer = z.output<typeof listed>;

export const modelsList = operation({
  name: 'models list',
  summary:
    'The models a context can be compiled for: window, token factor and knowledge cutoff, where each comes from, and which entry wins.',
  authority: 'read',
  surfaces: ['cli'],
  input: z.object({ name: z.string().max(200).default('').describe('Only models whose name holds this.') }),
  output: listed,
  async run({ name }, { library: { config } }) {
    const known = await knownModels(config);
    const wanted = known.filter(({ profile }) => profile.name.toLowerCase().includes(name.toLowerCase()));
    return {
      schema: 'colophon/models-list@1' as const,
      problems: [],
      file: config.modelsFile === undefined ? null : relative(config.root, config.modelsFile.path),
      models: wanted.map((each) => ({
        name: each.profile.name,
        windowTokens: each.profile.windowTokens,
        tokenFactor: each.profile.tokenFactor,
        knowledgeCutoff: each.profile.knowledgeCutoff ?? null,
        origin: each.origin,
        source: each.source,
        wins: modelNamed(known, each.profile.name) === each,
      })),
    };
  },
});
