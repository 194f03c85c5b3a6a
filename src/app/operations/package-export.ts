/** package export, replay: a package to take elsewhere, and the proof, there or here, that it comes out the same again. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { type BillOfMaterials, billOfMaterials, billV1 } from '../../context/bill-of-materials.js';
import { bundleText } from '../../context/bundle.js';
import type { Bundle } from '../../context/bundle-schema.js';
import { canonicalJson } from '../../kernel/digest.js';
import { Fault } from '../../kernel/errors.js';
import { answersForAll } from '../answers-for-all.js';
import { recordingOf } from '../packages/recording.js';
import { type PackageSubject, readSubject, subjectInput } from '../packages/subject.js';
import { currentVocabulary } from '../vocabulary/current-vocabulary.js';
import { type Call, operation } from './catalogue.js';
import { diffOnWire, diffShape } from './package-verify.js';
import { answer, distinct } from './wire.js';

const EXPORTS = ['bundle', 'bill-of-materials'] as const;

export const packageExport = operation({
  name: 'package export',
  summary: 'A package as one deterministic file: a bundle to verify and replay elsewhere, or a bill of materials without the text.',
  authority: 'read',
  surfaces: ['cli', 'http', 'library'],
  safe: true,
  hostInputs: ['bundle'],
  input: z.object({ ...subjectInput, as: z.enum(EXPORTS).default('bundle') }),
  output: answer('package-export', {
    digest: z.string(),
    as: z.enum(EXPORTS),
    /** Whether what a replay needs is in it; only who answers for all sources may take that along. */
    replayable: z.boolean(),
    gaps: z.array(z.string()),
    text: z.string(),
    bill: billV1.optional(),
  }),
  async run({ as, ...request }, call) {
    const subject = await readSubject(call, request);
    const { entry } = subject;
    const base = { schema: 'colophon/package-export@1' as const, problems: distinct(subject.problems), digest: entry.digest, as };
    if (as === 'bill-of-materials') {
      const bill = billOfMaterials(entry, attemptsOf(subject));
      return { ...base, replayable: false, gaps: [], text: `${canonicalJson(bill)}\n`, bill };
    }
    const recording = await recordingFor(call, subject);
    const content: Bundle['content'] = plain({ package: entry, bindings: bindingsOf(subject), recording });
    return { ...base, replayable: recording !== null, gaps: [...(recording?.gaps ?? [])], text: bundleText(content) };
  },
});

function attemptsOf({ bindings }: PackageSubject): BillOfMaterials['attempts'] {
  return bindings.map(({ package: id, attempt, manifest, createdAt }) => ({
    package: id,
    attempt,
    createdAt,
    ...(manifest === undefined ? {} : { manifest }),
  }));
}

function bindingsOf({ bindings }: PackageSubject): Bundle['content']['bindings'] {
  return bindings.map(({ annex: _, ...each }) => each);
}

/** Rules, commits and permissions tell of pages the asker may not see. */
async function recordingFor(call: Call, { entry, recorded, recording }: PackageSubject): Promise<Bundle['content']['recording']> {
  if (recording !== undefined) return recording;
  const { config } = call.library;
  if (!answersForAll(call) || recorded === undefined) return null;
  return recordingOf(config, entry.body, recorded, await currentVocabulary(config));
}

function plain(content: object): Bundle['content'] {
  return JSON.parse(JSON.stringify(content));
}

const gap = z.object({
  kind: z.enum(['version', 'policy', 'model', 'recording', 'source', 'revision', 'page']),
  source: z.string(),
  path: z.string(),
  recorded: z.string(),
  here: z.string(),
  detail: z.string(),
});

export const packageReplay = operation({
  name: 'package replay',
  summary: 'Compiles a package again from its recorded versions in a shadow library, and compares digests; says precisely what is missing.',
  authority: 'operate',
  surfaces: ['cli', 'library'],
  input: z.object({
    ...subjectInput,
    source: z.array(z.string().min(1)).optional().describe('`id=folder`: where a source is here, for a bundle from elsewhere.'),
  }),
  output: answer('package-replay', {
    digest: z.string(),
    replayed: z.string(),
    verdict: z.enum(['same', 'different', 'impossible']),
    items: z.object({ same: z.int(), of: z.int() }),
    gaps: z.array(gap),
    diff: z.object(diffShape).optional(),
  }),
  async run({ source = [], ...request }, call) {
    // Before any package is looked for: a shadow library holds whole sources, whoever asked for the package.
    if (request.bundle === undefined && !answersForAll(call))
      throw new Fault('access/denied', { asked: 'A replay, which reads whole sources,' });
    const subject = await readSubject(call, request);
    const { entry, bindings } = subject;
    const recording = await recordingFor(call, subject);
    const base = { schema: 'colophon/package-replay@1' as const, problems: distinct(subject.problems), digest: entry.digest };
    if (recording === null) {
      const of = entry.body.items.length;
      return { ...base, replayed: '', verdict: 'impossible' as const, items: { same: 0, of }, gaps: [NOTHING_RECORDED] };
    }
    const { replayPackage } = await import('../packages/replay.js');
    const { signal, progress } = call;
    const places = new Map([...(request.bundle === undefined ? declaredPlaces(call) : []), ...source.map(placeIn)]);
    const versions = bindings.at(-1)?.versions ?? {};
    const { verdict, digest, items, gaps, diff } = await replayPackage({ entry, recording, versions, places, signal, progress });
    return {
      ...base,
      replayed: digest,
      verdict,
      items,
      gaps: gaps.map((each) => ({ ...each })),
      ...(diff === undefined ? {} : { diff: diffOnWire(diff) }),
    };
  },
});

const NOTHING_RECORDED = {
  kind: 'recording' as const,
  source: '',
  path: '',
  recorded: '',
  here: '',
  detail: 'the bundle has no recording: who exported it does not answer for all sources',
};

function declaredPlaces({ library }: Call): [string, string][] {
  return library.config.sources.map(({ id, location }) => [id, location.path]);
}

function placeIn(written: string): [string, string] {
  const at = written.indexOf('=');
  if (at < 1 || at === written.length - 1) throw new Fault('input/invalid', { field: 'source', expected: `id=folder, not ${written}` });
  return [written.slice(0, at), resolve(written.slice(at + 1))];
}
