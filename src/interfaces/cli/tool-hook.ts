/**
 * The tool hook: what Claude Code's PreToolUse event says, and what is said back.
 *
 * The event arrives as one JSON object on stdin (`session_id`, `transcript_path`, `permission_mode`, `tool_name`, `tool_input`, …). A decision goes back
 * as `hookSpecificOutput.permissionDecision`; saying nothing leaves the call to the client's own rules.
 *
 * Invariant: what cannot be read or judged is held back, never let through.
 */
import { canonicalJson } from '../../kernel/digest.js';
import { jsonText } from './inert.js';

export interface ToolEvent {
  /** Empty when the event does not say. */
  readonly session: string;
  readonly cwd: string;
  /** The client's own record of the conversation; empty when the event does not say. */
  readonly transcript: string;
  /** Whether the client would show its user a question. */
  readonly canAsk: boolean;
  readonly tool: string;
  readonly destination: string;
  /** Canonical JSON of all that the tool is called with. */
  readonly payload: string;
}

/** Undefined for another event, which is none of the gate's business. Throws for what is no such event at all. */
export function readToolEvent(text: string): ToolEvent | undefined {
  const event = parsed(text);
  if (event['hook_event_name'] !== 'PreToolUse') return undefined;
  const tool = textOf(event['tool_name']);
  if (tool === '') throw new Error('the event names no tool');
  const input = event['tool_input'] ?? {};
  return {
    session: textOf(event['session_id']),
    cwd: textOf(event['cwd']),
    transcript: textOf(event['transcript_path']),
    canAsk: ASKING_MODES.has(textOf(event['permission_mode'])),
    tool,
    destination: destinationOf(tool, isRecord(input) ? input : {}),
    payload: payloadText(input),
  };
}

/** In any other mode nobody may be there to answer. */
const ASKING_MODES: ReadonlySet<string> = new Set(['default', 'acceptEdits', 'plan']);

/** The parser's own message quotes what the tool is called with, which has no place on stderr. */
function parsed(text: string): Readonly<Record<string, unknown>> {
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch (error) {
    throw new Error('the event on stdin is not JSON', { cause: error });
  }
  if (!isRecord(event)) throw new Error('the event on stdin is not an object');
  return event;
}

/** A lone surrogate has no canonical form; the text as it was written then stands for itself. */
function payloadText(input: unknown): string {
  try {
    return canonicalJson(input);
  } catch (error) {
    if (error instanceof TypeError) return JSON.stringify(input);
    throw error;
  }
}

const DESTINATION_FIELDS = ['url', 'file_path', 'notebook_path', 'path', 'destination', 'to', 'channel', 'host'] as const;
const LONGEST_DESTINATION = 2_000;

/** To be read by a person; the payload says it all, and is bound too. */
function destinationOf(tool: string, input: Readonly<Record<string, unknown>>): string {
  const field = DESTINATION_FIELDS.map((name) => input[name]).find((value) => typeof value === 'string' && value !== '');
  const server = /^mcp__(.+?)__/.exec(tool)?.[1];
  const said = typeof field === 'string' ? field : (server ?? '');
  return said.slice(0, LONGEST_DESTINATION).replace(/\p{Cs}/gu, '\uFFFD');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function toolHookOutput(decision: 'ask' | 'deny', reason: string): string {
  const answer = { hookEventName: 'PreToolUse', permissionDecision: decision, permissionDecisionReason: reason };
  return `${jsonText({ hookSpecificOutput: answer })}\n`;
}
