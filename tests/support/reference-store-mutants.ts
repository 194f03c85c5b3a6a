/**
 * MUTANTS, for proofs only: ways of getting permission wrong that look right. The non-interference proof must catch each of them,
 * or it proves nothing.
 */
import type { Compartment } from '../../src/domain/compartment.js';
import type { EligibleSet } from '../../src/domain/eligibility.js';
import { sealEligible } from '../../src/domain/seal-eligible.js';
import type { Instant } from '../../src/kernel/clock.js';
import { canonicalJson } from '../../src/kernel/digest.js';
import type { IndexReader, IndexSnapshot, LexicalAnswer } from '../../src/ports/index-reader.js';

/** How a store would answer if it were wrong in one way. */
type Mutant = (snapshot: IndexSnapshot) => Partial<IndexSnapshot>;

/** Statistics of the whole table, hits filtered to the permitted ones (what a shared full-text index does). */
const globalStatistics: Mutant = (snapshot) => ({
  lexical: async (eligible, query) => {
    const answer = await snapshot.lexical(await everything(snapshot), { ...query, limit: 10_000 });
    const permitted = await permittedIds(snapshot, eligible, answer);
    const own = await snapshot.lexical(eligible, query);
    return { ...own, hits: answer.hits.filter((hit) => permitted.has(hit.artifact)).slice(0, query.limit) };
  },
});

/** Takes the best k of everything, then drops what is not permitted. */
const takeThenFilter: Mutant = (snapshot) => ({
  lexical: async (eligible, query) => {
    const own = await snapshot.lexical(eligible, { ...query, limit: 10_000 });
    const scores = new Map(own.hits.map((hit) => [hit.artifact, hit]));
    const answer = await snapshot.lexical(await everything(snapshot), query);
    return { ...own, hits: answer.hits.flatMap((hit) => scores.get(hit.artifact) ?? []) };
  },
});

/** One dictionary for all: how often a word occurs is counted over hidden compartments too; everything else is right. */
const globalDictionary: Mutant = (snapshot) => ({
  frequencies: async (_, query) => snapshot.frequencies(await everything(snapshot), query),
  lexical: async (eligible, query) => {
    const { frequencies } = await snapshot.lexical(await everything(snapshot), query);
    return { ...(await snapshot.lexical(eligible, query)), frequencies };
  },
});

/** Spelling is looked up in the words of all pages, hidden ones too; what the word finds is honest. */
const globalSpelling: Mutant = (snapshot) => ({
  near: async (_, words, limit) => snapshot.near(await everything(snapshot), words, limit),
});

/** Says how many pages there are, not how many the asker may see. */
const countsOfEverything: Mutant = (snapshot) => ({
  counts: async () => snapshot.counts(await everything(snapshot)),
});

/** Names, versions and links of hidden pages are known, though their text is not. */
const linksOfEverything: Mutant = (snapshot) => ({
  links: async (eligible, page) => {
    await snapshot.links(eligible, page);
    return snapshot.links(await everything(snapshot), page);
  },
});

/** Remembers answers by their question alone; a person who may see everything asked it first. */
const cacheWithoutEligibleSet: Mutant = (snapshot) => {
  const remembered = new Map<string, LexicalAnswer>();
  return {
    lexical: async (_, query) => {
      const key = canonicalJson({ ...query, limit: 0 });
      const known = remembered.get(key) ?? (await snapshot.lexical(await everything(snapshot), query));
      remembered.set(key, known);
      return known;
    },
  };
};

export const MUTANTS: readonly (readonly [string, Mutant])[] = [
  ['global statistics', globalStatistics],
  ['take k, then filter', takeThenFilter],
  ['a dictionary for all', globalDictionary],
  ['spelling learnt from all', globalSpelling],
  ['counts of everything', countsOfEverything],
  ['links of everything', linksOfEverything],
  ['a cache keyed without the eligible set', cacheWithoutEligibleSet],
];

export function mutated(snapshot: IndexSnapshot, mutant: Mutant): IndexSnapshot {
  const changed: Partial<IndexSnapshot> = mutant(snapshot);
  return new Proxy(snapshot, {
    get: (target, name) => {
      const own: unknown = Reflect.get(changed, name);
      const value: unknown = own ?? Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(own === undefined ? target : changed) : value;
    },
  });
}

export function mutatedReader(reader: IndexReader, mutant: Mutant): IndexReader {
  return new Proxy(reader, {
    get: (target, name) => {
      if (name === 'snapshot') return async () => mutated(await target.snapshot(), mutant);
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** A set that holds every compartment, as no request could get one: each is judged as if it were open to all. */
export function allOf(compartments: readonly Compartment[]): EligibleSet {
  const facts = compartments.map((each) => ({
    compartment: { ...each, tenants: ['all'], purposes: ['all'], classification: 'public', permissionsRef: 'all', egress: 'any' } as const,
    source: { id: each.source, state: 'active', owner: 'role:docs', freshnessSloMs: 1 } as const,
    readers: ['all'],
  }));
  return sealEligible(facts, {
    at: 0 as Instant,
    freshnessCritical: false,
    requester: {
      principal: 'person:everyone',
      workload: 'workload://test',
      tenant: 'all',
      purpose: 'all',
      groups: new Set(['all']),
      ceiling: 'restricted',
      client: { name: 'test', locality: 'local' },
    },
  });
}

async function everything(snapshot: IndexSnapshot): Promise<EligibleSet> {
  return allOf(await snapshot.compartments());
}

async function permittedIds(snapshot: IndexSnapshot, eligible: EligibleSet, answer: LexicalAnswer): Promise<ReadonlySet<string>> {
  const { artifacts } = await snapshot.artifacts(
    eligible,
    answer.hits.map((hit) => hit.artifact),
  );
  return new Set(artifacts.map((artifact) => artifact.id));
}
