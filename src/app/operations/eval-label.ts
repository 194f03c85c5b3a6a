/**
 * eval label: a labelled set out of a tree's own words, in BEIR layout, for a library that nobody has written questions for.
 *
 * Invariant: what a person rejected stays rejected, in this run and the next; decisions stand in the set's own folder.
 * Invariant: the folder says that it must not be indexed; a library that has read its own questions measures itself.
 */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { z } from 'zod';
import { type MinedSet, precisionOf, sampleOf, WEAK_KINDS, weakSet } from '../../evaluation/weak-labels.js';
import { writeBeir } from '../../evaluation/write-beir.js';
import { Fault } from '../../kernel/errors.js';
import { SET_VOCABULARY } from '../evaluation/beir-folder.js';
import { gatherMaterial } from '../evaluation/material.js';
import { writeWhole } from '../write-whole.js';
import { operation } from './catalogue.js';
import { answer } from './wire.js';

const input = z.object({
  out: z.string().min(1).describe('Folder for the set; made when it is not there.'),
  show: z.int().min(0).max(500).default(0).describe('How many questions to show that nobody has judged yet.'),
  accept: z.array(z.string()).default([]).describe('Ids of questions a person found right.'),
  reject: z.array(z.string()).default([]).describe('Ids of questions a person found wrong; they stay out for good.'),
});

const counts = z.record(z.string(), z.int());
const output = answer('eval-label', {
  out: z.string(),
  pages: z.int(),
  questions: z.int(),
  dev: z.int(),
  test: z.int(),
  /** Questions by how they were found. */
  kinds: z.record(z.enum(WEAK_KINDS), z.int()),
  dropped: counts,
  judged: z.object({
    accepted: z.int(),
    rejected: z.int(),
    precision: z.number().nullable(),
    ci95: z.tuple([z.number(), z.number()]).nullable(),
  }),
  samples: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(WEAK_KINDS),
      text: z.string(),
      pages: z.array(z.string()),
      titles: z.array(z.string()),
      where: z.string(),
    }),
  ),
});
export type LabelAnswer = z.output<typeof output>;

const DECISIONS = 'decisions.tsv';
const IGNORE = '# Questions and answers for measuring must never be indexed: a library that has read them measures itself.\n*\n';

export const evalLabel = operation({
  name: 'eval label',
  summary: 'Make a labelled set from links, commits, headings, old names and error messages of your own documents.',
  authority: 'operate',
  surfaces: ['cli', 'library'],
  input,
  output,
  async run(request, call) {
    const decisions = await readDecisions(request.out);
    for (const id of request.accept) decisions.set(id, 'accept');
    for (const id of request.reject) decisions.set(id, 'reject');
    const { pages, labels, names, configuration } = await gatherMaterial(call);
    const of = (decision: Decision) => new Set([...decisions].filter(([, is]) => is === decision).map(([id]) => id));
    const [accepted, rejected] = [of('accept'), of('reject')];
    const set = weakSet(labels, names, rejected);
    const vocabulary = await vocabularyText(call.library.config.vocabularyFile);
    const titles = new Map(pages.map(({ id, title }) => [id, title]));
    await writeSet(request.out, {
      ...writeBeir(pages, set),
      'eval.yaml': stringify(configuration),
      ...(vocabulary === undefined ? {} : { [SET_VOCABULARY]: vocabulary }),
      '.colophonignore': IGNORE,
      [DECISIONS]: [...decisions]
        .map(([id, decision]) => `${id}\t${decision}\n`)
        .sort()
        .join(''),
    });
    if (vocabulary === undefined) await rm(join(request.out, SET_VOCABULARY), { force: true });
    const precision = precisionOf(accepted.size, rejected.size);
    return {
      schema: 'colophon/eval-label@1' as const,
      problems: [],
      out: request.out,
      pages: pages.length,
      questions: set.labels.length,
      ...bySplit(set),
      kinds: kindCounts(set),
      dropped: { ...set.dropped },
      judged: {
        accepted: accepted.size,
        rejected: rejected.size,
        precision: precision?.share ?? null,
        ci95: rangeOf(precision?.ci95),
      },
      samples: sampleOf(set.labels, request.show, accepted).map(({ id, kind, text, pages: gold, where }) => {
        return { id, kind, text, pages: [...gold], titles: gold.map((page) => titles.get(page) ?? ''), where };
      }),
    };
  },
});

/** As it is now. Whether it is sound is told by the first run over the set. */
async function vocabularyText(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new Fault('config/unreadable', { file, reason: error instanceof Error ? error.message : String(error) }, { cause: error });
  }
}

function rangeOf(interval: { readonly low: number; readonly high: number } | undefined): [number, number] | null {
  return interval === undefined ? null : [interval.low, interval.high];
}

function bySplit({ labels }: MinedSet): { readonly dev: number; readonly test: number } {
  const dev = labels.filter(({ split }) => split === 'dev').length;
  return { dev, test: labels.length - dev };
}

function kindCounts({ labels }: MinedSet): Record<(typeof WEAK_KINDS)[number], number> {
  const count = (kind: (typeof WEAK_KINDS)[number]) => labels.filter((label) => label.kind === kind).length;
  return {
    link: count('link'),
    mention: count('mention'),
    commit: count('commit'),
    heading: count('heading'),
    alias: count('alias'),
    error: count('error'),
  };
}

type Decision = 'accept' | 'reject';

async function readDecisions(folder: string): Promise<Map<string, Decision>> {
  const file = join(folder, DECISIONS);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const decisions = new Map<string, Decision>();
  for (const [at, line] of text.split('\n').entries()) {
    const [id = '', decision] = line.split('\t');
    if (line === '') continue;
    if (decision !== 'accept' && decision !== 'reject')
      throw new Fault('input/invalid', { field: `${file}:${at + 1}`, expected: 'an id and accept or reject, tab-separated' });
    decisions.set(id, decision);
  }
  return decisions;
}

async function writeSet(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  try {
    await mkdir(join(folder, 'qrels'), { recursive: true });
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new Fault('file/unwritable', { file: folder, reason }, { cause: error });
  }
  for (const [name, text] of Object.entries(files)) await writeWhole(join(folder, name), text);
}
