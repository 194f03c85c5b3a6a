/** Contexts asked of a library as a server asks them, with a count of how often something had to be ranked. */
import { type Narrowing, resolveAsk } from '../../src/app/identity.js';
import type { Library } from '../../src/app/library.js';
import type { Call } from '../../src/app/operations/catalogue.js';
import { type ContextAnswer, context } from '../../src/app/operations/context.js';
import type { Instant } from '../../src/kernel/clock.js';
import type { IndexReader, IndexSnapshot } from '../../src/ports/index-reader.js';
import type { Reranker } from '../../src/ports/models.js';
import { teamSource } from './team-source.js';

export const NOW = Date.UTC(2026, 10, 30, 12);

/** A source in `colophon.yaml` that everybody of both tenants may read for both purposes, if the permission lets them. */
export const sourceText = (id: string, permissions: string) =>
  teamSource(id, { permissions, classification: 'public', tenant_scope: '[north, south]', allowed_purposes: '[assist, audit]' });

export interface Asking {
  readonly who: Narrowing;
  readonly query: string;
  readonly model: string;
  readonly at: number;
  readonly pageWeight: number;
  readonly reranker?: Reranker;
}
export function page(n: number, more: string): string {
  const words = ['gate', 'valve', 'sluice', 'berth', 'crane'];
  return `# The ${words[n]}\n\nHow the lower ${words[n]} is drained, step ${n}. ${more}\n\n## Gate ${n}\n\n${'The gate is drained. '.repeat(n + 1)}${more}\n`;
}

/** All but the attempt, which is another each time. */
export function told({ attempt: _, package: __, ...answer }: ContextAnswer): string {
  return JSON.stringify(answer);
}

let ranked = 0;

export async function ask(asker: Library, { who, query, model, at, pageWeight, reranker }: Asking, more: object = {}) {
  const asked: Library = {
    ...asker,
    config: { ...asker.config, ranking: { ...asker.config.ranking, pageWeight } },
    ...(reranker === undefined ? {} : { reranker }),
  };
  const identity = resolveAsk(asker.config, who, { workload: 'workload://colophon/library', defaultClient: 'agent' }, at as Instant);
  const call: Call = { library: asked, ask: identity, signal: new AbortController().signal, progress: () => undefined };
  ranked = 0;
  const answer = await context.run(context.input.parse({ query, model, ...more }), call);
  return { answer, ranked };
}

/** Tells how often something was ranked since it was called. */
export function rankedSince(): () => number {
  const before = ranked;
  return () => ranked - before;
}

/** Counts how often something was ranked. */
export function counting(reader: IndexReader): IndexReader {
  return {
    ...reader,
    snapshot: async () => {
      const snapshot = await reader.snapshot();
      const lexical: IndexSnapshot['lexical'] = (...given) => {
        ranked += 1;
        return snapshot.lexical(...given);
      };
      return new Proxy(snapshot, {
        get: (target, name) => {
          if (name === 'lexical') return lexical;
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    },
  };
}
