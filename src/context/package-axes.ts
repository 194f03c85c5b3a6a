/**
 * Axes: everything two packages can differ by before a single passage is looked at, and so every cause a difference can have.
 *
 * Invariant: each part of a request and of its versions belongs to one axis, also one that is added later.
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

/** Parts of a request that are an axis of their own; whatever else a request says is its question. */
const REQUEST: Readonly<Partial<Record<string, CauseKind>>> = {
  scope: 'scope',
  requester: 'rights',
  workload: 'rights',
  tenant: 'rights',
  purpose: 'rights',
  groups: 'rights',
  ceiling: 'rights',
  client: 'rights',
  locality: 'rights',
  model: 'model',
  asOf: 'day',
};
const VERSIONS: Readonly<Record<keyof Required<PackageBody['versions']>, CauseKind>> = {
  compiler: 'compiler',
  analyzer: 'index',
  rankingPolicy: 'ranking-policy',
  contextPolicy: 'context-policy',
  manifest: 'library',
  vocabulary: 'ranking-policy',
};
const NAMES: Readonly<Partial<Record<string, string>>> = {
  text: 'question',
  asOf: 'day',
  rankingPolicy: 'ranking policy',
  contextPolicy: 'context policy',
  manifest: 'what the library holds for the requester',
};

const OTHERS: readonly Axis[] = [
  { kind: 'budget', name: 'token ceiling', of: ({ body }) => body.budget.ceiling },
  { kind: 'compiler', name: 'format', of: ({ body }) => body.format },
  { kind: 'index', name: 'segmenter', of: ({ versions }) => versions?.segmenter },
  { kind: 'index', name: 'index schema', of: ({ versions }) => versions?.schema },
  { kind: 'index', name: 'embedding model', of: ({ versions }) => versions?.embedder },
];

function axes(a: Compared, b: Compared): readonly Axis[] {
  const keys = (part: 'request' | 'versions') => [...new Set([...Object.keys(a.body[part]), ...Object.keys(b.body[part])])];
  const inPart = (part: 'request' | 'versions', kinds: Readonly<Partial<Record<string, CauseKind>>>, fallback: CauseKind) =>
    keys(part).map(
      (key): Axis => ({ kind: kinds[key] ?? fallback, name: NAMES[key] ?? key, of: ({ body }) => Reflect.get(body[part], key) ?? null }),
    );
  return [...inPart('request', REQUEST, 'request'), ...OTHERS, ...inPart('versions', VERSIONS, 'compiler')];
}

export function axesOf(a: Compared, b: Compared): readonly Cause[] {
  return axes(a, b).flatMap(({ kind, name, of }) => {
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
