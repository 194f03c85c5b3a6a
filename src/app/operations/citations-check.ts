/** citations check: does an answer rest on what its author was given? Citations from elsewhere stay unverified, whatever there is. */
import { z } from 'zod';
import { type JudgedCitation, judgeCitations } from '../../context/citations.js';
import { CALLER_SOURCE } from '../../domain/required-material.js';
import { doorIfBuilt, readPackageNamed } from '../packages/access.js';
import { type Call, operation } from './catalogue.js';
import { answer, distinct } from './wire.js';

const MOST_CHARACTERS = 200_000;
const TEXT_SHOWN = 200;

const output = answer('citations-check', {
  digest: z.string(),
  ok: z.boolean(),
  counts: z.object({ verified: z.int(), unverified: z.int(), stale: z.int() }),
  citations: z.array(
    z.object({
      status: z.enum(['verified', 'unverified', 'stale']),
      /** As it stands in the answer. */
      text: z.string(),
      offset: z.int(),
      form: z.enum(['artifact', 'position', 'page', 'uri']),
      /** The passages of the package it rests on; none when it is unverified. */
      artifacts: z.array(z.string()),
      reason: z.string(),
    }),
  ),
});
export type CitationsAnswer = z.output<typeof output>;

export const citationsCheck = operation({
  name: 'citations check',
  summary: 'Which citations of an answer stand in the package it was given, and which have changed since.',
  authority: 'read',
  surfaces: ['cli', 'http', 'library'],
  input: z.object({
    text: z.string().min(1).max(MOST_CHARACTERS).describe('The answer.'),
    package: z.string().min(1).default('last').describe('Digest, a prefix of one, or `last`.'),
  }),
  output,
  async run(input, call) {
    const { entry, problems } = await readPackageNamed(call, input.package);
    const judged = judgeCitations(input.text, entry.body.items);
    const changes = await changesOf(judged, call);
    const citations = judged.map((each) => wireOf(each, changes));
    const count = (status: CitationsAnswer['citations'][number]['status']) => citations.filter((each) => each.status === status).length;
    const counts = { verified: count('verified'), unverified: count('unverified'), stale: count('stale') };
    return {
      schema: 'colophon/citations-check@1' as const,
      problems: distinct(problems),
      digest: entry.digest,
      ok: counts.verified > 0 && counts.unverified + counts.stale === 0,
      counts,
      citations,
    };
  },
});

function wireOf({ text, offset, form, items, reason }: JudgedCitation, changes: ReadonlyMap<string, string>) {
  const change = items.map(({ artifact }) => changes.get(artifact)).find((each) => each !== undefined);
  const status = reason !== '' ? ('unverified' as const) : change === undefined ? ('verified' as const) : ('stale' as const);
  const shown = text.length > TEXT_SHOWN ? `${text.slice(0, TEXT_SHOWN).replace(/\p{Cs}$/u, '')}…` : text;
  return {
    status,
    text: shown,
    offset,
    form,
    artifacts: items.map(({ artifact }) => artifact),
    reason: reason === '' ? (change ?? '') : reason,
  };
}

/** By artifact: what became of its page since the package was made. A page the asker may not see is gone. */
async function changesOf(judged: readonly JudgedCitation[], call: Call): Promise<ReadonlyMap<string, string>> {
  const items = new Map(judged.flatMap((each) => each.items.map((item) => [item.artifact, item] as const)));
  if (items.size === 0) return new Map();
  const door = await doorIfBuilt(call);
  try {
    const held = new Set((await door?.snapshot.artifacts(door.eligible, [...items.keys()]))?.artifacts.map(({ id }) => id));
    const changes = new Map<string, string>();
    for (const { artifact, source, path, blob } of items.values()) {
      // What the caller brought along has no page that could change.
      if (source === CALLER_SOURCE) continue;
      const page = await door?.snapshot.page(door.eligible, source, path);
      if (page === undefined) changes.set(artifact, 'the page is gone since');
      else if (page.blob !== blob)
        changes.set(
          artifact,
          `the page has changed since; ${held.has(artifact) ? 'the passage still stands in it' : 'the passage is not in it any more'}`,
        );
    }
    return changes;
  } finally {
    await door?.snapshot.close();
  }
}
