/** explain, why, why-not: what a context holds and why, or why a page is not in it. */
import { z } from 'zod';
import { explainPackage } from '../../context/explain-text.js';
import { whyIncluded, whyNot } from '../../context/why.js';
import { openDoor } from '../asking/asking.js';
import { readPackageNamed } from '../packages/access.js';
import { type Call, operation } from './catalogue.js';
import { findPage } from './find-page.js';
import { answer, distinct } from './wire.js';

const STEPS = ['eligible', 'candidates', 'floor', 'diversify', 'select', 'included'] as const;
const TEXT_COLUMNS = 100;
const packageName = z.string().min(1).default('last').describe('Digest, a prefix of one, or `last`.');

export const explain = operation({
  name: 'explain',
  summary: 'Why a context holds what it holds; with a page, why that page is in it or not.',
  authority: 'read',
  surfaces: ['mcp', 'http', 'library'],
  safe: true,
  input: z.object({ package: packageName, page: z.string().optional().describe('Page path or artifact id.') }),
  output: answer('explain', {
    digest: z.string(),
    included: z.boolean().optional(),
    step: z.enum(STEPS).optional(),
    text: z.string(),
  }),
  async run(request, call) {
    const { entry, problems } = await readPackageNamed(call, request.package);
    const base = { schema: 'colophon/explain@1' as const, problems: distinct(problems), digest: entry.digest };
    if (request.page === undefined) return { ...base, text: explainPackage(entry, TEXT_COLUMNS) };
    const { included, step, sentence } = whyIncluded(entry, request.page) ?? whyNot(entry, await eligiblePage(call, request.page));
    return { ...base, included, step, text: sentence };
  },
});

const reasonedItem = z.object({ position: z.int(), artifact: z.string(), source: z.string(), path: z.string(), reason: z.string() });

export const why = operation({
  name: 'why',
  summary: 'Why each passage of a context is there, or one of them.',
  authority: 'read',
  surfaces: ['cli', 'http', 'library'],
  safe: true,
  input: z.object({ package: packageName, name: z.string().optional() }),
  output: answer('why', {
    digest: z.string(),
    query: z.string(),
    included: z.boolean(),
    sentence: z.string(),
    items: z.array(reasonedItem),
  }),
  async run(request, call) {
    const { entry, problems } = await readPackageNamed(call, request.package);
    const one = request.name === undefined ? undefined : whyIncluded(entry, request.name);
    const items = entry.body.items.map(({ position, artifact, source, path, reason }) => ({ position, artifact, source, path, reason }));
    return {
      schema: 'colophon/why@1' as const,
      problems: distinct(problems),
      digest: entry.digest,
      query: entry.body.request.text,
      included: request.name === undefined ? items.length > 0 : one !== undefined,
      sentence: one?.sentence ?? (request.name === undefined ? entry.body.reason : `${request.name} is not in this package.`),
      items,
    };
  },
});

export const whyNotPage = operation({
  name: 'why-not',
  summary: 'Why a page is not in a context: the step at which it left.',
  authority: 'read',
  surfaces: ['cli', 'http', 'library'],
  safe: true,
  input: z.object({ package: packageName, page: z.string().min(1) }),
  output: answer('why-not', {
    digest: z.string(),
    query: z.string(),
    page: z.string(),
    included: z.boolean(),
    step: z.enum(STEPS),
    sentence: z.string(),
  }),
  async run(request, call) {
    const { entry, problems } = await readPackageNamed(call, request.package);
    const verdict = whyNot(entry, await eligiblePage(call, request.page));
    return {
      schema: 'colophon/why-not@1' as const,
      problems: distinct(problems),
      digest: entry.digest,
      query: entry.body.request.text,
      page: request.page,
      ...verdict,
    };
  },
});

async function eligiblePage(call: Call, name: string) {
  const door = await openDoor(call);
  try {
    return (await findPage(door, { path: name }))?.page;
  } finally {
    await door.snapshot.close();
  }
}
