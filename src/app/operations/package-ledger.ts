/** package list, show, bind: what was told to whom, word for word, and for which attempt. */
import { z } from 'zod';
import { isUsable } from '../../context/freeze.js';
import { render } from '../../context/spotlight.js';
import type { PackageBody } from '../../domain/context-package.js';
import { packageId } from '../../domain/package-id.js';
import { dayOf } from '../../kernel/clock.js';
import { Fault } from '../../kernel/errors.js';
import { answersForAll } from '../answers-for-all.js';
import { pathReadings } from '../asking/path-readings.js';
import { attemptInput, attemptOf, bindPackage, refuseOtherManifest } from '../attempts/attempts.js';
import { type ListedPackage, readPackages, type StoredPackage } from '../packages/access.js';
import { shownBinding, withAttempt } from '../packages/annex.js';
import { standingOf } from '../packages/standing.js';
import { readSubject, subjectInput } from '../packages/subject.js';
import { type Call, operation } from './catalogue.js';
import { afterOf, nextAfter } from './paging.js';
import { answer, distinct } from './wire.js';

const STATUSES = ['frozen', 'no_context', 'blocked'] as const;

export const binding = z.object({
  package: z.string(),
  attempt: z.string(),
  manifest: z.string().optional(),
  createdAt: z.string(),
  versions: z.record(z.string(), z.string()),
  annex: z.record(z.string(), z.string()),
});

const day = z
  .string()
  .refine((text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)), { error: () => 'a day, such as 2026-11-30' });

const listOutput = answer('package-list', {
  packages: z.array(
    z.object({
      digest: z.string(),
      package: z.string(),
      attempt: z.string(),
      createdAt: z.string(),
      text: z.string(),
      status: z.string(),
      items: z.int(),
      used: z.int(),
      requester: z.string(),
      client: z.string(),
      classification: z.string(),
      taint: z.boolean(),
      expires: z.string(),
      expired: z.boolean(),
      times: z.int().optional().describe('How often it was given, a hundred at most; for whoever answers for every source.'),
    }),
  ),
  next: z.string().nullable(),
});

export const packageList = operation({
  name: 'package list',
  summary: 'The contexts compiled last, all of them or those of an attempt, a page, a day, a status.',
  authority: 'read',
  surfaces: ['cli', 'http', 'library'],
  safe: true,
  input: z.object({
    limit: z.int().min(1).max(500).default(20),
    next: z.string().optional().describe('Where the last answer ended.'),
    attempt: z.string().min(1).optional(),
    page: z.string().min(1).optional().describe('Path of a page that is quoted, or left out.'),
    text: z.string().min(1).optional().describe('Words the question holds, upper and lower case alike.'),
    status: z.enum(STATUSES).optional(),
    for: z.string().min(1).optional().describe('Client it was compiled for.'),
    since: day.optional().describe('Bound on this day or later.'),
    until: day.optional().describe('Bound on this day or earlier.'),
    usable: z.boolean().optional().describe('Only those not expired; with `false`, only those that are.'),
  }),
  output: listOutput,
  async run({ limit, next, attempt, ...filters }, call) {
    const question = { ...filters, attempt, requester: call.ask.requester.principal };
    const found = await readPackages(call, {
      limit: limit + 1,
      ...(attempt === undefined ? {} : { attempt }),
      matches: (stored, createdAt) => isWanted(stored, createdAt, filters, call),
      ...(next === undefined ? {} : { after: afterOf(next, question) }),
    });
    const shown = found.slice(0, limit);
    const last = shown.at(-1);
    return {
      schema: 'colophon/package-list@1' as const,
      problems: [],
      packages: shown.map((each) => rowOf(each, call)),
      next: found.length > limit && last !== undefined ? nextAfter(last.entry.digest, last.createdAt, question) : null,
    };
  },
});

type Filters = Omit<z.output<typeof packageList.input>, 'limit' | 'next' | 'attempt'>;

function isWanted({ entry: { body } }: StoredPackage, createdAt: number, filters: Filters, call: Call): boolean {
  const { page, text, status, for: client, since, until, usable } = filters;
  const on = dayOf(createdAt as Call['ask']['at']);
  return (
    (page === undefined || speaksOf(body, page, call)) &&
    (text === undefined || body.request.text.toLowerCase().includes(text.toLowerCase())) &&
    (status === undefined || body.status === status) &&
    (client === undefined || body.request.client === client) &&
    (since === undefined || on >= since) &&
    (until === undefined || on <= until) &&
    (usable === undefined || isUsable(body, dayOf(call.ask.at)) === usable)
  );
}

function speaksOf({ items, excluded }: PackageBody, written: string, { library }: Call): boolean {
  const readings = pathReadings(library.config, written);
  return [...items, ...excluded].some(({ source, path }) =>
    readings.some((reading) => reading.path === path && (reading.source ?? source) === source),
  );
}

function rowOf({ entry: { digest, body }, bindings, createdAt }: ListedPackage, call: Call) {
  const last = bindings.at(-1);
  const shown = last === undefined ? undefined : shownBinding(digest, last, false);
  return {
    digest,
    package: shown?.package ?? '',
    attempt: shown?.attempt ?? '',
    createdAt: new Date(createdAt).toISOString(),
    text: body.request.text,
    status: body.status,
    items: body.items.length,
    used: body.budget.used,
    requester: body.request.requester,
    client: body.request.client,
    classification: body.classification,
    taint: body.taint,
    expires: body.expires,
    expired: !isUsable(body, dayOf(call.ask.at)),
    // How often others were given it is theirs.
    ...(answersForAll(call) ? { times: bindings.length } : {}),
  };
}

const showOutput = answer('package', {
  digest: z.string(),
  body: z.record(z.string(), z.unknown()),
  bindings: z.array(binding),
  usable: z.boolean(),
  rendered: z.string(),
});

export const packageShow = operation({
  name: 'package show',
  summary: 'One package, whole.',
  authority: 'read',
  surfaces: ['cli', 'http', 'library'],
  safe: true,
  hostInputs: ['bundle'],
  input: z.object(subjectInput),
  output: showOutput,
  async run(request, call) {
    const { entry, bindings, problems } = await readSubject(call, request);
    return {
      schema: 'colophon/package@1' as const,
      problems: distinct(problems),
      digest: entry.digest,
      body: { ...entry.body },
      bindings: bindings.map((each) => ({ ...each })),
      usable: isUsable(entry.body, dayOf(call.ask.at)),
      rendered: render(entry.body),
    };
  },
});

export const packageBind = operation({
  name: 'package bind',
  summary: 'Gives a frozen package to a further attempt, as long as it may be used: the same digest under a package id of its own.',
  authority: 'read',
  surfaces: ['cli', 'http', 'library'],
  input: z.object({ name: subjectInput.name, ...attemptInput }),
  output: answer('package-bind', {
    digest: z.string(),
    package: z.string(),
    attempt: z.string(),
    manifest: z.string().optional(),
    verdict: z.enum(['fresh', 'stale']),
    expires: z.string(),
    rendered: z.string(),
  }),
  async run({ name, ...typed }, call) {
    const { verdict, reasons, stored } = await standingOf(call, name);
    if (stored === undefined) throw new Fault('not-found', { what: name === 'last' ? 'A package' : `Package ${name}`, of: 'package' });
    const { entry, bindings } = stored;
    if (verdict === 'unusable') {
      const blocking = reasons.filter(({ weight }) => weight === 'blocks');
      throw new Fault('package/not-usable', {
        what: `Package ${entry.digest.slice(0, 12)}`,
        reasons: blocking.map(({ path, detail }) => (path === '' ? detail : `${path}: ${detail}`)),
      });
    }
    // Whose attempts they are is told by whom a package was compiled for.
    if (entry.body.request.requester !== call.ask.requester.principal)
      throw new Fault('access/denied', { asked: 'To bind a package that was compiled for somebody else' });
    const attempt = attemptOf(typed);
    if (typed.attempt !== undefined) await refuseOtherManifest(call, attempt);
    await bindPackage(call, entry, withAttempt(bindings.at(-1), attempt, call.ask.at), typed.attempt !== undefined);
    return {
      schema: 'colophon/package-bind@1' as const,
      problems: [],
      digest: entry.digest,
      package: packageId(entry.digest, attempt),
      attempt: attempt.attempt,
      ...(attempt.manifest === undefined ? {} : { manifest: attempt.manifest }),
      verdict,
      expires: entry.body.expires,
      rendered: render(entry.body),
    };
  },
});
