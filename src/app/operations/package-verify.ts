/** package verify, check, diff: is it what was frozen, may it still be used, and what is different from another one? */
import { z } from 'zod';
import { diffPackages, ITEM_CHANGES, type PagesNow, pageKey } from '../../context/diff-packages.js';
import { packageText } from '../../context/freeze.js';
import { CAUSES } from '../../context/package-axes.js';
import { verifyPackage } from '../../context/verify-package.js';
import type { PackageItem } from '../../domain/context-package.js';
import { sha256 } from '../../kernel/digest.js';
import { Fault } from '../../kernel/errors.js';
import { isOfCaller } from '../asking/named-pages.js';
import { doorIfBuilt } from '../packages/access.js';
import { SAID, saidInSource } from '../packages/cited-in-source.js';
import { REASONS, standingOf, VERDICTS, WEIGHTS } from '../packages/standing.js';
import { type PackageSubject, readSubject, subjectInput } from '../packages/subject.js';
import { type Call, operation } from './catalogue.js';
import { answer, distinct, lines } from './wire.js';

const verifyOutput = answer('package-verify', {
  digest: z.string(),
  format: z.string(),
  ok: z.boolean(),
  reason: z.string(),
  bytes: z.int(),
  items: z.array(
    z.object({
      position: z.int(),
      artifact: z.string(),
      source: z.string(),
      path: z.string(),
      lines: lines.nullable(),
      blob: z.string(),
      intact: z.boolean(),
      held: z.boolean().nullable(),
      said: z.enum(SAID).nullable(),
    }),
  ),
  citations: z.object({ held: z.int(), absent: z.array(z.object({ artifact: z.string(), path: z.string() })) }),
});

export type PackageVerifyAnswer = z.output<typeof verifyOutput>;

export const packageVerify = operation({
  name: 'package verify',
  summary: 'Proves that a package is what was frozen, and tells which of its passages the library holds and the sources still say.',
  authority: 'read',
  surfaces: ['cli', 'http', 'library'],
  safe: true,
  hostInputs: ['bundle'],
  input: z.object(subjectInput),
  output: verifyOutput,
  async run(request, call) {
    const subject = await orAltered(readSubject(call, request));
    if (typeof subject === 'string') return alteredFile(subject);
    const { entry, problems } = subject;
    const verdict = verifyPackage(entry);
    const { items } = entry.body;
    // A bundle may come from another library: what is here says nothing of it.
    const here = request.bundle === undefined;
    const held = here ? await heldHere(call, items) : undefined;
    const said = here ? await saidInSource(call, items) : undefined;
    const cited = items.filter(({ source }) => !isOfCaller(source));
    const absent = cited.filter(({ artifact }) => held?.has(artifact) === false);
    return {
      schema: 'colophon/package-verify@1' as const,
      problems: distinct(problems),
      digest: entry.digest,
      format: entry.body.format,
      ok: verdict.ok && (said ?? []).every((each) => each !== 'altered'),
      reason: verdict.ok ? sourceReason(said) : verdict.reason,
      bytes: Buffer.byteLength(packageText(entry)),
      items: items.map((item, at) => ({
        position: item.position,
        artifact: item.artifact,
        source: item.source,
        path: item.path,
        lines: isOfCaller(item.source) ? null : item.lines,
        blob: item.blob,
        intact: sha256(item.excerpt) === item.excerptDigest,
        held: isOfCaller(item.source) ? null : (held?.has(item.artifact) ?? null),
        said: said?.[at] ?? null,
      })),
      citations: {
        held: here ? cited.length - absent.length : 0,
        absent: absent.map(({ artifact, path }) => ({ artifact, path })),
      },
    };
  },
});

/** A file that was changed is what this verb is there to find: an answer, and no fault. */
async function orAltered(read: Promise<PackageSubject>): Promise<PackageSubject | string> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof Fault && error.code === 'bundle/altered') return (error as Fault<'bundle/altered'>).data.digest;
    throw error;
  }
}

/** Nothing in such a file can be told from what was put there since. */
function alteredFile(digest: string) {
  return {
    schema: 'colophon/package-verify@1' as const,
    problems: [],
    digest,
    format: '',
    ok: false,
    reason: 'the file was changed after it was exported',
    bytes: 0,
    items: [],
    citations: { held: 0, absent: [] },
  };
}

function sourceReason(said: readonly (string | null)[] | undefined): string {
  const altered = (said ?? []).indexOf('altered');
  return altered < 0 ? '' : `the source has the bytes item ${altered + 1} was quoted from, and they do not say it`;
}

async function heldHere(call: Call, items: readonly PackageItem[]): Promise<ReadonlySet<string>> {
  const door = await doorIfBuilt(call);
  if (door === undefined) return new Set();
  try {
    const { artifacts } = await door.snapshot.artifacts(
      door.eligible,
      items.map((each) => each.artifact),
    );
    return new Set(artifacts.map((each) => each.id));
  } finally {
    await door.snapshot.close();
  }
}

export const packageCheck = operation({
  name: 'package check',
  summary: 'Whether a package may still be used, and whether the library still says what it says, with reasons.',
  authority: 'read',
  surfaces: ['cli', 'http', 'library'],
  safe: true,
  input: z.object({ name: subjectInput.name }),
  output: answer('package-check', {
    digest: z.string(),
    verdict: z.enum(VERDICTS),
    usable: z.boolean(),
    expires: z.string(),
    reasons: z.array(
      z.object({ code: z.enum(REASONS), weight: z.enum(WEIGHTS), source: z.string(), path: z.string(), detail: z.string() }),
    ),
  }),
  async run({ name }, call) {
    const { verdict, reasons, stored } = await standingOf(call, name);
    return {
      schema: 'colophon/package-check@1' as const,
      problems: [],
      digest: stored?.entry.digest ?? '',
      verdict,
      usable: verdict !== 'unusable',
      expires: stored?.entry.body.expires ?? '',
      reasons: reasons.map((each) => ({ ...each })),
    };
  },
});

const cause = z.object({ kind: z.enum(CAUSES), certain: z.boolean(), detail: z.string() });
const side = z.object({ position: z.int(), artifact: z.string(), blob: z.string() });

/** What two packages differ in, on the wire. */
export const diffShape = {
  axes: z.array(cause),
  status: z.object({ before: z.string(), after: z.string() }),
  items: z.array(
    z.object({
      change: z.enum(ITEM_CHANGES),
      source: z.string(),
      path: z.string(),
      headingPath: z.array(z.string()),
      before: side.optional(),
      after: side.optional(),
      fields: z.array(z.string()),
      causes: z.array(cause),
    }),
  ),
  gaps: z.object({ added: z.array(z.string()), removed: z.array(z.string()) }),
};

export const packageDiff = operation({
  name: 'package diff',
  summary: 'What one package holds that another does not, and which change made each difference.',
  authority: 'read',
  surfaces: ['cli', 'http', 'library'],
  safe: true,
  hostInputs: ['beforeBundle', 'afterBundle'],
  input: z.object({
    before: z.string().min(1).describe('Digest, package id, or a prefix of either.'),
    after: subjectInput.name,
    beforeBundle: subjectInput.bundle,
    afterBundle: subjectInput.bundle,
  }),
  output: answer('package-diff', { before: z.string(), after: z.string(), same: z.boolean(), ...diffShape }),
  async run({ before, after, beforeBundle, afterBundle }, call) {
    const a = await readSubject(call, { name: before, bundle: beforeBundle });
    const b = await readSubject(call, { name: after, bundle: afterBundle });
    const here = beforeBundle === undefined && afterBundle === undefined;
    const diff = diffPackages(sideOf(a), sideOf(b), here ? await pagesNow(call, a.entry.body.items) : undefined);
    return {
      schema: 'colophon/package-diff@1' as const,
      problems: distinct([...a.problems, ...b.problems]),
      before: a.entry.digest,
      after: b.entry.digest,
      same: a.entry.digest === b.entry.digest,
      ...diffOnWire(diff),
    };
  },
});

/** Plain arrays and objects of it, as the schemas of answers have them. */
export function diffOnWire(diff: ReturnType<typeof diffPackages>) {
  return {
    axes: diff.axes.map((each) => ({ ...each })),
    status: diff.status,
    items: diff.items.map((each) => ({
      ...each,
      headingPath: [...each.headingPath],
      fields: [...each.fields],
      causes: each.causes.map((one) => ({ ...one })),
    })),
    gaps: { added: [...diff.gaps.added], removed: [...diff.gaps.removed] },
  };
}

function sideOf({ entry, bindings }: PackageSubject) {
  const versions = bindings.at(-1)?.versions;
  return { body: entry.body, ...(versions === undefined ? {} : { versions }) };
}

async function pagesNow(call: Call, items: readonly PackageItem[]): Promise<PagesNow> {
  const door = await doorIfBuilt(call);
  if (door === undefined) return new Map();
  try {
    const found = new Map<string, string | undefined>();
    for (const { source, path } of items) found.set(pageKey(source, path), (await door.snapshot.page(door.eligible, source, path))?.blob);
    return found;
  } finally {
    await door.snapshot.close();
  }
}
