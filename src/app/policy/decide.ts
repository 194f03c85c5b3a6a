/**
 * What the policy decides about one principal and one page, rule by rule: for operators and for the tests beside a policy.
 *
 * It goes the way a request goes: rights of the principal, the narrowed ask, the page's compartment, then the rules of `judge`.
 *
 * Invariant: says why; so it is never part of an answer to a requester, for whom forbidden and absent are the same.
 */
import { type Compartment, refsOf } from '../../domain/compartment.js';
import { type CompartmentFacts, DENIALS, type Denial, judge, ruleHolds } from '../../domain/eligibility.js';
import { readersFor } from '../../domain/policy.js';
import type { Ask } from '../../domain/requester.js';
import type { SourceStanding } from '../../domain/source.js';
import type { Instant } from '../../kernel/clock.js';
import { Fault } from '../../kernel/errors.js';
import { type Narrowing, resolveAsk } from '../identity.js';
import type { LibraryConfig } from '../library.js';

export interface WhoAsks extends Pick<Narrowing, 'tenant' | 'purpose' | 'ceiling' | 'client' | 'freshnessCritical'> {
  readonly principal: string;
  /** Who asks on its behalf. */
  readonly via?: string | undefined;
  /** As a question to this library is asked: by its own identity, with what colophon.yaml leaves it, on behalf of the principal. */
  readonly here?: true;
}

export interface Step {
  readonly rule: Denial | 'not-held';
  readonly holds: boolean;
  readonly because: string;
}

export interface Decision {
  readonly allowed: boolean;
  /** The first rule that does not hold. */
  readonly denial: Denial | 'not-held' | undefined;
  readonly steps: readonly Step[];
}

/** Each principal as the policy knows it, whatever this process may do itself, unless it is asked `here`. */
export function asks(config: LibraryConfig, { principal, via, here, ...narrowing }: WhoAsks, at: Instant): Ask | string {
  const first = via ?? principal;
  const people = withSelf(config);
  const known = Object.hasOwn(people, first) ? people[first] : undefined;
  const rights = here === true && first === config.identity.principal ? config.identity : known;
  if (rights === undefined) return `${first} is nobody the policy knows`;
  const held = { identity: { principal: first, ...rights }, people, clients: config.clients };
  try {
    return resolveAsk(held, { ...narrowing, as: principal }, { workload: 'workload://colophon/policy', defaultClient: 'terminal' }, at);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'access/denied') throw error;
    const { asked } = (error as Fault<'access/denied'>).data;
    return `${asked} is more than ${via === undefined ? `${principal} holds` : `${via} and ${principal} both hold`}`;
  }
}

function withSelf({ people, identity }: LibraryConfig): NonNullable<LibraryConfig['people']> {
  return { [identity.principal]: identity, ...people };
}

export function decide(
  config: LibraryConfig,
  ask: Ask | string,
  facts: Pick<CompartmentFacts, 'compartment' | 'source'>,
  via?: string,
): Decision {
  if (typeof ask === 'string') return { allowed: false, denial: 'not-held', steps: [{ rule: 'not-held', holds: false, because: ask }] };
  const { compartment } = facts;
  const readers = readersFor(ask, compartment.permissionsRef, config.permissions);
  const whole: CompartmentFacts = { ...facts, readers };
  const verdict = judge(whole, ask);
  const steps = DENIALS.map((rule): Step => {
    const holds = ruleHolds(rule, whole, ask);
    const lost = rule === 'no-grant' && !holds && via !== undefined ? lostThrough(via, config, compartment, ask) : '';
    return { rule, holds, because: `${because(rule, whole, ask)}${lost}` };
  });
  return { allowed: verdict.eligible, denial: verdict.eligible ? undefined : verdict.denial, steps };
}

function because(rule: Denial, { compartment, source, readers }: CompartmentFacts, { requester, at, freshnessCritical }: Ask): string {
  switch (rule) {
    case 'source-not-serving':
      return source === undefined ? `${compartment.source} is not registered` : `${source.id} is ${source.state}${endOf(source)}`;
    case 'source-overdue':
      return freshnessCritical ? `a freshness-critical request; ${seen(source, at)}` : 'the request is not freshness-critical';
    case 'other-tenant':
      return `asked in tenant ${requester.tenant}; the page is for ${compartment.tenants.join(', ')}`;
    case 'purpose-not-allowed':
      return `asked for ${requester.purpose}; the page allows ${compartment.purposes.join(', ')}`;
    case 'above-ceiling':
      return `the ceiling is ${requester.ceiling}; the page is ${compartment.classification}`;
    case 'no-grant':
      return granted(compartment, readers, requester);
    case 'egress-blocked':
      return `the answer goes to a ${requester.client.locality} client; the page’s egress is ${compartment.egress}`;
  }
}

/** What the principal holds itself and whoever asks for it does not: a delegation only narrows (ATH-03). */
function lostThrough(via: string, config: LibraryConfig, { permissionsRef }: Compartment, ask: Ask): string {
  const { requester } = ask;
  const { principal } = requester;
  const people = withSelf(config);
  const own = Object.hasOwn(people, principal) ? (people[principal]?.groups ?? []) : [];
  const alone: Ask = { ...ask, requester: { ...requester, groups: new Set(own) } };
  for (const ref of refsOf(permissionsRef)) {
    const [held] = readersFor(alone, ref, config.permissions) ?? [];
    if (held === undefined || (readersFor(ask, ref, config.permissions) ?? []).length > 0) continue;
    const whom = held === principal ? `${principal} by name` : held;
    return `; ${ref} is granted to ${whom}, which ${via}, who asks for ${principal}, does not hold, and only what both hold counts`;
  }
  return '';
}

function granted({ permissionsRef }: Compartment, readers: readonly string[] | undefined, { groups }: Ask['requester']): string {
  if (readers === undefined) return `the permissions ref ${permissionsRef} leads nowhere, or is granted to the owner alone`;
  const held = readers.find((each) => groups.has(each));
  return held === undefined
    ? `${permissionsRef} is granted to ${groups.size === 0 ? 'nobody without a group' : `nobody of ${[...groups].join(', ')}`}, at this time`
    : `${permissionsRef} is granted to ${held}`;
}

function endOf({ state, retiresAt }: SourceStanding): string {
  return state === 'retiring' && retiresAt !== undefined ? ` until ${new Date(retiresAt).toISOString()}` : '';
}

function seen(source: SourceStanding | undefined, at: Instant): string {
  if (source?.confirmedAt === undefined) return 'no complete walk has confirmed the source yet';
  return `confirmed ${Math.round((at - source.confirmedAt) / 60_000)} minutes ago, its limit is ${Math.round(source.freshnessSloMs / 60_000)}`;
}
