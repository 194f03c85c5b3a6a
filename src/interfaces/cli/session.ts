/**
 * One open library for one command: opened, indexed as far as the command needs it, and closed whatever happens.
 */

import type { z } from 'zod';
import { auditedOnce, deniedOnce } from '../../app/audit/audited-once.js';
import { principalHeld } from '../../app/audit/principal-held.js';
import { tenantHeld } from '../../app/audit/tenant-held.js';
import { checkInput } from '../../app/check-input.js';
import { resolveConfig } from '../../app/configuration/config.js';
import { openContainer } from '../../app/container.js';
import { type Narrowing, resolveAsk } from '../../app/identity.js';
import { ensureIndexed, type Freshness, withStanding } from '../../app/learning/ensure-indexed.js';
import type { LearnReport } from '../../app/learning/learn.js';
import type { LibraryConfig } from '../../app/library.js';
import type { Call, Operation } from '../../app/operations/catalogue.js';
import { tellsOfAll } from '../../app/tells-of-all.js';
import type { Ask } from '../../domain/requester.js';
import { Fault } from '../../kernel/errors.js';
import { type Cli, type GlobalOptions, narrowingOf, openProgress, sayProblems } from './cli.js';
import { inertLine } from './inert.js';
import { rootToName } from './root-to-name.js';
import { unknownClient } from './unknown-client.js';

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
  const given = options.root ?? needs.folder;
  if (given !== undefined) cli.about(await rootToName(config.root, given, terminal));
  const library = await openContainer(config);
  const progress = openProgress(cli, options);
  try {
    const at = library.clock.now();
    const caller = { workload: WORKLOAD, defaultClient: needs.defaultClient };
    const narrowing = narrowingOf(options, terminal.env);
    const ask = askOrRecord(config, narrowing, (asked) => resolveAsk(config, asked, caller, at));
    const stranger = options.quiet === true ? undefined : unknownClient(config, ask, needs.defaultClient);
    if (stranger !== undefined) terminal.say(`${inertLine(stranger)}\n`);
    const report = tellsOfAll({ library, ask }) ? progress.report : withoutFigures(progress.report);
    const call: Call = { library, ask, signal: terminal.signal, progress: report };
    const styled = options.quiet === true || (options.progress ?? 'auto') !== 'auto';
    const { learned, standing } = await ensureIndexed(styled ? call : { ...call, progress: afterAWhile(report) }, needs.index);
    progress.end();
    if (learned !== undefined && !styled && tellsOfAll(call)) sayLearned(cli, learned, options);
    return await body(standing === undefined ? call : { ...call, standing });
  } finally {
    progress.end();
    await library.close();
  }
}

/** Who asks for more than is held is refused, and that is recorded: with the tenant that was asked for, where it is one that they hold. */
function askOrRecord(config: LibraryConfig, narrowing: Narrowing, resolve: (asked: Narrowing) => Ask): Ask {
  try {
    return resolve(narrowing);
  } catch (error) {
    if (error instanceof Fault && error.kind === 'denied') {
      const who = { principal: principalHeld(config, narrowing), workload: WORKLOAD, tenant: tenantHeld(narrowing, resolve) };
      deniedOnce(config, { surface: 'cli', ...who }, error);
    }
    throw error;
  }
}

/** For who looks at what is wrong with a policy: nobody is anybody yet, and nothing of the library can be read. */
export async function withUnreadPolicy<T>(cli: Cli, options: GlobalOptions, body: (call: Call) => Promise<T>): Promise<T> {
  const { terminal } = cli;
  const root = options.root === undefined ? {} : { root: options.root };
  const config = await resolveConfig({ env: terminal.env, cwd: terminal.cwd, policy: 'unread', ...root });
  const library = await openContainer(config);
  const nobody = {
    principal: 'person:nobody',
    workload: WORKLOAD,
    tenant: '',
    purpose: '',
    groups: new Set<string>(),
    ceiling: 'public',
  } as const;
  const ask: Ask = {
    requester: { ...nobody, client: { name: 'terminal', locality: 'local' } },
    at: library.clock.now(),
    freshnessCritical: false,
  };
  try {
    return await body({ library, ask, signal: terminal.signal, progress: () => undefined });
  } finally {
    await library.close();
  }
}

/** A look for changes that finds none is over before anyone wonders; only a long one is shown. */
const UNREMARKED_MS = 1_500;

function afterAWhile(report: Call['progress']): Call['progress'] {
  const startedAt = performance.now();
  return (progress) => {
    if (performance.now() - startedAt > UNREMARKED_MS) report(progress);
  };
}

/** How much there is to do is a figure of the whole library. */
function withoutFigures(report: Call['progress']): Call['progress'] {
  return () => report({ phase: 'being brought up to date', done: 0, total: 0 });
}

/**
 * Nothing was found in the index as it is. The files may have changed since, so they are looked at as for a question, and if any had,
 * the answer is given again. What is found at once costs nothing more.
 */
export async function answeredNow<T>(
  cli: Cli,
  options: GlobalOptions,
  call: Call,
  { ask, found }: { readonly ask: () => Promise<T>; readonly found: (answer: T) => boolean },
): Promise<T> {
  const answer = await ask();
  if (found(answer)) return answer;
  return (await changedMeanwhile(cli, options, call)) ? ask() : answer;
}

async function changedMeanwhile(cli: Cli, options: GlobalOptions, call: Call): Promise<boolean> {
  try {
    const { learned } = await ensureIndexed({ ...call, progress: afterAWhile(call.progress) }, 'current');
    if (learned === undefined) return false;
    if (tellsOfAll(call)) sayLearned(cli, learned, options);
    return learned.sources.some(({ added, changed, removed }) => added + changed + removed > 0);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'source/unreachable') throw error;
    if (options.quiet !== true) cli.terminal.say(`${cli.terminal.talkColors.yellow('warning')} ${inertLine(error.message)}\n`);
    return false;
  }
}

/** What a question changed in the index before it was answered, and what is odd about a whole source. */
function sayLearned(cli: Cli, { sources, problems }: LearnReport, options: GlobalOptions): void {
  const sum = (field: 'added' | 'changed' | 'removed' | 'failed') => sources.reduce((all, each) => all + each[field], 0);
  const moved = (['added', 'changed', 'removed'] as const).filter((field) => sum(field) > 0).map((field) => `${sum(field)} ${field}`);
  const failed = sum('failed');
  const lost = failed === 0 ? '' : `, ${failed} could not be taken in (colophon index names ${failed === 1 ? 'it' : 'them'})`;
  const closed = new Set(problems.filter(({ code }) => code === 'page/governance-unreadable').map(({ path }) => path)).size;
  const kept = closed === 0 ? '' : `, ${closed} kept to the owner of ${closed === 1 ? 'its' : 'their'} source (colophon status says why)`;
  if (moved.length > 0) cli.terminal.say(cli.terminal.talkColors.dim(`indexed: ${moved.join(', ')}${lost}${kept}\n`));
  const ofSources = problems.filter(({ code }) => code.startsWith('source/'));
  if (options.json !== true) sayProblems(cli, ofSources, options);
}

/** Checks the input, runs the operation, and hands back its answer. */
export async function runOperation<I extends z.ZodType, O extends z.ZodType>(
  entry: Operation<I, O>,
  input: z.input<I> & object,
  call: Call,
  spell: (field: string) => string = spelled,
): Promise<z.output<O>> {
  const checked = checkInput(entry, input, spell);
  return runRecorded(entry, checked, call);
}

/** These no verb takes as an option. */
const ARGUMENTS: ReadonlySet<string> = new Set(['name', 'id']);

function spelled(field: string): string {
  return ARGUMENTS.has(field) ? `The ${field}` : `--${field}`;
}

/** Of input that was checked. */
export async function runRecorded<I extends z.ZodType, O extends z.ZodType>(
  entry: Operation<I, O>,
  input: z.output<I>,
  call: Call,
): Promise<z.output<O>> {
  return recordedAs(entry.name, input, call, () => entry.run(input, call));
}

/** The one way in which a command shows anything of a library: recorded, and withheld where it must be and cannot be. */
export async function recordedAs<T>(verb: string, input: unknown, call: Call, run: () => Promise<T>): Promise<T> {
  return withStanding(await auditedOnce({ surface: 'cli', verb, input }, call, run), call.standing);
}
