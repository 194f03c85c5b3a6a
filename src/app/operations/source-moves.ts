/**
 * source add, approve, activate, suspend, resume, revoke, retire, delete, sign: the moves of a source, each an order that is judged by the
 * table SM-S1 to SM-S14 and recorded.
 *
 * Invariant: what may be selected follows the state with the next question; nothing is indexed anew for it (SRC-13).
 */
import { z } from 'zod';
import type { SourceEvent } from '../../domain/source.js';
import type { StateEvent } from '../../domain/source-record.js';
import type { Instant } from '../../kernel/clock.js';
import { Fault } from '../../kernel/errors.js';
import { durationMs } from '../duration.js';
import { instantIn } from '../policy/instant-in.js';
import { type OrderedMove, orderMove, requireBearer, statedBy } from '../registry/order-move.js';
import { purgeSource } from '../registry/purge-source.js';
import { type Call, operation } from './catalogue.js';
import { eventOut } from './order-event.js';
import { sourceEvent } from './source-wire.js';
import { answer } from './wire.js';

const SURFACES = ['cli'] as const;
const EVENTS = ['approve', 'rebuild', 'keep'] as const;

const signed = z.object({
  statement: z.object({
    format: z.literal('colophon/source-approval@1'),
    source: z.string(),
    event: z.string().transform((event) => event as SourceEvent),
    version: z.int(),
    registration: z.string().transform((digest) => digest as OrderedMove['approvals'][number]['statement']['registration']),
    by: z.string(),
    reason: z.string(),
    until: z.int().transform((at) => at as Instant),
  }),
  signature: z.string().max(200),
});

const order = {
  id: z.string().min(1),
  reason: z.string().max(2_000).default('').describe('Why; kept for good.'),
  key: z.string().min(1).max(200).optional().describe('Names the order: the same one again does nothing more.'),
  expect: z.int().nonnegative().optional().describe('The version of the source this is meant for; another one is refused.'),
};
const approvals = z.array(signed).max(10).default([]).describe('What `source sign` wrote, one for each person.');

const moved = {
  id: z.string(),
  state: z.string().describe('As it is now.'),
  event: sourceEvent,
  repeats: z.boolean().describe('An order of this key was carried out before, which `event` tells of; nothing was done now.'),
};
type Given = z.output<z.ZodObject<typeof order>>;

async function moveAs(call: Call, event: SourceEvent, given: Given, more: Partial<OrderedMove> = {}) {
  const { id, reason, key, expect } = given;
  requireReason(call, reason);
  const before = await lastEvent(call, id);
  const made = await orderMove(call, { source: id, event, reason, key, expectedVersion: expect, approvals: [], ...more });
  return { ...(await standing(call, id, made, before)), problems: [] };
}

/** Of a key that was used before the event is an old one, and the source may have been moved since. */
async function standing({ library }: Call, id: string, made: StateEvent, before: number) {
  const repeats = made.seq <= before;
  const now = repeats ? (await library.records.registry.records()).find((each) => each.id === id)?.state : undefined;
  return { id, state: now ?? made.to, event: eventOut(made), repeats };
}

async function lastEvent({ library }: Call, id: string): Promise<number> {
  return (await library.records.registry.history(id)).at(-1)?.seq ?? 0;
}

/** An order that was not finished is no order, and is not recorded as a refused one. */
function requireReason({ ask }: Call, reason: string): void {
  if (ask.requester.principal.startsWith('person:') && reason.trim() === '')
    throw new Fault('input/invalid', { field: '--reason', expected: 'given: why this is done, which is kept for good' });
}

export const sourceAdd = operation({
  name: 'source add',
  summary: 'Proposes a source that colophon.yaml declares. Nothing of it is read until a knowledge owner has approved it.',
  authority: 'operate',
  surfaces: SURFACES,
  input: z.object({ id: order.id, reason: order.reason }),
  output: answer('source-add', { id: z.string(), state: z.string(), version: z.int() }),
  async run({ id, reason }, call) {
    const { library, ask } = call;
    const { registry } = library.records;
    const refused = (said: string) => new Fault('source/refused', { source: id, event: 'add', said, unrecorded: true });
    const declared = library.config.sources.find((each) => each.id === id);
    if (declared === undefined) throw new Fault('source/undeclared', { sourceId: id });
    const held = (await registry.records()).find((each) => each.id === id);
    if (held !== undefined && (held.state === 'revoked' || held.state === 'deleted'))
      throw refused('an id that was revoked or deleted never comes back; declare another one with `supersedes`');
    if (held !== undefined && (held.state !== 'proposed' || isPrincipal(held.proposer))) throw refused(`it is ${held.state} already`);
    const { declarationOf } = await import('../learning/learn.js');
    await registry.register({ ...declarationOf(declared), initialState: 'proposed' }, ask.at, statedBy(call, reason));
    const record = (await registry.records()).find((each) => each.id === id);
    return {
      schema: 'colophon/source-add@1' as const,
      problems: [],
      id,
      state: record?.state ?? 'proposed',
      version: record?.version ?? 0,
    };
  },
});

function isPrincipal(name: string): boolean {
  return /^(?:person|agent):/.test(name);
}

export const sourceApprove = operation({
  name: 'source approve',
  summary: 'Lets a proposed source in: the knowledge owner, with security where it is confidential or above.',
  authority: 'operate',
  surfaces: SURFACES,
  input: z.object({ ...order, approvals }),
  output: answer('source-approve', moved),
  async run(given, call) {
    return { schema: 'colophon/source-approve@1' as const, ...(await moveAs(call, 'approve', given, { approvals: given.approvals })) };
  },
});

export const sourceActivate = operation({
  name: 'source activate',
  summary: 'Makes an approved source answer, once its first checkpoint is complete and the gap scan clean. `index` does it by itself.',
  authority: 'operate',
  surfaces: SURFACES,
  input: z.object(order),
  output: answer('source-activate', moved),
  async run(given, call) {
    return { schema: 'colophon/source-activate@1' as const, ...(await moveAs(call, 'activate', given)) };
  },
});

export const sourceSuspend = operation({
  name: 'source suspend',
  summary: 'Takes a source out of every answer at once, as long as a suspicion lasts.',
  authority: 'operate',
  surfaces: SURFACES,
  input: z.object(order),
  output: answer('source-suspend', moved),
  async run(given, call) {
    return { schema: 'colophon/source-suspend@1' as const, ...(await moveAs(call, 'suspend', given)) };
  },
});

export const sourceResume = operation({
  name: 'source resume',
  summary: 'Ends a suspension: the signal was false and nothing changed, or it was built anew and two people say so.',
  authority: 'operate',
  surfaces: SURFACES,
  input: z.object({
    ...order,
    falseSignal: z.boolean().default(false).describe('The signal was ruled false; what the index holds must be what it was.'),
    evidence: z
      .string()
      .max(2_000)
      .optional()
      .describe('Root cause, clean rebuild, tests passed: where that can be read. The source starts over as approved.'),
    approvals,
  }),
  output: answer('source-resume', moved),
  async run({ falseSignal, evidence, approvals: by, ...given }, call) {
    if (falseSignal === (evidence !== undefined))
      throw new Fault('input/invalid', { field: '--false-signal or --evidence', expected: 'given, one of them' });
    const event = falseSignal ? 'clear' : 'rebuild';
    return { schema: 'colophon/source-resume@1' as const, ...(await moveAs(call, event, given, { falseSignal, evidence, approvals: by })) };
  },
});

export const sourceRevoke = operation({
  name: 'source revoke',
  summary: 'Takes a source out of every answer at once and for good. Its id never comes back.',
  authority: 'operate',
  surfaces: SURFACES,
  input: z.object(order),
  output: answer('source-revoke', moved),
  async run(given, call) {
    return { schema: 'colophon/source-revoke@1' as const, ...(await moveAs(call, 'revoke', given)) };
  },
});

export const sourceRetire = operation({
  name: 'source retire',
  summary: 'Names the day a source ends: until then it answers, labelled, and takes in nothing new. `--keep` takes it back.',
  authority: 'operate',
  surfaces: SURFACES,
  input: z.object({
    ...order,
    on: z.string().optional().describe('The day or time from which it answers no more.'),
    successor: z.string().optional().describe('The source that takes its place.'),
    keep: z.boolean().default(false).describe('It stays after all: its owner and the knowledge owner say so.'),
    approvals,
  }),
  output: answer('source-retire', moved),
  async run({ on, successor, keep, approvals: by, ...given }, call) {
    const retiresAt = on === undefined ? undefined : instantIn(on);
    if (!keep && retiresAt === undefined) throw new Fault('input/invalid', { field: '--on', expected: 'a day such as 2026-12-31' });
    const terms = keep ? { approvals: by } : { retiresAt, successor };
    return { schema: 'colophon/source-retire@1' as const, ...(await moveAs(call, keep ? 'keep' : 'retire', given, terms)) };
  },
});

export const sourceDelete = operation({
  name: 'source delete',
  summary: 'Ends a source for good and takes what the index holds of it out. Gives a receipt.',
  authority: 'operate',
  surfaces: SURFACES,
  input: z.object({ ...order, request: z.string().max(2_000).optional().describe('The deletion request that an owner acts on.') }),
  output: answer('source-delete', {
    ...moved,
    receipt: z.object({ store: z.string(), pages: z.int(), contentDigest: z.string(), at: z.string(), kept: z.array(z.string()) }),
  }),
  async run({ request, ...given }, call) {
    const unfinished = await unpurged(call, given.id);
    // One that is finished now repeats nothing.
    const before = unfinished === undefined ? await lastEvent(call, given.id) : 0;
    if (unfinished === undefined) requireReason(call, given.reason);
    const made =
      unfinished ??
      (await orderMove(call, {
        source: given.id,
        event: 'delete',
        reason: given.reason,
        key: given.key,
        expectedVersion: given.expect,
        approvals: [],
        deletionRequest: request,
      }));
    const { kept, ...receipt } = await purgeSource(call, given.id, made);
    const answered = { ...(await standing(call, given.id, made, before)), receipt: { ...receipt, kept: [...kept] } };
    return { schema: 'colophon/source-delete@1' as const, problems: [], ...answered };
  },
});

/** The order to delete that was carried out, when taking out what was stored did not come to its end. */
async function unpurged(call: Call, id: string) {
  const { registry } = call.library.records;
  const record = (await registry.records()).find((each) => each.id === id);
  if (record?.state !== 'deleted') return undefined;
  requireBearer(call, record);
  const history = await registry.history(id);
  const deleted = history.findLast(({ event, outcome }) => event === 'delete' && outcome === 'made');
  const purged = history.some(({ event, seq }) => event === 'purge' && seq > (deleted?.seq ?? 0));
  return purged ? undefined : deleted;
}

export const sourceSign = operation({
  name: 'source sign',
  summary: 'Signs one order about one source at its present version with a person’s own key, for whoever carries it in.',
  authority: 'operate',
  surfaces: SURFACES,
  hostInputs: ['keyFile'],
  input: z.object({
    id: order.id,
    event: z.enum(EVENTS),
    keyFile: z.string().min(1).describe('The person’s private key, ed25519, PEM.'),
    reason: order.reason,
    lasting: z.string().default('PT24H').describe('How long it may be used, at most P7D.'),
  }),
  output: answer('source-sign', { approval: z.record(z.string(), z.unknown()), publicKey: z.string() }),
  async run({ id, event, keyFile, reason, lasting }, call) {
    const { library, ask } = call;
    const record = (await library.records.registry.records()).find((each) => each.id === id);
    requireBearer(call, record);
    if (record === undefined) throw new Fault('source/unknown', { sourceId: id });
    const ms = durationMs(lasting);
    if (ms === undefined || ms <= 0 || ms > 7 * 86_400_000)
      throw new Fault('input/invalid', { field: '--for', expected: 'a duration of at most P7D' });
    const { signApproval } = await import('../registry/sign-approval.js');
    const said = { source: id, event, version: record.version, registration: record.registrationDigest, reason };
    const until = (ask.at + ms) as Instant;
    const { publicKey, ...approval } = await signApproval(keyFile, { ...said, by: ask.requester.principal, until });
    return { schema: 'colophon/source-sign@1' as const, problems: [], approval: { ...approval }, publicKey };
  },
});
