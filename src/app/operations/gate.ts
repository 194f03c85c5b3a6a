/** gate: may this tool run now, in this attempt? Yes, no, or not before a person has said so. */
import { access, constants } from 'node:fs/promises';
import { z } from 'zod';
import { type ApprovalStanding, callKey, type ToolCall } from '../../domain/approval.js';
import { decideGate, GATE_DECISIONS, type GateDecision, isTainted, type Taint } from '../../domain/gate.js';
import { isAttemptName } from '../../domain/package-id.js';
import { bringsStrangersText, reachOf, TOOL_REACHES, type ToolPolicy, toolPolicyWith } from '../../domain/tool-policy.js';
import { counted } from '../../kernel/counted.js';
import { type Digest, digestOf, isWellFormed, sha256 } from '../../kernel/digest.js';
import { Fault } from '../../kernel/errors.js';
import { requestName } from '../attempts/request-name.js';
import { holdsStrangersText, taintOf } from '../attempts/taint.js';
import { maskSecrets } from '../mask-secrets.js';
import { type Call, operation } from './catalogue.js';
import { answer, tier } from './wire.js';

const words = (expected: string) => ({ error: () => expected });
const MOST_DESTINATION = 4_000;

const input = z.object({
  attempt: z
    .string()
    .refine(isAttemptName, words('one printable line of at most 200 characters'))
    .describe('The run the tool is called in, as `context` was told it.'),
  tool: z.string().refine(isAttemptName, words('the name of a tool, one printable line')).describe('Its full name.'),
  destination: z
    .string()
    .max(MOST_DESTINATION)
    .refine(isWellFormed, words('well-formed text'))
    .default('')
    .describe('Where it would send or write: an address, a host, a file.'),
  payload: z.string().optional().describe('The whole of what it is called with. Kept as a digest, and masked, as a few lines to show.'),
  payloadDigest: z
    .string()
    .refine((text) => /^[0-9a-f]{64}$/.test(text), words('a SHA-256 digest, 64 lower-case hexadecimal digits'))
    .optional()
    .describe('Its SHA-256, where the payload itself is not to be told.'),
});

const output = answer('gate', {
  decision: z.enum(GATE_DECISIONS),
  reason: z.string(),
  attempt: z.string(),
  tool: z.string(),
  destination: z.string(),
  payloadDigest: z.string(),
  reach: z.enum(TOOL_REACHES),
  /** Null where it was not looked at, because it decides nothing. */
  taint: z
    .object({ tainted: z.boolean(), tiers: z.array(tier), packages: z.int(), tools: z.array(z.string()), unreadable: z.int() })
    .nullable(),
  /** What `approve` is told; null when there is nothing to approve. */
  request: z.string().nullable(),
  approval: z.object({ by: z.string(), expiresAt: z.string(), usesLeft: z.int() }).nullable(),
  policy: z.object({ version: z.string(), digest: z.string() }),
});
export type GateAnswer = z.output<typeof output>;

export const gate = operation({
  name: 'gate',
  summary: 'May this tool run? One that could carry text out, in an attempt that has read strangers’ text, needs a person’s approval.',
  authority: 'read',
  surfaces: ['cli', 'library'],
  input,
  output,
  async run(asked, call) {
    const policy = policyOf(call);
    const toolCall = callOf(asked, call);
    const reach = reachOf(policy, asked.tool, asked.destination);
    let taint: Taint | undefined;
    let recordable = true;
    const found = await decideGate(
      reach,
      async () => {
        taint = await taintOf(call.library, asked.attempt);
        recordable = await isWritable(call.library.config.stateFolder);
        return isTainted(taint) || !recordable;
      },
      async () => (recordable ? settle(toolCall, asked.payload, call) : { status: 'open' }),
    );
    if (found.decision === 'allow' && (await bringsText(policy, asked, call)))
      await call.library.records.approvals.taint(asked.attempt, asked.tool, call.ask.at);
    const request = found.decision === 'ask' && recordable ? requestName(callKey(toolCall)) : null;
    return {
      schema: 'colophon/gate@1' as const,
      problems: [],
      decision: found.decision,
      reason: reasonFor({ ...found, tool: asked.tool, reach, taint, request }),
      attempt: asked.attempt,
      tool: asked.tool,
      destination: asked.destination,
      payloadDigest: toolCall.payload,
      reach,
      taint: taint === undefined ? null : { ...taint, tainted: isTainted(taint), tiers: [...taint.tiers], tools: [...taint.tools] },
      request,
      approval: approvalOf(found.standing),
      policy: { version: policy.version, digest: digestOf(policy) },
    };
  },
});

export function policyOf({ library }: Pick<Call, 'library'>): ToolPolicy {
  return library.config.gate ?? toolPolicyWith(undefined);
}

async function bringsText(policy: ToolPolicy, { tool, destination }: z.output<typeof input>, { library }: Call): Promise<boolean> {
  const holdsAny = holdsStrangersText(library);
  if (bringsStrangersText(policy, tool, holdsAny)) return true;
  if (!holdsAny || !policy.fileReaders.includes(tool)) return false;
  const { namesStrangersFile } = await import('../attempts/strangers-files.js');
  return namesStrangersFile(library.config, destination);
}

function callOf({ attempt, tool, destination, payload, payloadDigest }: z.output<typeof input>, { ask }: Call): ToolCall {
  if ((payload === undefined) === (payloadDigest === undefined))
    throw new Fault('input/invalid', { field: 'payload', expected: 'given, or its digest as payloadDigest, and not both' });
  const digest = payload === undefined ? (payloadDigest as Digest) : sha256(payload);
  return { tenant: ask.requester.tenant, attempt, tool, destination, payload: digest };
}

/** Where nothing can be written, what an attempt has read was not written either. */
async function isWritable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

const MASKED_CHARACTERS = 16_000;
const SHOWN_CHARACTERS = 2_000;

async function settle(toolCall: ToolCall, payload: string | undefined, { library, ask }: Call): Promise<ApprovalStanding> {
  const shown = payload === undefined ? '' : await shownOf(payload, library);
  return library.records.approvals.settle(toolCall, shown, ask.at);
}

/** Its beginning; a person who approves must see that there is more. */
async function shownOf(payload: string, { scanner }: Call['library']): Promise<string> {
  const begun = payload.slice(0, MASKED_CHARACTERS).replace(/\p{Cs}/gu, '\uFFFD');
  const masked = begun === '' ? '' : await maskSecrets(begun, scanner);
  if (begun.length === payload.length && masked.length <= SHOWN_CHARACTERS) return masked;
  return `${masked.slice(0, SHOWN_CHARACTERS).replace(/\p{Cs}/gu, '\uFFFD')}… (cut: the payload has ${payload.length} characters)`;
}

function approvalOf(standing: ApprovalStanding | undefined): GateAnswer['approval'] {
  if (standing?.status !== 'approved') return null;
  const { by, expiresAt } = standing.ruling;
  return { by, expiresAt: new Date(expiresAt).toISOString(), usesLeft: standing.usesLeft };
}

interface Reasons {
  readonly decision: GateDecision;
  readonly standing?: ApprovalStanding;
  readonly tool: string;
  readonly reach: string;
  readonly taint: Taint | undefined;
  readonly request: string | null;
}

function reasonFor({ decision, standing, tool, reach, taint, request }: Reasons): string {
  if (reach === 'contained') return `${tool} cannot carry text out by itself.`;
  if (standing?.status === 'approved')
    return `${standing.ruling.by} approved exactly this call, until ${time(standing.ruling.expiresAt)}; uses left: ${standing.usesLeft}.`;
  if (standing?.status === 'refused') return `${standing.ruling.by} refused exactly this call, until ${time(standing.ruling.expiresAt)}.`;
  if (decision === 'allow') return 'Nothing that strangers wrote has been put before this attempt.';
  const because = `${tool} could carry text out, and ${causeOf(taint)}.`;
  return request === null
    ? `${because} The library state cannot be written, so nothing can be approved.`
    : `${because} A person must approve exactly this call: colophon approve ${request}`;
}

function causeOf(taint: Taint | undefined): string {
  if (taint === undefined || !isTainted(taint)) return 'what this attempt has read could not be recorded';
  const causes = [
    ...(taint.packages > 0 ? [`${taint.tiers.join(' and ')} text from the library (packages: ${taint.packages})`] : []),
    ...(taint.tools.length > 0 ? [`what came through ${taint.tools.join(', ')}`] : []),
    ...(taint.unreadable > 0 ? [`something in ${counted(taint.unreadable, 'package')} that cannot be read any more`] : []),
  ];
  return `this attempt has read ${causes.join(', and ')}`;
}

function time(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ').concat(' UTC');
}
