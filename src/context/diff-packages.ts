/**
 * Diff: what one package holds that another does not, and which change made the difference.
 *
 * A cause is `certain` when nothing else that differs between the two could have done it; otherwise every candidate is named.
 *
 * Invariant: pure, and told by the two packages and by what is known of their pages now; it never guesses beyond them.
 */
import type { Exclusion, PackageBody, PackageItem } from '../domain/context-package.js';
import { canonicalJson } from '../kernel/digest.js';
import { axesOf, type Cause, type CauseKind, type IndexVersions, oneOfAxes } from './package-axes.js';

export const ITEM_CHANGES = ['in', 'out', 'moved', 'changed'] as const;

export interface ItemChange {
  readonly change: (typeof ITEM_CHANGES)[number];
  readonly source: string;
  readonly path: string;
  readonly headingPath: readonly string[];
  readonly before?: Side;
  readonly after?: Side;
  /** What of the item differs, when it is in both. */
  readonly fields: readonly string[];
  readonly causes: readonly Cause[];
}

export interface Side {
  readonly position: number;
  readonly artifact: string;
  readonly blob: string;
}

export interface PackageDiff {
  /** What differs between the two requests, versions and libraries. */
  readonly axes: readonly Cause[];
  readonly status: { readonly before: PackageBody['status']; readonly after: PackageBody['status'] };
  readonly items: readonly ItemChange[];
  readonly gaps: { readonly added: readonly string[]; readonly removed: readonly string[] };
}

export interface DiffSide {
  readonly body: PackageBody;
  /** Of the index it was compiled from, where that was recorded. */
  readonly versions?: IndexVersions;
}

/** The blob of a page as it stands now; `undefined` for one that is not there for the asker; absent where nobody looked. */
export type PagesNow = ReadonlyMap<string, string | undefined>;
export const pageKey = (source: string, path: string): string => `${source}\0${path}`;

export function diffPackages(a: DiffSide, b: DiffSide, now: PagesNow = new Map()): PackageDiff {
  const axes = axesOf(a, b);
  const told: Telling = { a: a.body, b: b.body, axes, now };
  const { pairs, onlyA, onlyB } = matched(a.body.items, b.body.items);
  const items = [
    ...pairs.flatMap((pair) => pairChange(pair, pairs, told)),
    ...onlyA.map((item) => gone(item, told)),
    ...onlyB.map((item) => come(item, told)),
  ];
  return {
    axes,
    status: { before: a.body.status, after: b.body.status },
    items: items.sort((x, y) => placeIn(x) - placeIn(y) || (x.change < y.change ? -1 : 1)),
    gaps: {
      added: b.body.gaps.filter((each) => !a.body.gaps.includes(each)),
      removed: a.body.gaps.filter((each) => !b.body.gaps.includes(each)),
    },
  };
}

interface Telling {
  readonly a: PackageBody;
  readonly b: PackageBody;
  readonly axes: readonly Cause[];
  readonly now: PagesNow;
}

type Pair = readonly [before: PackageItem, after: PackageItem];

/** By artifact first; what is left by place, so that an edited passage is one change and not two. */
function matched(before: readonly PackageItem[], after: readonly PackageItem[]) {
  const pairs: Pair[] = [];
  const open = new Set(after);
  const match = (from: readonly PackageItem[], same: (x: PackageItem, y: PackageItem) => boolean) =>
    from.filter((item) => {
      const other = [...open].find((each) => same(item, each));
      if (other === undefined) return true;
      open.delete(other);
      pairs.push([item, other]);
      return false;
    });
  const rest = match(before, (x, y) => x.artifact === y.artifact);
  const onlyA = match(rest, (x, y) => placeOf(x) === placeOf(y));
  return { pairs: pairs.sort(([x], [y]) => x.position - y.position), onlyA, onlyB: [...open] };
}

const placeOf = ({ source, path, headingPath }: PackageItem): string => JSON.stringify([source, path, headingPath]);
const placeIn = ({ before, after }: ItemChange): number => after?.position ?? before?.position ?? 0;

const SHOWN = ['class', 'tier', 'classification', 'labels', 'verifiedAt', 'reviewBy', 'duplicates', 'lines', 'excerpt'] as const;

function pairChange(pair: Pair, pairs: readonly Pair[], told: Telling): ItemChange[] {
  const [before, after] = pair;
  const fields = SHOWN.filter((name) => canonicalJson(before[name] ?? null) !== canonicalJson(after[name] ?? null));
  if (fields.length > 0) return [changeOf('changed', before, after, fields, causesOfEdit(pair, fields, told))];
  const rank = (side: 0 | 1) => pairs.filter((other) => other[side].position < pair[side].position).length;
  if (rank(0) === rank(1)) return [];
  return [changeOf('moved', before, after, ['position'], oneOfAxes(told.axes, ORDERING))];
}

function causesOfEdit([before, after]: Pair, fields: readonly (typeof SHOWN)[number][], { axes }: Telling): readonly Cause[] {
  if (before.blob !== after.blob) {
    const around = fields.includes('excerpt') ? '' : '; the passage itself is the same';
    return [
      {
        kind: 'page-edited',
        certain: true,
        detail: `${after.path} was edited: ${short(before.blob)} became ${short(after.blob)}${around}`,
      },
    ];
  }
  if (fields.includes('excerpt') || fields.includes('lines')) return oneOfAxes(axes, ['index', 'compiler']);
  const labels = [...before.labels, ...after.labels].filter((each) => before.labels.includes(each) !== after.labels.includes(each));
  if (labels.includes('unverified-changed')) return [certain('page-edited', `${after.path} was changed on disk and not indexed yet`)];
  if (labels.includes('degraded-source') || labels.includes('retiring-source'))
    return [certain('source-state', `the state of source ${after.source} changed`)];
  if (labels.includes('overdue')) return oneOfAxes(axes, ['day']);
  if (fields.includes('classification') || fields.includes('tier') || fields.includes('class'))
    return [certain('registration', `what colophon.yaml says of source ${after.source} changed`)];
  return oneOfAxes(axes, ORDERING);
}

/** What can change which passages come first, and which are left out for it. */
const ORDERING: readonly CauseKind[] = [
  'request',
  'scope',
  'rights',
  'ranking-policy',
  'context-policy',
  'compiler',
  'index',
  'library',
  'day',
];
const ROOM: readonly CauseKind[] = ['budget', 'model', 'context-policy', 'compiler'];

function gone(item: PackageItem, told: Telling): ItemChange {
  const { b, axes, now } = told;
  const excluded = b.excluded.find(({ artifact }) => artifact === item.artifact);
  const make = (causes: readonly Cause[]) => changeOf('out', item, undefined, [], causes);
  if (excluded !== undefined) return make(causesOfExclusion(excluded.reason, excluded.detail, b, told));
  const elsewhere = blobIn(b, item) ?? blobNow(now, item);
  if (elsewhere === null) return make([certain('page-gone', `${item.path} is not there for you any more`)]);
  if (elsewhere !== undefined && elsewhere !== item.blob)
    return make([certain('page-edited', `${item.path} was edited, and this passage is not in it as it was`)]);
  return make(oneOfAxes(axes, ORDERING));
}

function come(item: PackageItem, told: Telling): ItemChange {
  const { a, axes } = told;
  const make = (causes: readonly Cause[]) => changeOf('in', undefined, item, [], causes);
  const excluded = a.excluded.find(({ artifact }) => artifact === item.artifact);
  if (excluded !== undefined) return make(causesOfExclusion(excluded.reason, `was left out before: ${excluded.detail}`, a, told));
  const earlier = blobIn(a, item);
  if (typeof earlier === 'string' && earlier !== item.blob) return make([certain('page-edited', `${item.path} was edited`)]);
  return make(oneOfAxes(axes, ORDERING));
}

/** `side` is the package that left it out. */
function causesOfExclusion(reason: Exclusion, detail: string, side: PackageBody, { a, b, axes }: Telling): readonly Cause[] {
  switch (reason) {
    case 'superseded':
      return [certain('lifecycle', detail)];
    case 'expired':
      return [certain(a.request.asOf === b.request.asOf ? 'lifecycle' : 'day', detail)];
    case 'unverified-changed':
      return [certain('page-gone', detail)];
    case 'damaged':
      return [certain('index', detail)];
    case 'budget': {
      const axis = oneOfAxes(axes, ROOM);
      return axis.some(({ kind }) => kind !== 'other-passages') ? axis : [certain('other-passages', detail)];
    }
    case 'policy':
      return [certain('context-policy', side.status === 'blocked' ? `the package was blocked: ${side.reason}` : detail)];
    default:
      return oneOfAxes(axes, ORDERING).map((cause) => ({ ...cause, detail: `${cause.detail} (${detail})` }));
  }
}

function blobIn({ items }: PackageBody, { source, path }: PackageItem): string | undefined {
  return items.find((each) => each.source === source && each.path === path)?.blob;
}

/** Null: looked for, and not there. */
function blobNow(now: PagesNow, { source, path }: PackageItem): string | null | undefined {
  const key = pageKey(source, path);
  return now.has(key) ? (now.get(key) ?? null) : undefined;
}

function changeOf(
  change: ItemChange['change'],
  before: PackageItem | undefined,
  after: PackageItem | undefined,
  fields: readonly string[],
  causes: readonly Cause[],
): ItemChange {
  const item = after ?? before;
  if (item === undefined) throw new Error('a change is of an item');
  const { source, path, headingPath } = item;
  return {
    change,
    source,
    path,
    headingPath,
    ...(before === undefined ? {} : { before: sideOf(before) }),
    ...(after === undefined ? {} : { after: sideOf(after) }),
    fields,
    causes,
  };
}

const sideOf = ({ position, artifact, blob }: PackageItem): Side => ({ position, artifact, blob });
const certain = (kind: CauseKind, detail: string): Cause => ({ kind, certain: true, detail });
const short = (id: string): string => id.slice(0, 8);
