/**
 * Runs an operation and writes one line of what came of it to the audit log: the same for every surface.
 *
 * Invariant: in profile `team` nothing is answered that could not be recorded; in `personal` the answer says so instead.
 */
import type { Problem } from '../../domain/problem.js';
import type { Ask } from '../../domain/requester.js';
import { type Digest, digestOf, sha256 } from '../../kernel/digest.js';
import { Fault, type FaultKind } from '../../kernel/errors.js';
import { withStanding } from '../learning/ensure-indexed.js';
import type { LibraryConfig } from '../library.js';
import type { AuditLog } from './audit-log.js';
import type { AuditEvent, AuditOutcome, AuditWho } from './audit-record.js';

export interface Audited {
  readonly surface: AuditEvent['surface'];
  readonly verb: string;
  readonly input: unknown;
  readonly ask: Pick<Ask, 'requester'>;
  readonly request?: string;
}

/** What a surface records with; `config` tells by which rules was decided. */
export interface Recorder {
  readonly log: Pick<AuditLog, 'add' | 'queryDigest'>;
  readonly config: LibraryConfig;
}

export async function audited<T>(recorder: Recorder, about: Audited, run: () => Promise<T>): Promise<T> {
  const { log, config } = recorder;
  const base = {
    ...whoOf(about.ask),
    surface: about.surface,
    verb: about.verb,
    policy: policyOf(config),
    ...queryOf(about.input, log),
    ...(about.request === undefined ? {} : { request: about.request }),
  };
  let answer: T;
  try {
    answer = await run();
  } catch (error) {
    // Nothing was answered; what went wrong first is what is told.
    write(log, { ...base, ...failed(error) });
    throw error;
  }
  const unwritten = write(log, { ...base, ...answered(answer) });
  if (unwritten === undefined) return answer;
  if (config.profile === 'team') throw unwritten;
  return withStanding(answer, NOT_WRITTEN);
}

function write(log: Recorder['log'], event: AuditEvent): Fault | undefined {
  try {
    log.add(event);
    return undefined;
  } catch (error) {
    if (error instanceof Fault && error.code === 'audit/unwritable') return error;
    throw error;
  }
}

const NOT_WRITTEN: Problem = {
  code: 'audit/not-written',
  severity: 'info',
  source: '',
  path: '',
  message: 'This answer is not in the audit log: it cannot be written.',
  hint: 'Free the library’s state folder and the user’s own for writing.',
};

/** Work that nobody asked for, under the identity of the job alone. A run that found nothing new is not written down. */
export async function recordJob<T extends { readonly writes: number }>(
  { log, config }: Recorder,
  { verb, workload }: { readonly verb: string; readonly workload: string },
  run: () => Promise<T>,
): Promise<T> {
  const base = { principal: workload, workload, tenant: '', purpose: '', surface: 'job' as const, verb, policy: policyOf(config) };
  try {
    const report = await run();
    if (report.writes > 0) write(log, { ...base, outcome: 'allowed' });
    return report;
  } catch (error) {
    // Another process is at the same work: nothing was done here.
    if (!(error instanceof Fault && error.code === 'index/busy')) write(log, { ...base, ...failed(error) });
    throw error;
  }
}

/** Of a request that got as far as a name, or not even there. */
export function recordFailure(
  { log, config }: Recorder,
  about: Omit<Audited, 'ask' | 'input'> & { readonly who: AuditWho },
  error: unknown,
): void {
  const { who, surface, verb, request } = about;
  write(log, { ...who, surface, verb, policy: policyOf(config), ...(request === undefined ? {} : { request }), ...failed(error) });
}

export function whoOf({ requester }: Pick<Ask, 'requester'>): AuditWho {
  const { principal, workload, tenant, purpose } = requester;
  return { principal, workload, tenant, purpose };
}

const policies = new WeakMap<LibraryConfig, string>();

/** Rights and rules as they were declared when the library was opened. */
export function policyOf(config: LibraryConfig): string {
  const known = policies.get(config);
  if (known !== undefined) return known;
  if (config.policy !== undefined) return config.policy.version.slice(0, 16);
  const { permissions, identity, people, gate, context } = config;
  const plain = JSON.parse(JSON.stringify({ permissions, identity, people, gate, context }));
  const digest = digestOf(plain).slice(0, 16);
  policies.set(config, digest);
  return digest;
}

const OUTCOME_OF: Readonly<Record<FaultKind, AuditOutcome>> = {
  denied: 'denied',
  'not-found': 'absent',
  invalid: 'refused',
  conflict: 'failed',
  unavailable: 'failed',
  corrupt: 'failed',
};

function failed(error: unknown): Pick<AuditEvent, 'outcome' | 'code'> {
  return error instanceof Fault
    ? { outcome: OUTCOME_OF[error.kind], code: error.code }
    : { outcome: 'failed', code: 'internal/unexpected' };
}

function answered(answer: unknown): Pick<AuditEvent, 'outcome' | 'artifacts' | 'package'> {
  const found = artifactsIn(answer);
  const { status, digest, hits } = (typeof answer === 'object' && answer !== null ? answer : {}) as Readonly<Record<string, unknown>>;
  const outcome =
    status === 'blocked' ? 'blocked' : status === 'no_context' || (Array.isArray(hits) && hits.length === 0) ? 'nothing' : 'allowed';
  return {
    outcome,
    ...(found.length === 0 ? {} : { artifacts: { count: found.length, digest: sha256(found.join('\n')).slice(0, 32) as Digest } }),
    ...(typeof digest === 'string' && /^[0-9a-f]{64}$/.test(digest) ? { package: digest } : {}),
  };
}

/** Where answers name what they give: hits, items and the segments of a page. What was left out is not among them. */
const GIVEN = ['hits', 'items', 'segments'] as const;

function artifactsIn(answer: unknown): readonly string[] {
  if (typeof answer !== 'object' || answer === null) return [];
  const given = GIVEN.flatMap((field) => {
    const list = (answer as Readonly<Record<string, unknown>>)[field];
    return Array.isArray(list) ? list : [];
  });
  const ids = given.map((each) => (each as { readonly artifact?: unknown } | null)?.artifact).filter((id) => typeof id === 'string');
  return [...new Set(ids)].sort();
}

function queryOf(input: unknown, log: Recorder['log']): Pick<AuditEvent, 'query'> {
  if (typeof input !== 'object' || input === null) return {};
  const { query, path, name, page } = input as Readonly<Record<string, unknown>>;
  const asked = [query, path, page, name].find((each) => typeof each === 'string' && each !== '');
  const digest = typeof asked === 'string' ? log.queryDigest(asked) : undefined;
  return digest === undefined ? {} : { query: digest };
}
