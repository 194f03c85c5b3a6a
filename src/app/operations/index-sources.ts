/** index: brings the index up to date with the sources, and says what it found. */
import { z } from 'zod';
import { SOURCE_STATES } from '../../domain/source.js';
import { operation } from './catalogue.js';
import { answer, distinct } from './wire.js';

const input = z.object({
  full: z.boolean().default(false).describe('Make every page again, whatever is known of it.'),
  source: z.array(z.string().min(1)).optional().describe('Only these sources.'),
});

const count = z.int().nonnegative();
const output = answer('index', {
  generation: count,
  contentDigest: z.string(),
  documents: count,
  artifacts: count,
  writes: count,
  elapsedMs: count,
  sources: z.array(
    z.object({
      id: z.string(),
      state: z.enum(SOURCE_STATES),
      walk: z.enum(['complete', 'partial']),
      seen: count,
      added: count,
      changed: count,
      removed: count,
      unchanged: count,
      withheld: count,
      failed: count,
    }),
  ),
});
export type IndexAnswer = z.output<typeof output>;

export const indexSources = operation({
  name: 'index',
  summary: 'Read the sources and bring the index up to date.',
  authority: 'index',
  surfaces: ['cli', 'library'],
  input,
  output,
  async run(request, call) {
    const { library } = call;
    const { learn } = await import('../learn.js');
    const report = await learn(library, { full: request.full, sources: request.source, signal: call.signal, progress: call.progress });
    return {
      schema: 'colophon/index@1' as const,
      ...report,
      problems: distinct([...(library.config.problems ?? []), ...report.problems]),
    };
  },
});
