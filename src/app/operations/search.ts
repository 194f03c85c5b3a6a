/** search: ranked passages with their place, their labels and why they stand where they do. */
import { z } from 'zod';
import type { Ask } from '../../domain/requester.js';
import { retrieveFor } from '../asking/asking.js';
import { markChanged } from '../learning/changed-on-disk.js';
import type { Library } from '../library.js';
import { operation } from './catalogue.js';
import { nextToken, offsetOf } from './paging.js';
import { scopeOf } from './scope.js';
import { answer, distinct, hit, hitOf, scopeInput } from './wire.js';

const DEFAULT_LIMIT = 10;
export const MAX_LIMIT = 100;
/** How deep paging goes; past this a narrower question serves better. */
const DEEPEST = 1_000;

const input = z.object({
  query: z.string().min(1).describe('Words or a question; quoted phrases and identifiers are respected.'),
  limit: z.int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
  next: z.string().optional().describe('Token of the last answer, for the hits after it.'),
  mode: z.enum(['any', 'lexical']).default('any'),
  ...scopeInput,
});

// As with `context`.
const output = z.lazy(() =>
  answer('search', {
    query: z.string(),
    legs: z.record(z.string(), z.enum(['used', 'empty', 'off', 'unavailable'])),
    noContext: z.boolean(),
    reason: z.string(),
    truncated: z.boolean(),
    next: z.string().nullable(),
    hits: z.array(hit),
  }),
);
export type SearchAnswer = z.output<typeof output>;

export const search = operation({
  name: 'search',
  summary: 'Find passages: ranked, with file, lines and labels. Use kb_context when you want a ready, budgeted answer instead.',
  authority: 'read',
  surfaces: ['cli', 'mcp', 'http', 'library'],
  safe: true,
  input,
  output,
  async run(request, call) {
    const { query, limit, next, mode } = request;
    const scope = scopeOf(request);
    const question = { query, mode, scope, who: whoAsks(call.ask, call.library) };
    const offset = next === undefined ? 0 : offsetOf(next, question);
    const wanted = Math.min(DEEPEST, offset + limit);
    const asked = await retrieveFor(call, { text: query, scope, limit: wanted, mode, purpose: 'search' });
    try {
      const page = asked.retrieved.candidates.slice(offset, wanted);
      const { candidates, problems } = await markChanged(call, page);
      const more = (asked.retrieved.truncated || asked.retrieved.candidates.length > wanted) && wanted < DEEPEST && page.length > 0;
      return {
        schema: 'colophon/search@1' as const,
        problems: distinct([...asked.retrieved.problems, ...problems]),
        query,
        legs: { ...asked.retrieved.legs },
        noContext: asked.retrieved.noContext,
        reason: asked.retrieved.reason,
        truncated: more,
        next: more ? nextToken(wanted, question) : null,
        hits: candidates.map((candidate, index) => hitOf(candidate, offset + index + 1)),
      };
    } finally {
      await asked.snapshot.close();
    }
  },
});

function whoAsks({ requester }: Ask, library: Library): unknown {
  const { principal, tenant, purpose, ceiling, client } = requester;
  return {
    principal,
    tenant,
    purpose,
    ceiling,
    client: client.name,
    groups: [...requester.groups].sort(),
    ranking: library.config.ranking.version,
  };
}
