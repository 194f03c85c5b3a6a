/**
 * The catalogue: everything a person or an agent can ask of this system, once.
 *
 * CLI commands, MCP tools, the library API and the reference pages are projections of these entries, so a verb cannot exist
 * on one surface with other rules than on another. A new verb is one file and one line in all.ts.
 *
 * Invariant: an operation opens the door, calls stages in order, and reports; it decides nothing itself.
 */
import type { z } from 'zod';
import type { Problem } from '../../domain/problem.js';
import type { Ask } from '../../domain/requester.js';
import type { Library } from '../library.js';

export const SURFACES = ['cli', 'mcp', 'http', 'library'] as const;
export type Surface = (typeof SURFACES)[number];
/** What a caller must be allowed to do. `read` never changes anything but the ledger. */
export const AUTHORITIES = ['read', 'index', 'operate'] as const;
export type Authority = (typeof AUTHORITIES)[number];

export interface Progress {
  readonly phase: string;
  readonly done: number;
  /** 0 while unknown. */
  readonly total: number;
  readonly note?: string;
}

/** Who is calling, when, and on what: resolved by the surface before the operation runs. */
export interface Call {
  readonly library: Library;
  readonly ask: Ask;
  readonly signal: AbortSignal;
  readonly progress: (progress: Progress) => void;
  /** What an answer given now must say of the index, whatever is asked. */
  readonly standing?: Problem;
}

export interface Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  /** The verb: command name; the MCP tool is `kb_` and this. */
  readonly name: string;
  /** One sentence, read by people in `--help` and by models in the tool list. */
  readonly summary: string;
  readonly authority: Authority;
  readonly surfaces: readonly Surface[];
  /** Leaves nothing behind, not even in the ledger, and takes little: over HTTP it may be a GET too. */
  readonly safe?: true;
  /** Inputs that name files of this machine: they exist for whoever sits at it, and not over a network. */
  readonly hostInputs?: readonly string[];
  readonly input: Input;
  readonly output: Output;
  run(input: z.output<Input>, call: Call): Promise<z.output<Output>>;
}

/** Types an entry without widening its schemas. */
export function operation<I extends z.ZodType, O extends z.ZodType>(entry: Operation<I, O>): Operation<I, O> {
  return entry;
}
