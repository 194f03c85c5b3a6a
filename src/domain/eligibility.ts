/**
 * Eligibility: may this requester see this compartment at all?
 *
 * A compartment is plain data, so every store can push the decision down. `judge` is the meaning they all share: the contract
 * suite compares each store with it on generated libraries.
 *
 * Invariant: decided before ranking, and blind to text, scores and embeddings.
 * Invariant: closed by default; rules only ever deny, and a missing fact denies.
 * Invariant: only src/domain/seal-eligible.ts makes an EligibleSet, and only src/retrieval/eligible.ts may import it (dependency table).
 */

import { admits } from './classification.js';
import type { Compartment } from './compartment.js';
import { OWNER_ONLY } from './compartment.js';
import type { Ask } from './requester.js';
import { isServing, type SourceStanding } from './source.js';
import type { WithheldPage } from './withheld.js';

/** What the registry and the policy know about a compartment at the time of asking. */
export interface CompartmentFacts {
  readonly compartment: Compartment;
  readonly source: SourceStanding | undefined;
  /** The groups its permissions ref names; undefined when the ref does not resolve. */
  readonly readers: readonly string[] | undefined;
}

/** Why a compartment is withheld, in the order the rules run. For operators and audit only, never for the requester. */
export const DENIALS = [
  'source-not-serving',
  'source-overdue',
  'other-tenant',
  'purpose-not-allowed',
  'above-ceiling',
  'no-grant',
  'egress-blocked',
] as const;
export type Denial = (typeof DENIALS)[number];
export type Verdict = { readonly eligible: true } | { readonly eligible: false; readonly denial: Denial };

type Rule = (facts: CompartmentFacts, ask: Ask) => boolean;

/** What must hold; the key says what it means when it does not. */
const RULES: Readonly<Record<Denial, Rule>> = {
  'source-not-serving': ({ source }, { at }) => source !== undefined && isServing(source, at),
  'source-overdue': ({ source }, ask) => !ask.freshnessCritical || (source !== undefined && isFresh(source, ask)),
  'other-tenant': ({ compartment }, { requester }) => compartment.tenants.includes(requester.tenant),
  'purpose-not-allowed': ({ compartment }, { requester }) => compartment.purposes.includes(requester.purpose),
  'above-ceiling': ({ compartment }, { requester }) => admits(requester.ceiling, compartment.classification),
  'no-grant': hasGrant,
  'egress-blocked': ({ compartment }, { requester }) => compartment.egress === 'any' || requester.client.locality === 'local',
};

/** The first failing rule names the denial; later rules are not consulted. */
export function judge(facts: CompartmentFacts, ask: Ask): Verdict {
  const denial = DENIALS.find((name) => !RULES[name](facts, ask));
  return denial === undefined ? { eligible: true } : { eligible: false, denial };
}

/** Whether one rule holds, whatever the others say: for explanations to operators. */
export function ruleHolds(rule: Denial, facts: CompartmentFacts, ask: Ask): boolean {
  return RULES[rule](facts, ask);
}

function hasGrant({ compartment, source, readers }: CompartmentFacts, { requester }: Ask): boolean {
  if (compartment.permissionsRef === OWNER_ONLY) return source !== undefined && requester.groups.has(`owner:${source.owner}`);
  return readers?.some((group) => requester.groups.has(group)) ?? false;
}

function isFresh(source: SourceStanding, ask: Ask): boolean {
  return source.state === 'active' && source.confirmedAt !== undefined && ask.at - source.confirmedAt <= source.freshnessSloMs;
}

declare const sealed: unique symbol;

/** What one request may read: compartments, sorted by key, less the pages withheld. Every read of content takes one. */
export interface EligibleSet {
  readonly [sealed]: true;
  readonly compartments: readonly Compartment[];
  readonly keys: ReadonlySet<string>;
  /** Pages of these compartments' sources that nobody may read, in the order of `byPlace`; none of the others' is named. */
  readonly withheld: readonly WithheldPage[];
}
