/**
 * The pieces every answer is made of, as they stand on the wire (CONTRACT).
 *
 * Invariant: fields may be added; the meaning of one never changes under the same `@1`.
 */
import { z } from 'zod';
import { reasonFor } from '../../context/reason.js';
import { TRUST_TIERS } from '../../domain/authority.js';
import type { Candidate } from '../../domain/candidate.js';
import { LABELS } from '../../domain/page.js';
import { PROBLEM_CODES, type Problem } from '../../domain/problem.js';
import { globExpectation } from '../../text/glob.js';

export const lines = z.object({ start: z.int().positive(), end: z.int().positive() });
export const bytes = z.object({ start: z.int().nonnegative(), end: z.int().nonnegative() });
export const labels = z.array(z.enum(LABELS));
export const tier = z.enum(TRUST_TIERS);

export const problem = z.lazy(() =>
  z.object({
    code: z.enum(PROBLEM_CODES),
    severity: z.enum(['error', 'warning', 'info']),
    source: z.string(),
    path: z.string(),
    line: z.int().positive().exactOptional(),
    message: z.string(),
    hint: z.string(),
  }),
);

/** The envelope of `colophon/<verb>@1`. */
export function answer<Verb extends string, Shape extends z.ZodRawShape>(verb: Verb, shape: Shape) {
  return z.object({ schema: z.literal(`colophon/${verb}@1` as const), problems: z.array(problem), ...shape });
}

export const duplicate = z.object({ source: z.string(), path: z.string(), lines });

export const hit = z.lazy(() =>
  z.object({
    rank: z.int().positive(),
    artifact: z.string(),
    source: z.string(),
    path: z.string(),
    version: z.object({ blob: z.string() }),
    title: z.string(),
    headingPath: z.array(z.string()),
    anchor: z.string(),
    lines,
    bytes,
    excerpt: z.string(),
    tokens: z.int().nonnegative(),
    tier,
    status: z.string().nullable(),
    productVersion: z.string().optional(),
    labels,
    verifiedAt: z.string().optional(),
    reviewBy: z.string().optional(),
    duplicates: z.array(duplicate),
    /** One line for people and agents: why it is here. */
    reason: z.string(),
    why: z.object({
      ranks: z.record(z.string(), z.number()),
      matched: z.array(
        z.object({
          surface: z.string(),
          fields: z.array(z.string()),
          share: z.number(),
          via: z.array(z.string()).exactOptional().describe('Other names of it, from the vocabulary, that stand here.'),
        }),
      ),
      missing: z.array(z.string()),
      coverage: z.number(),
      demotions: z.record(z.string(), z.number()),
    }),
  }),
);
export type Hit = z.output<typeof hit>;

export function hitOf(candidate: Candidate, rank: number): Hit {
  const { artifact, page, why } = candidate;
  return {
    rank,
    artifact: artifact.id,
    source: page.source,
    path: page.path,
    version: { blob: page.blob },
    title: page.title,
    headingPath: [...artifact.headingPath],
    anchor: artifact.anchor,
    lines: artifact.lines,
    bytes: artifact.bytes,
    excerpt: artifact.excerpt,
    tokens: artifact.tokens,
    tier: page.tier,
    status: page.meta.status ?? null,
    ...(page.meta.productVersion === undefined ? {} : { productVersion: page.meta.productVersion }),
    labels: [...candidate.labels],
    ...(page.meta.verifiedAt === undefined ? {} : { verifiedAt: page.meta.verifiedAt }),
    ...(page.meta.reviewBy === undefined ? {} : { reviewBy: page.meta.reviewBy }),
    duplicates: candidate.duplicates.map(({ source, path, lines: at }) => ({ source, path, lines: at })),
    reason: reasonFor(candidate, rank),
    why: {
      ranks: { ...why.ranks },
      matched: why.matched.map(({ surface, fields, share, via }) => ({
        surface,
        fields: [...fields],
        share,
        ...(via === undefined ? {} : { via: [...via] }),
      })),
      missing: [...why.missing],
      coverage: why.coverage,
      demotions: { ...why.demotions },
    },
  };
}

/** Problems as they go out: what is written once is said once. */
export function distinct(problems: readonly Problem[]): Problem[] {
  const seen = new Map(problems.map((each) => [JSON.stringify([each.code, each.source, each.path, each.line, each.message]), each]));
  return [...seen.values()];
}

const glob = z
  .string()
  .min(1)
  .refine((text) => globExpectation(text) === undefined, { error: ({ input }) => `${globExpectation(String(input))}, not ${input}` });

/** What narrows the pages asked about, the same for search and context. */
export const scopeInput = {
  source: z.array(z.string().min(1)).optional().describe('Only these sources.'),
  path: z.array(z.string().min(1)).optional().describe('A page, or a folder ending in `/`.'),
  exclude: z.array(glob).optional().describe('Globs of pages to treat as absent.'),
  version: z.string().min(1).optional().describe('Product version the pages describe.'),
  tag: z.array(z.string().min(1)).optional(),
  status: z.array(z.string().min(1)).optional(),
};
