/**
 * The library API: ask a folder of documents from your own program.
 *
 * ```ts
 * import { openLibrary } from 'colophon';
 *
 * const library = await openLibrary({ root: './docs' });
 * await library.index();
 * const answer = await library.context('how do I rotate a signing key?', { client: 'my-agent' });
 * console.log(answer.status, answer.rendered);
 * for (const item of answer.items) console.log(item.path, item.lines, item.reason);
 * await library.close();
 * ```
 *
 * Everything is what the command line does under the same name, with the same rules: the answers are the `--json` objects.
 */
import type { z } from 'zod';
import { resolveConfig } from './app/config.js';
import { openContainer } from './app/container.js';
import { type Narrowing, resolveAsk } from './app/identity.js';
import type { Call, Operation, Progress } from './app/operations/catalogue.js';
import { type ContextAnswer, context } from './app/operations/context.js';
import { type GetAnswer, get } from './app/operations/get.js';
import { type IndexAnswer, indexSources } from './app/operations/index-sources.js';
import { type SearchAnswer, search } from './app/operations/search.js';
import { type StatusAnswer, status } from './app/operations/status.js';
import { Fault } from './kernel/errors.js';

export type { ContextAnswer, GetAnswer, IndexAnswer, Narrowing, Progress, SearchAnswer, StatusAnswer };
export { Fault };

export interface OpenOptions {
  /** A folder of documents, or one with a colophon.yaml in or above it. */
  readonly root: string;
  /** Who asks, for all calls; may only narrow what colophon.yaml gives. Text for a model goes to `client`: undeclared is remote. */
  readonly as?: Narrowing;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

type Options<O extends Operation, Positional extends string> = Omit<z.input<O['input']>, Positional> & Narrowing;

export interface OpenLibrary {
  /** Brings the index up to date with the sources. */
  index(options?: z.input<typeof indexSources.input>): Promise<IndexAnswer>;
  /** Ranked passages. */
  search(query: string, options?: Options<typeof search, 'query'>): Promise<SearchAnswer>;
  /** One page, or some lines of it. Throws `not-found` for what is absent or not for you. */
  get(path: string, options?: Options<typeof get, 'path'>): Promise<GetAnswer>;
  /** What an agent should be told, within its token ceiling; stored, so that `colophon why` can explain it later. */
  context(query: string, options?: Options<typeof context, 'query'>): Promise<ContextAnswer>;
  status(): Promise<StatusAnswer>;
  close(): Promise<void>;
}

const WORKLOAD = 'workload://colophon/library';
/** Text read by your program stays on this machine; text compiled for an agent goes to who knows where. */
const OWN_PROGRAM = 'terminal';
const SOME_AGENT = 'agent';

export async function openLibrary(options: OpenOptions): Promise<OpenLibrary> {
  const config = await resolveConfig({ folder: options.root, env: process.env, cwd: process.cwd() });
  const library = await openContainer(config);
  const signal = options.signal ?? new AbortController().signal;
  const progress = options.onProgress ?? (() => undefined);

  async function run<O extends Operation>(entry: O, input: object, defaultClient: string): Promise<z.output<O['output']>> {
    const { narrowing, rest } = split(input);
    const ask = resolveAsk(config, { ...options.as, ...narrowing }, { workload: WORKLOAD, defaultClient }, library.clock.now());
    const call: Call = { library, ask, signal, progress };
    const parsed = entry.input.safeParse(rest);
    if (parsed.success) return entry.run(parsed.data, call) as Promise<z.output<O['output']>>;
    const issue = parsed.error.issues[0];
    throw new Fault('input/invalid', { field: issue?.path.join('.') || 'the input', expected: issue?.message ?? 'valid' });
  }

  return {
    index: (given = {}) => run(asOperation(indexSources), given, OWN_PROGRAM) as Promise<IndexAnswer>,
    search: (query, given = {}) => run(asOperation(search), { ...given, query }, OWN_PROGRAM) as Promise<SearchAnswer>,
    get: (path, given = {}) => run(asOperation(get), { ...given, path }, OWN_PROGRAM) as Promise<GetAnswer>,
    context: (query, given = {}) => run(asOperation(context), { ...given, query }, SOME_AGENT) as Promise<ContextAnswer>,
    status: () => run(asOperation(status), {}, OWN_PROGRAM) as Promise<StatusAnswer>,
    close: () => library.close(),
  };
}

function asOperation(entry: unknown): Operation {
  return entry as Operation;
}

function split(input: object): { readonly narrowing: Narrowing; readonly rest: object } {
  const { as, tenant, purpose, ceiling, groups, client, freshnessCritical, ...rest } = input as Narrowing & Record<string, unknown>;
  const given = Object.entries({ as, tenant, purpose, ceiling, groups, client, freshnessCritical }).filter(
    ([, value]) => value !== undefined,
  );
  return { narrowing: Object.fromEntries(given), rest };
}
