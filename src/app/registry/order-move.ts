/**
 * An order to move a source: who gives it, who signed it, what is known of the source; judged and recorded in one step.
 *
 * Invariant: whoever bears no part in moving sources is told the same of a source that is there and of one that is not (ATH-06).
 * Invariant: an order that is refused is recorded like one that is carried out, and changes nothing.
 */

import type { SignedApproval } from '../../domain/signed-approval.js';
import { signerOf } from '../../domain/signed-approval.js';
import type { SourceEvent, SourceRegistration, SourceState } from '../../domain/source.js';
import { type MoveFacts, type MoveOrder, mayOperate, ruleOnMove } from '../../domain/source-moves.js';
import type { SourceRecord, StatedBy, StateEvent } from '../../domain/source-record.js';
import type { Instant } from '../../kernel/clock.js';
import { Fault } from '../../kernel/errors.js';
import { gapScan, isClean } from '../../sources/gap-scan.js';
import { registrationDigest } from '../../sources/register.js';
import { CONFIG_NAME } from '../configuration/config.js';
import type { Library } from '../library.js';
import type { Call } from '../operations/catalogue.js';
import { policyOf } from '../policy/resolve-policy.js';

export interface OrderedMove {
  readonly source: string;
  readonly event: SourceEvent;
  readonly reason: string;
  readonly key?: string | undefined;
  readonly expectedVersion?: number | undefined;
  readonly approvals: readonly SignedApproval[];
  readonly retiresAt?: Instant | undefined;
  readonly successor?: string | undefined;
  readonly evidence?: string | undefined;
  readonly falseSignal?: boolean | undefined;
  readonly deletionRequest?: string | undefined;
}

export async function orderMove(call: Call, order: OrderedMove): Promise<StateEvent> {
  const { library, ask } = call;
  const { registry } = library.records;
  const policy = policyOf(library.config);
  const actor = ask.requester.principal;
  const record = await recordNow(call, order);
  if (record !== undefined && !isBearer(call, record)) await noteStranger(call, order);
  requireBearer(call, record);
  if (record === undefined) throw new Fault('source/unknown', { sourceId: order.source });
  const registration = await declaredAs(library, record);
  const known = await knownOf(library, order, record, registration, call.signal);
  const signed = signersOf(order, record, ask.at, policy.keys);
  const { key, expectedVersion, event, source, reason, approvals: _, ...terms } = order;
  const made = await registry.command(
    {
      source,
      event,
      by: statedBy(call, reason),
      at: ask.at,
      ...(key === undefined ? {} : { key }),
      ...(expectedVersion === undefined ? {} : { expectedVersion }),
      terms,
    },
    (held, history) => {
      // What was signed and looked at is one version of the source; another one is judged anew.
      if (held.version !== record.version)
        return { made: false, detail: { why: 'version', said: 'the source was changed by somebody else at the same moment' } };
      const move: MoveOrder = { event, actor, reason, at: ask.at, signers: signed.people, ...terms };
      const digest = known.contentDigest ?? '';
      const facts = factsOf(library, { ...held, registration, known, unchanged: digest === suspendedAs(history) });
      const ruling = ruleOnMove(move, facts);
      const told = { row: ruling.row, ...present(terms), ...(signed.faults.length === 0 ? {} : { approvalsRefused: signed.faults }) };
      if (!ruling.made) return { made: false, detail: { ...told, why: ruling.why, said: [ruling.detail, ...signed.faults].join('; ') } };
      const { to, people, selfApproved } = ruling;
      const retiring = event === 'retire' && order.retiresAt !== undefined ? { retiresAt: order.retiresAt } : {};
      return {
        made: true,
        to,
        ...retiring,
        detail: { ...told, people, selfApproved, contentDigest: digest, profile: library.config.profile },
      };
    },
  );
  if (made.outcome === 'refused') throw refusalOf(made);
  return made;
}

/**
 * What is approved is what is declared now: a declaration that was changed since it was registered is registered first, which is a new
 * version of the source, and voids what was signed and expected of the one before.
 */
async function recordNow(call: Call, { source, event }: OrderedMove): Promise<SourceRecord | undefined> {
  const { registry } = call.library.records;
  const find = async () => (await registry.records()).find(({ id }) => id === source);
  const record = await find();
  const declared = call.library.config.sources.find(({ id }) => id === source);
  if (event !== 'approve' || record === undefined || declared === undefined || !isBearer(call, record)) return record;
  if (registrationDigest(declared) === record.registrationDigest) return record;
  const { declarationOf } = await import('../learning/learn.js');
  // Who merged the declaration proposed it, not who approves it now.
  const by = { ...statedBy(call, 'declared anew before it was approved'), actor: CONFIG_NAME };
  await registry.register(declarationOf(declared), call.ask.at, by);
  return find();
}

/** An order is a person's: an agent proposes and no more. Whoever holds nothing learns nothing, not even which sources there are. */
export function requireBearer({ library, ask }: Pick<Call, 'library' | 'ask'>, record: Pick<SourceRecord, 'proposer'> | undefined): void {
  if (!isBearer({ library, ask }, record)) throw new Fault('source/not-allowed', { asked: 'Moving sources' });
}

export function isBearer({ library, ask }: Pick<Call, 'library' | 'ask'>, record: Pick<SourceRecord, 'proposer'> | undefined): boolean {
  const { principal } = ask.requester;
  return principal.startsWith('person:') && (mayOperate(principal, policyOf(library.config)) || record?.proposer === principal);
}

async function noteStranger({ library, ask }: Call, { source, event, reason }: OrderedMove): Promise<void> {
  const order = { source, event, by: statedBy({ library, ask }, reason), at: ask.at, terms: {} };
  await library.records.registry.command(order, () => ({ made: false, detail: { why: 'role', said: 'whoever ordered it bears no role' } }));
}

export function statedBy({ library, ask }: Pick<Call, 'library' | 'ask'>, reason: string): StatedBy {
  const { principal, workload } = ask.requester;
  return { actor: principal, workload, reason, policy: policyOf(library.config).version };
}

function refusalOf({ source, event, detail }: StateEvent): Fault {
  const said = typeof detail['said'] === 'string' ? detail['said'] : 'it is not allowed';
  if (detail['why'] === 'role') return new Fault('source/not-allowed', { asked: `To ${event} ${source}`, said });
  return new Fault('source/refused', { source, event, said });
}

/** As colophon.yaml declares it now, or as it was declared last. */
async function declaredAs({ config, records }: Library, { id }: SourceRecord): Promise<Partial<SourceRegistration>> {
  const now = config.sources.find((each) => each.id === id);
  return now ?? ((await records.registry.registrations(id)).at(-1)?.declared as Partial<SourceRegistration> | undefined) ?? {};
}

interface Known {
  readonly caughtUp: boolean;
  readonly contentDigest: string | undefined;
}

/** What the index knows of it; a gap scan is made only for the moves that ask for one. */
async function knownOf(
  library: Library,
  { event, source }: OrderedMove,
  record: SourceRecord,
  registration: Partial<SourceRegistration>,
  signal: AbortSignal,
): Promise<Known> {
  const checkpoint = (await checkpointsOf(library)).find((each) => each.source === source);
  const known = { contentDigest: checkpoint?.contentDigest, caughtUp: false };
  if ((event !== 'activate' && event !== 'recover') || checkpoint?.walk !== 'complete' || record.confirmedAt === undefined) return known;
  return { ...known, caughtUp: await hasNoGaps(library, registration, signal) };
}

async function checkpointsOf({ reader }: Library) {
  try {
    return await reader.checkpoints();
  } catch (error) {
    if (error instanceof Fault && error.code === 'index/not-built') return [];
    throw error;
  }
}

async function hasNoGaps(library: Library, registration: Partial<SourceRegistration>, signal: AbortSignal): Promise<boolean> {
  const declared = library.config.sources.find(({ id }) => id === registration.id);
  if (declared === undefined) return false;
  const listing = await library.connector(declared.location.connector).list(declared, signal);
  const writer = await library.writer(`source command, process ${process.pid}`);
  try {
    const accountedFor = new Set((await library.reader.problems(declared.id)).map(({ path }) => path));
    return listing.walk === 'complete' && isClean(gapScan(listing, await writer.known(declared.id), accountedFor));
  } finally {
    await writer.release();
  }
}

/** The content digest that was held when it was suspended last. */
function suspendedAs(history: readonly StateEvent[]): string | undefined {
  const last = history.findLast(({ event, outcome }) => event === 'suspend' && outcome === 'made');
  const digest = last?.detail['contentDigest'];
  return typeof digest === 'string' ? digest : undefined;
}

interface Held extends Pick<SourceRecord, 'owner' | 'proposer' | 'retiresAt'> {
  readonly state: SourceState;
  readonly registration: Partial<SourceRegistration>;
  readonly known: Known;
  readonly unchanged: boolean;
}

/** What cannot be told of an old declaration counts as the strictest. */
function factsOf({ config }: Library, { state, owner, proposer, retiresAt, registration, known, unchanged }: Held): MoveFacts {
  return {
    profile: config.profile,
    policy: policyOf(config),
    state,
    owner,
    proposer,
    classification: registration.classification ?? 'restricted',
    authorityClass: registration.authorityClass ?? 'governing',
    retentionPolicy: registration.retentionPolicy ?? '',
    legalHold: registration.legalHold === true,
    retiresAt,
    caughtUp: known.caughtUp,
    unchanged,
  };
}

function signersOf(
  { approvals, source, event }: OrderedMove,
  { version, registrationDigest: registration }: SourceRecord,
  at: Instant,
  keys: Readonly<Record<string, readonly string[]>>,
) {
  const read = approvals.map((approval) => signerOf(approval, { source, event, version, registration, at, keys }));
  return {
    people: read.flatMap((each) => ('person' in each ? [each.person] : [])),
    faults: read.flatMap((each) => ('fault' in each ? [`an approval does not count: ${each.fault}`] : [])),
  };
}

function present(terms: object): object {
  return Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined));
}
