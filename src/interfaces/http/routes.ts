/**
 * The routes of the catalogue: `/v1/<verb>`, with the verb as its answer's schema writes it.
 *
 * Invariant: an operation is here when it says so itself, with the authority it says; there is no other list.
 */
import { SCOPE_OF, type Scope } from '../../app/access/scopes.js';
import { type InputSchema, networkInput } from '../../app/input-bounds.js';
import type { Operation } from '../../app/operations/catalogue.js';

export interface Route {
  readonly path: string;
  readonly operation: Operation;
  readonly scope: Scope;
  readonly methods: readonly ('GET' | 'POST')[];
  readonly input: InputSchema;
}

export function routesOf(operations: readonly Operation[]): ReadonlyMap<string, Route> {
  const offered = operations.filter(({ surfaces }) => surfaces.includes('http'));
  return new Map(
    offered.map((operation) => {
      const path = `/v1/${operation.name.replaceAll(' ', '-')}`;
      const methods = operation.safe === true ? (['GET', 'POST'] as const) : (['POST'] as const);
      return [path, { path, operation, scope: SCOPE_OF[operation.authority], methods, input: networkInput(operation) }];
    }),
  );
}
