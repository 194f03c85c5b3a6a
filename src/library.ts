/**
 * The library API: ask a folder of documents from your own program.
 *
 * ```ts
 * import { openLibrary } from 'colophon';
 *
 * const library = await openLibrary({ root: './docs' });
 * await library.index(); // reads what changed since; answers come from the index as it is then
 * const answer = await library.context({ query: 'how do I rotate a signing key?', client: 'my-agent' });
 * console.log(answer.status, answer.rendered);
 * for (const item of answer.items) console.log(item.path, item.lines, item.reason);
 * await library.close();
 * ```
 *
 * Everything is what the command line does under the same name, with the same rules: the answers are the `--json` objects.
 */
import type { z } from 'zod';
import { ContextCache, SearchCache } from './app/asking/context-cache.js';
import { AuditLog, auditPlaceOf } from './app/audit/audit-log.js';
import { audited, recordFailure } from './app/audit/audited.js';
import { deniedOnce } from './app/audit/audited-once.js';
import { principalHeld } from './app/audit/principal-held.js';
import { tenantHeld } from './app/audit/tenant-held.js';
import { checkInput } from './app/check-input.js';
import { checkNarrowing } from './app/check-narrowing.js';
import { resolveConfig } from './app/configuration/config.js';
import { openContainer } from './app/container.js';
import { type Narrowing, resolveAsk, rightsOf } from './app/identity.js';
import { ensureIndexed, type Freshness, withStanding } from './app/learning/ensure-indexed.js';
import type { LibraryConfig } from './app/library.js';
import type { Call, Operation, Progress } from './app/operations/catalogue.js';
import { type CitationsAnswer, citationsCheck } from './app/operations/citations-check.js';
import { type ContextAnswer, context } from './app/operations/context.js';
import { type GateAnswer, gate } from './app/operations/gate.js';
import { type GetAnswer, get } from './app/operations/get.js';
import { type IndexAnswer, indexSources } from './app/operations/index-sources.js';
import { packageExport, packageReplay } from './app/operations/package-export.js';
import { packageBind, packageList, packageShow } from './app/operations/package-ledger.js';
import { packageCheck, packageDiff, packageVerify } from './app/operations/package-verify.js';
import { type SearchAnswer, search } from './app/operations/search.js';
import { type StatusAnswer, status } from './app/operations/status.js';
import { type VocabularyCheckAnswer, type VocabularyShowAnswer, vocabularyCheck, vocabularyShow } from './app/operations/vocabulary.js';
import { withCurrentPolicy } from './app/policy/with-current-policy.js';
import type { Ask } from './domain/requester.js';
import { Fault } from './kernel/errors.js';

export type { CitationsAnswer, ContextAnswer, GateAnswer, GetAnswer, IndexAnswer, Narrowing, Progress, SearchAnswer, StatusAnswer };
export { Fault };

export interface OpenOptions {
  /** A folder of documents, or one with a colophon.yaml in or above it. */
  readonly root: string;
  /**
   * Who asks, for all calls, `{ as: 'person:ana', tenant: 'north' }`: each of them may only narrow it further; may itself only narrow what
   * colophon.yaml gives. Text for a model goes to `client`: undeclared is remote. What is not understood is refused, and so is an unknown person.
   */
  readonly as?: Omit<Narrowing, 'within'>;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

type Request<O extends Operation> = z.input<O['input']> & Omit<Narrowing, 'within'>;

/** Each verb takes what the operation of its name takes; a bare text stands for the question or the path. */
export interface OpenLibrary {
  /** Brings the index up to date with the sources. A library without an index makes one at its first question; after that, answers come from it as it is. */
  index(request?: z.input<typeof indexSources.input>): Promise<IndexAnswer>;
  /** Ranked passages. */
  search(request: string | Request<typeof search>): Promise<SearchAnswer>;
  /** One page, or some lines of it. Throws `not-found` for what is absent or not for you. */
  get(request: string | Request<typeof get>): Promise<GetAnswer>;
  /** What an agent should be told, within its token ceiling; stored, so that `colophon why` can explain it later. */
  context(request: string | Request<typeof context>): Promise<ContextAnswer>;
  /** May this tool run now? Ask before each call; `ask` means that a person must say `colophon approve` first. */
  gate(request: Request<typeof gate>): Promise<GateAnswer>;
  /** Which citations of an answer stand in the package it was given. */
  citationsCheck(request: string | Request<typeof citationsCheck>): Promise<CitationsAnswer>;
  status(request?: z.input<typeof status.input>): Promise<StatusAnswer>;
  /** What things are called, where colophon.yaml names a file of it. */
  readonly vocabulary: {
    check(request?: Request<typeof vocabularyCheck>): Promise<VocabularyCheckAnswer>;
    show(request?: string | Request<typeof vocabularyShow>): Promise<VocabularyShowAnswer>;
  };
  /** What was compiled before: `colophon package` under the same names. A bare text is the name of a package. */
  readonly packages: {
    list(request?: Request<typeof packageList>): Promise<z.output<typeof packageList.output>>;
    show(request: string | Request<typeof packageShow>): Promise<z.output<typeof packageShow.output>>;
    verify(request: string | Request<typeof packageVerify>): Promise<z.output<typeof packageVerify.output>>;
    /** Whether an attempt may go on using what it was given. */
    check(request: string | Request<typeof packageCheck>): Promise<z.output<typeof packageCheck.output>>;
    diff(request: Request<typeof packageDiff>): Promise<z.output<typeof packageDiff.output>>;
    /** Throws `package/not-usable` for what has expired or may not be used any more. */
    bind(request: string | Request<typeof packageBind>): Promise<z.output<typeof packageBind.output>>;
    export(request: string | Request<typeof packageExport>): Promise<z.output<typeof packageExport.output>>;
    replay(request: string | Request<typeof packageReplay>): Promise<z.output<typeof packageReplay.output>>;
  };
  close(): Promise<void>;
}

const WORKLOAD = 'workload://colophon/library';
/** Text read by your program stays on this machine; text compiled for an agent goes to who knows where. */
const OWN_PROGRAM = 'terminal';
const SOME_AGENT = 'agent';
const AUDIT_FLUSH_MS = 200;

export async function openLibrary(options: OpenOptions): Promise<OpenLibrary> {
  checkOptions(options);
  const config = await resolveConfig({ folder: options.root, env: process.env, cwd: process.cwd() });
  requireKnown(config, options.as?.as);
  const opened = { ...(await openContainer(config)), contexts: new ContextCache(), searches: new SearchCache() };
  // What cannot be written later on is told by the next call, or by `close`.
  const log = new AuditLog({ ...auditPlaceOf(config), flushMs: AUDIT_FLUSH_MS, onFailure: () => undefined });
  const signal = options.signal ?? new AbortController().signal;
  const progress = options.onProgress ?? (() => undefined);

  async function run<I extends z.ZodType, O extends z.ZodType>(
    entry: Operation<I, O>,
    request: object,
    how: { readonly client: string; readonly index: Freshness },
  ): Promise<z.output<O>> {
    const { narrowing, rest } = split(request);
    const caller = { workload: WORKLOAD, defaultClient: how.client };
    const library = await withCurrentPolicy(opened);
    const asked: Narrowing = { ...narrowing, ...(options.as === undefined ? {} : { within: options.as }) };
    const at = library.clock.now();
    const ask = askOrRecord(library.config, asked, entry.name, (each) => resolveAsk(library.config, each, caller, at));
    const call: Call = { library, ask, signal, progress };
    const input = checkInput(entry, rest);
    const { standing } = await ensureIndexed(call, how.index);
    const about = { surface: 'library', verb: entry.name, input, ask: call.ask } as const;
    return withStanding(await audited({ log, config: library.config }, about, () => entry.run(input, call)), standing);
  }

  /** Who asks for more than is held is refused, and that is recorded like what is answered (OBS-04). */
  function askOrRecord(config: LibraryConfig, asked: Narrowing, verb: string, resolve: (each: Narrowing) => Ask): Ask {
    try {
      return resolve(asked);
    } catch (error) {
      if (error instanceof Fault && error.kind === 'denied') {
        const principal = principalHeld(config, asked);
        const who = { principal, workload: WORKLOAD, tenant: tenantHeld(asked, resolve), purpose: '' };
        recordFailure({ log, config }, { who, surface: 'library', verb }, error);
      }
      throw error;
    }
  }

  const reading = { client: OWN_PROGRAM, index: 'present' } as const;
  const looking = { client: OWN_PROGRAM, index: 'untouched' } as const;
  return {
    index: (request = {}) => run(indexSources, request, { client: OWN_PROGRAM, index: 'untouched' }),
    search: (request) => run(search, named(request, 'query'), reading),
    get: (request) => run(get, named(request, 'path'), reading),
    context: (request) => run(context, named(request, 'query'), { client: SOME_AGENT, index: 'present' }),
    gate: (request) => run(gate, request, { client: SOME_AGENT, index: 'untouched' }),
    citationsCheck: (request) => run(citationsCheck, named(request, 'text'), { client: OWN_PROGRAM, index: 'untouched' }),
    status: (request = {}) => run(status, request, { client: OWN_PROGRAM, index: 'untouched' }),
    packages: {
      list: (request = {}) => run(packageList, request, looking),
      show: (request) => run(packageShow, named(request, 'name'), looking),
      verify: (request) => run(packageVerify, named(request, 'name'), reading),
      check: (request) => run(packageCheck, named(request, 'name'), reading),
      diff: (request) => run(packageDiff, request, looking),
      bind: (request) => run(packageBind, named(request, 'name'), reading),
      export: (request) => run(packageExport, named(request, 'name'), looking),
      replay: (request) => run(packageReplay, named(request, 'name'), looking),
    },
    vocabulary: {
      check: (request = {}) => run(vocabularyCheck, request, looking),
      show: (request = {}) => run(vocabularyShow, named(request, 'name'), looking),
    },
    close: async () => {
      try {
        // Of lines that wait the answers are out already: in a team their loss must not pass unseen.
        if (config.profile === 'team') log.flush();
        else log.close();
      } finally {
        await opened.close();
      }
    },
  };
}

function named(request: string | object, field: string): object {
  return typeof request === 'string' ? { [field]: request } : request;
}

function split(request: object): { readonly narrowing: Narrowing; readonly rest: object } {
  const { as, tenant, purpose, ceiling, groups, client, freshnessCritical, ...rest } = request as Narrowing & Record<string, unknown>;
  const given = Object.entries({ as, tenant, purpose, ceiling, groups, client, freshnessCritical }).filter(
    ([, value]) => value !== undefined,
  );
  const narrowing: Narrowing = Object.fromEntries(given);
  checkNarrowing(narrowing);
  return { narrowing, rest };
}

const OPTIONS = ['root', 'as', 'onProgress', 'signal'];

/** A program may be written without types: what it meant to narrow must not be passed over. */
function checkOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null)
    throw new Fault('input/invalid', { field: 'What openLibrary is given', expected: "an object such as { root: './docs' }" });
  const unknown = Object.keys(options).find((each) => !OPTIONS.includes(each));
  if (unknown !== undefined) throw new Fault('input/invalid', { field: unknown, expected: `left out; there is ${OPTIONS.join(', ')}` });
  const { root } = options as { readonly root?: unknown };
  if (typeof root !== 'string' || root === '') throw new Fault('input/invalid', { field: 'root', expected: 'the path of a folder' });
  if ('as' in options) checkNarrowing(options.as, 'as');
}

function requireKnown(config: LibraryConfig, person: string | undefined): void {
  if (person === undefined || rightsOf(config, person) !== undefined) return;
  const fault = new Fault('input/invalid', { field: 'as.as', expected: 'a person who is given rights here' });
  deniedOnce(config, { surface: 'library', workload: WORKLOAD, tenant: '' }, fault);
  throw fault;
}
