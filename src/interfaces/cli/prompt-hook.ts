/**
 * The prompt hook: what Claude Code's UserPromptSubmit event says, and what is said back.
 *
 * The event arrives as one JSON object on stdin (`prompt`, `cwd`, `session_id`, …). Context goes back as
 * `hookSpecificOutput.additionalContext`; saying nothing adds nothing.
 *
 * Invariant: nothing that happens here keeps a prompt from being sent.
 */
import { jsonText } from './inert.js';

export interface PromptEvent {
  readonly prompt: string;
  /** Where the session works; empty when not said. */
  readonly cwd: string;
  /** Empty when not said. */
  readonly session: string;
}

/** Longest context Claude Code puts before the model whole; a longer one becomes a preview. */
export const HOOK_CONTEXT_CHARACTERS = 10_000;
/** A pasted log is not a question; its beginning is enough to tell what it is about. */
const PROMPT_CHARACTERS = 4_000;

/** Undefined when there is nothing to answer: another event, a slash command, an empty prompt. */
export function readPromptEvent(text: string): PromptEvent | undefined {
  const event = parsed(text);
  if (typeof event !== 'object' || event === null) return undefined;
  const { prompt, cwd, hook_event_name: name, session_id: session } = event as Readonly<Record<string, unknown>>;
  if (name !== undefined && name !== 'UserPromptSubmit') return undefined;
  if (typeof prompt !== 'string' || prompt.trim() === '' || /^\s*\/[\w:-]+(\s|$)/.test(prompt)) return undefined;
  return {
    prompt: cut(prompt.trim()),
    cwd: typeof cwd === 'string' ? cwd : '',
    session: typeof session === 'string' ? session : '',
  };
}

/** The parser's own message quotes the prompt, which has no place on stderr. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error('the event on stdin is not JSON', { cause: error });
  }
}

function cut(prompt: string): string {
  const end = /[\uD800-\uDBFF]$/.test(prompt.slice(0, PROMPT_CHARACTERS)) ? PROMPT_CHARACTERS - 1 : PROMPT_CHARACTERS;
  return prompt.slice(0, end);
}

export function hookOutput(additionalContext: string): string {
  return `${jsonText({ hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext } })}\n`;
}
