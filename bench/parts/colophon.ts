/** The compartment index, through its public readers and writers. */
import { openIndexReader } from '../../src/adapters/stores/sqlite/index-reader.js';
import { openIndexWriter } from '../../src/adapters/stores/sqlite/index-writer.js';
import type { EligibleSet } from '../../src/domain/eligibility.js';
import type { QueryTerm } from '../../src/domain/query.js';
import { DEFAULT_RANKING } from '../../src/domain/ranking-policy.js';
import type { Day } from '../../src/kernel/clock.js';
import type { IndexReader, LexicalQuery } from '../../src/ports/index-reader.js';
import { type Builder, type Contender, LIMIT, type Question } from './contender.js';
import { eligibleGroups, NOW, SOURCE } from './pages.js';

const MANIFEST = { analyzer: 'bench', segmenter: 'bench', embedder: 'none' };
const clock = { now: () => NOW };

export async function colophonBuilder(file: string): Promise<Builder> {
  const writer = await openIndexWriter({ file, clock, holder: 'bench', manifest: MANIFEST });
  return {
    add: async (pages) => {
      await writer.apply({ source: SOURCE, transformation: 'bench', upserts: pages.map((prepared) => ({ prepared })), removals: [] });
    },
    finish: () => writer.release(),
  };
}

export function lexicalQuery(terms: readonly QueryTerm[], limit = LIMIT): LexicalQuery {
  return { terms, scope: {}, policy: DEFAULT_RANKING, stemming: {}, today: '2026-06-15' as Day, limit };
}

/**
 * One reader for all questions. Who may see what is decided once for each number of groups, as it is for FTS5, and timed apart;
 * each question takes a snapshot of its own.
 */
export class Colophon implements Contender {
  readonly name = 'Colophon';
  readonly #reader: IndexReader;
  readonly #eligible = new Map<number, EligibleSet>();

  constructor(file: string) {
    this.#reader = openIndexReader({ file, clock });
  }

  async ask({ terms }: Question, groups: number): Promise<number> {
    const snapshot = await this.#reader.snapshot();
    let eligible = this.#eligible.get(groups);
    if (eligible === undefined) {
      eligible = eligibleGroups(await snapshot.compartments(), groups);
      this.#eligible.set(groups, eligible);
    }
    const { hits } = await snapshot.lexical(eligible, lexicalQuery(terms));
    await snapshot.close();
    return hits.length;
  }

  /** What the decision itself costs: every compartment judged. */
  async decide(groups: number): Promise<number> {
    const snapshot = await this.#reader.snapshot();
    const eligible = eligibleGroups(await snapshot.compartments(), groups);
    await snapshot.close();
    return eligible.compartments.length;
  }

  async answer({ terms }: Question, groups: number): Promise<readonly { readonly artifact: string; readonly score: number }[]> {
    const snapshot = await this.#reader.snapshot();
    const { hits } = await snapshot.lexical(eligibleGroups(await snapshot.compartments(), groups), lexicalQuery(terms));
    await snapshot.close();
    return hits;
  }

  close(): Promise<void> {
    return this.#reader.close();
  }
}
