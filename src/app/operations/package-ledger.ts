/** package list, show, verify: what was told to whom, word for word, and the proof that it is unaltered. */
import { z } from 'zod';
import { packageText, verifyPackage } from '../../context/freeze.js';
import { render } from '../../context/spotlight.js';
import { dayOf } from '../../kernel/clock.js';
import { answersForAll } from '../answers-for-all.js';
import { readPackageNamed, readPackages } from '../package-access.js';
import { type Call, operation } from './catalogue.js';
import { answer, distinct } from './wire.js';

const named = z.object({ name: z.string().min(1).default('last').describe('Digest, a prefix of one, or `last`.') });

const listOutput = answer('package-list', {
  packages: z.array(z.object({ digest: z.string(), createdAt: z.string(), text: z.string(), status: z.string() })),
});

export const packageList = operation({
  name: 'package list',
  summary: 'The contexts compiled last.',
  authority: 'read',
  surfaces: ['cli', 'library'],
  input: z.object({ limit: z.int().min(1).max(500).default(20) }),
  output: listOutput,
  async run({ limit }, call) {
    const packages = (await readPackages(call, limit)).map(({ entry: { digest, body }, createdAt }) => ({
      digest,
      createdAt: new Date(createdAt).toISOString(),
      text: body.request.text,
      status: body.status,
    }));
    return { schema: 'colophon/package-list@1' as const, problems: [], packages };
  },
});

const showOutput = answer('package', {
  digest: z.string(),
  body: z.record(z.string(), z.unknown()),
  bindings: z.array(z.object({ attempt: z.string(), createdAt: z.string(), annex: z.record(z.string(), z.string()) })),
  usable: z.boolean(),
  rendered: z.string(),
});

export const packageShow = operation({
  name: 'package show',
  summary: 'One package, whole.',
  authority: 'read',
  surfaces: ['cli', 'library'],
  input: named,
  output: showOutput,
  async run({ name }, call) {
    const { entry, bindings, problems } = await readPackageNamed(call, name);
    const operator = answersForAll(call);
    return {
      schema: 'colophon/package@1' as const,
      problems: distinct(problems),
      digest: entry.digest,
      body: { ...entry.body },
      bindings: bindings.map((each) => ({
        attempt: each.attempt,
        createdAt: new Date(each.createdAt).toISOString(),
        // Counters and commits change with every page, hidden ones too.
        annex: operator ? { ...each.annex } : {},
      })),
      usable: entry.body.expires >= dayOf(call.ask.at),
      rendered: render(entry.body),
    };
  },
});

const verifyOutput = answer('package-verify', {
  digest: z.string(),
  ok: z.boolean(),
  reason: z.string(),
  bytes: z.int(),
  citations: z.object({ held: z.int(), absent: z.array(z.object({ artifact: z.string(), path: z.string() })) }),
});

export const packageVerify = operation({
  name: 'package verify',
  summary: 'Proves that a package is what was frozen, and tells which of its passages the library still holds.',
  authority: 'read',
  surfaces: ['cli', 'library'],
  input: named,
  output: verifyOutput,
  async run({ name }, call) {
    const { entry, problems } = await readPackageNamed(call, name);
    const verdict = verifyPackage(entry);
    return {
      schema: 'colophon/package-verify@1' as const,
      problems: distinct(problems),
      digest: entry.digest,
      ok: verdict.ok,
      reason: verdict.ok ? '' : verdict.reason,
      bytes: Buffer.byteLength(packageText(entry)),
      citations: await citationsOf(entry.body.items, call),
    };
  },
});

async function citationsOf(items: readonly { readonly artifact: string; readonly path: string }[], call: Call) {
  const { openDoor } = await import('../asking.js');
  const door = await openDoor(call);
  try {
    const held = await door.snapshot.artifacts(
      door.eligible,
      items.map((each) => each.artifact),
    );
    const present = new Set(held.artifacts.map((each) => each.id));
    const absent = items.filter((each) => !present.has(each.artifact)).map(({ artifact, path }) => ({ artifact, path }));
    return { held: items.length - absent.length, absent };
  } finally {
    await door.snapshot.close();
  }
}
