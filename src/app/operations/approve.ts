/**
 * approve, approval list: a person's word on a call that the gate held back, and what was asked and said so far.
 *
 * Invariant: only a person gives it, at the command line, for a call of their own tenant that was asked for. Nothing that is read,
 * retrieved or passed to a tool reaches this (INJ-06).
 */
import { z } from 'zod';
import { type ApprovalStanding, type Ruling, standingOf } from '../../domain/approval.js';
import type { Instant } from '../../kernel/clock.js';
import { Fault } from '../../kernel/errors.js';
import type { AskedCall } from '../../ports/approvals.js';
import { keyOfRequest, requestName } from '../attempts/request-name.js';
import { durationMs } from '../duration.js';
import { type Call, operation } from './catalogue.js';
import { policyOf } from './gate.js';
import { answer } from './wire.js';

const request = {
  request: z.string(),
  status: z.enum(['open', 'approved', 'refused']),
  attempt: z.string(),
  tool: z.string(),
  destination: z.string(),
  payloadDigest: z.string(),
  /** The beginning of the payload, its secrets masked; empty where only its digest was told. */
  shown: z.string(),
  ruling: z
    .object({ by: z.string(), at: z.string(), expiresAt: z.string(), uses: z.int(), usesLeft: z.int(), reason: z.string() })
    .nullable(),
};

export const approve = operation({
  name: 'approve',
  summary: 'A person’s yes, or no, to exactly one call that the gate held back.',
  authority: 'operate',
  surfaces: ['cli'],
  input: z.object({
    request: z.string().min(1).describe('As the gate named it, `req_…`.'),
    refuse: z.boolean().default(false).describe('No instead of yes.'),
    for: z.string().optional().describe('How long it holds, an ISO 8601 duration such as `PT15M`.'),
    uses: z.int().min(1).optional().describe('How many times the same call may be made.'),
    reason: z.string().max(500).default(''),
  }),
  output: answer('approve', request),
  async run(input, call) {
    const { ask, library } = call;
    const found = await askedCall(call, input.request);
    const ruling: Ruling = {
      kind: input.refuse ? 'refused' : 'approved',
      at: ask.at,
      by: ask.requester.principal,
      reason: input.reason,
      expiresAt: (ask.at + lasting(input.for, call)) as Instant,
      uses: input.refuse ? 0 : usesFrom(input.uses, call),
    };
    if (!(await library.records.approvals.rule(found.key, ruling))) throw unknownRequest();
    return { schema: 'colophon/approve@1' as const, problems: [], ...wireOf({ ...found, events: [...found.events, ruling] }, ask.at) };
  },
});

export const approvalList = operation({
  name: 'approval list',
  summary: 'The calls that the gate held back, the last first, and what people said.',
  authority: 'operate',
  surfaces: ['cli', 'http'],
  safe: true,
  input: z.object({ limit: z.int().min(1).max(500).default(20), request: z.string().optional().describe('This one alone.') }),
  output: answer('approval-list', { requests: z.array(z.object(request)) }),
  async run({ limit, request: name }, call) {
    const { approvals } = call.library.records;
    const found = name === undefined ? await approvals.asked({ limit: MOST_LOOKED_AT }) : [await askedCall(call, name)];
    const own = found.filter((each) => each.call.tenant === call.ask.requester.tenant).slice(0, limit);
    return { schema: 'colophon/approval-list@1' as const, problems: [], requests: own.map((each) => wireOf(each, call.ask.at)) };
  },
});

const MOST_LOOKED_AT = 2_000;

/** One that is not there and one of another tenant are the same. */
async function askedCall({ library, ask }: Call, name: string): Promise<AskedCall> {
  if (!ask.requester.principal.startsWith('person:'))
    throw new Fault('access/denied', { asked: `An approval by ${ask.requester.principal}` });
  const [only, another] = await library.records.approvals.find(keyOfRequest(name));
  if (only === undefined || another !== undefined || only.call.tenant !== ask.requester.tenant) throw unknownRequest();
  return only;
}

function unknownRequest(): Fault {
  return new Fault('input/invalid', { field: 'request', expected: 'one that `colophon approval list` shows' });
}

function lasting(text: string | undefined, call: Call): number {
  const { defaultMs, longestMs } = policyOf(call).approval;
  const ms = text === undefined ? defaultMs : durationMs(text);
  if (ms === undefined || ms <= 0 || ms > longestMs)
    throw new Fault('input/invalid', { field: '--for', expected: `a duration of at most ${longestMs / 3_600_000} hours, such as PT15M` });
  return ms;
}

function usesFrom(uses: number | undefined, call: Call): number {
  const { defaultUses, mostUses } = policyOf(call).approval;
  if (uses !== undefined && uses > mostUses) throw new Fault('input/invalid', { field: '--uses', expected: `at most ${mostUses}` });
  return uses ?? defaultUses;
}

function wireOf({ key, call, shown, events }: AskedCall, at: Instant) {
  const standing = standingOf(events, at);
  return {
    request: requestName(key),
    status: standing.status,
    attempt: call.attempt,
    tool: call.tool,
    destination: call.destination,
    payloadDigest: call.payload,
    shown,
    ruling: rulingOf(standing),
  };
}

function rulingOf(standing: ApprovalStanding) {
  if (standing.status === 'open') return null;
  const { by, at, expiresAt, uses, reason } = standing.ruling;
  const usesLeft = standing.status === 'approved' ? standing.usesLeft : 0;
  return { by, at: new Date(at).toISOString(), expiresAt: new Date(expiresAt).toISOString(), uses, usesLeft, reason };
}
