/**
 * Axes: everything two packages can differ by before a single passage is looked at, and so every cause a difference can have.
 *
 * Invariant: each part of a request and of its versions belongs to one axis; a test goes through all of them.
 */
import type { PackageBody } from '../domain/context-package.js';
import { canonicalJson } from '../kernel/digest.js';

export const CAUSES = [
  'request',
  'scope',
  'rights',
  'model',
  'budget',
  'ranking-policy',
  'context-policy',
  'compiler',
  'index',
  'library',
  'day',
  'page-edited',
  'page-gone',
  'lifecycle',
  'source-state',
  'registration',
  'other-passages',
] as const;
export type CauseKind = (typeof CAUSES)[number];

export interface Cause {
  readonly kind: CauseKind;
  readonly certain: boolean;
  readonly detail: string;
}

export interface IndexVersions {
  readonly schema?: string;
  readonly segmenter?: string;
  readonly embedder?: string;
}

interface Compared {
  readonly body: PackageBody;
  readonly versions?: IndexVersions;
}

interface Axis {
  readonly kind: CauseKind;
  readonly name: string;
  readonly of: (side: Compared) => unknown;
}

const AXES: readonly Axis[] = [
  { kind: 'request', name: 'question', of: ({ body }) => body.request.text },
  { kind: 'request', name: 'profile', of: ({ body }) => body.request.profile },
  { kind: 'scope', name: 'scope', of: ({ body }) => body.request.scope },
  { kind: 'rights', name: 'requester', of: ({ body }) => body.request.requester },
  { kind: 'rights', name: 'workload', of: ({ body }) => body.request.workload },
  { kind: 'rights', name: 'tenant', of: ({ body }) => body.request.tenant },
  { kind: 'rights', name: 'purpose', of: ({ body }) => body.request.purpose },
  { kind: 'rights', name: 'groups', of: ({ body }) => body.request.groups },
  { kind: 'rights', name: 'ceiling', of: ({ body }) => body.request.ceiling },
  { kind: 'rights', name: 'client', of: ({ body }) => [body.request.client, body.request.locality] },
  { kind: 'model', name: 'model', of: ({ body }) => body.request.model },
  { kind: 'budget', name: 'token ceiling', of: ({ body }) => body.budget.ceiling },
  { kind: 'ranking-policy', name: 'ranking policy', of: ({ body }) => body.versions.rankingPolicy },
  { kind: 'context-policy', name: 'context policy', of: ({ body }) => body.versions.contextPolicy },
  { kind: 'compiler', name: 'compiler', of: ({ body }) => [body.format, body.versions.compiler] },
  { kind: 'index', name: 'analyzer', of: ({ body }) => body.versions.analyzer },
  { kind: 'index', name: 'segmenter', of: ({ versions }) => versions?.segmenter },
  { kind: 'index', name: 'index schema', of: ({ versions }) => versions?.schema },
  { kind: 'index', name: 'embedding model', of: ({ versions }) => versions?.embedder },
  { kind: 'library', name: 'what the library holds for the requester', of: ({ body }) => body.versions.manifest },
  { kind: 'day', name: 'day', of: ({ body }) => body.request.asOf },
];

export function axesOf(a: Compared, b: Compared): readonly Cause[] {
  return AXES.flatMap(({ kind, name, of }) => {
    const [before, after] = [of(a), of(b)];
    // Not recorded on one side: nothing can be said.
    if (before === undefined || after === undefined || canonicalJson(before) === canonicalJson(after)) return [];
    return [{ kind, certain: true, detail: `${name}: ${said(before)} became ${said(after)}` }];
  });
}

/** Those of the axes that could have done it; none means that the passages around it did. */
export function oneOfAxes(axes: readonly Cause[], kinds: readonly CauseKind[]): readonly Cause[] {
  const possible = axes.filter(({ kind }) => kinds.includes(kind));
  // The day alone changes nothing but labels and expiries: it is a cause only when there is no other.
  const likely = possible.length > 1 ? possible.filter(({ kind }) => kind !== 'day') : possible;
  if (likely.length === 0) return [{ kind: 'other-passages', certain: false, detail: 'what else was there changed' }];
  return likely.map((cause) => ({ ...cause, certain: likely.length === 1 }));
}

const LONGEST = 48;

function said(value: unknown): string {
  const text = typeof value === 'string' ? value : canonicalJson(value);
  if (/^[0-9a-f]{40,64}$/.test(text)) return text.slice(0, 12);
  return text.length > LONGEST ? `${[...text].slice(0, LONGEST - 1).join('')}…` : text;
}
