/**
 * One open library for one command: opened, indexed as far as the command needs it, and closed whatever happens.
 */

import type { z } from 'zod';
import { resolveConfig } from '../../app/config.js';
import { openContainer } from '../../app/container.js';
import { ensureIndexed, type Freshness } from '../../app/ensure-indexed.js';
import { resolveAsk } from '../../app/identity.js';
import type { Call, Operation } from '../../app/operations/catalogue.js';
import { Fault } from '../../kernel/errors.js';
import { type Cli, type GlobalOptions, narrowingOf, openProgress } from './cli.js';

export interface SessionNeeds {
  /** The folder asked about, where the command takes one. */
  readonly folder?: string;
  readonly defaultClient: string;
  readonly index: Freshness;
}

const WORKLOAD = 'workload://colophon/cli';

export async function withCall<T>(cli: Cli, options: GlobalOptions, needs: SessionNeeds, body: (call: Call) => Promise<T>): Promise<T> {
  const { terminal } = cli;
  const config = await resolveConfig({
    env: terminal.env,
    cwd: terminal.cwd,
    ...(needs.folder === undefined ? {} : { folder: needs.folder }),
    ...(options.root === undefined ? {} : { root: options.root }),
  });
  const library = await openContainer(config);
  const progress = openProgress(cli, options);
  try {
    const at = library.clock.now();
    const caller = { workload: WORKLOAD, defaultClient: needs.defaultClient };
    const ask = resolveAsk(config, narrowingOf(options, terminal.env), caller, at);
    const call: Call = { library, ask, signal: terminal.signal, progress: progress.report };
    await ensureIndexed(call, needs.index);
    progress.end();
    return await body(call);
  } finally {
    progress.end();
    await library.close();
  }
}

/** Checks the input, runs the operation, and hands back its answer. */
export async function runOperation<I extends z.ZodType, O extends z.ZodType>(
  entry: Operation<I, O>,
  input: z.input<I>,
  call: Call,
): Promise<z.output<O>> {
  const parsed = entry.input.safeParse(input);
  if (parsed.success) return entry.run(parsed.data, call);
  const issue = parsed.error.issues[0];
  const field = issue?.path.join('.') ?? '';
  throw new Fault('input/invalid', { field: field === '' ? 'the input' : `--${field}`, expected: wordsFor(issue) });
}

function wordsFor(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return 'valid';
  if (issue.code === 'invalid_type') return issue.expected === 'int' ? 'a whole number' : `a ${issue.expected}`;
  if (issue.code === 'invalid_value') return `one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'too_big') return `at most ${issue.maximum}`;
  if (issue.code === 'too_small') return issue.origin === 'string' ? 'filled in' : `at least ${issue.minimum}`;
  if (issue.code === 'invalid_format') return 'a line or a range of lines, such as 40-80';
  return issue.message;
}
