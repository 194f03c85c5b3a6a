/**
 * Standing: may a package still be used, today, and is what it says still what the library says?
 *
 * Invariant: whatever would keep a passage out of a context compiled now keeps its package from being used (PKG-07, PKG-13, ATT-04).
 */
import { isUsable } from '../../context/freeze.js';
import { admits } from '../../domain/classification.js';
import type { PackageBody, PackageItem } from '../../domain/context-package.js';
import { DEFAULT_CONTEXT_POLICY } from '../../domain/context-policy.js';
import { isRetired } from '../../domain/page.js';
import { isServing, type SourceStanding } from '../../domain/source.js';
import { type Day, dayOf, type Instant } from '../../kernel/clock.js';
import { type Digest, digestOf } from '../../kernel/digest.js';
import type { StoredPage } from '../../ports/index-reader.js';
import { COMPILER } from '../asking/compile-package.js';
import { isOfCaller } from '../asking/named-pages.js';
import { checkPage } from '../learning/changed-on-disk.js';
import type { Call } from '../operations/catalogue.js';
import { currentVocabulary } from '../vocabulary/current-vocabulary.js';
import { doorIfBuilt, readPackageToJudge, type StoredPackage } from './access.js';

export const REASONS = [
  'not-available',
  'blocked',
  'expired',
  'source-not-serving',
  'page-gone',
  'page-retired',
  'classification-raised',
  'passage-changed',
  'file-changed',
  'page-edited',
  'page-overdue',
  'source-degraded',
  'policy-changed',
] as const;

/** `blocks`: not to be used. `stale`: the library says something else by now. `note`: good to know. */
export const WEIGHTS = ['blocks', 'stale', 'note'] as const;

export interface StandingReason {
  readonly code: (typeof REASONS)[number];
  readonly weight: (typeof WEIGHTS)[number];
  readonly source: string;
  readonly path: string;
  readonly detail: string;
}

export const VERDICTS = ['fresh', 'stale', 'unusable'] as const;

export interface Standing {
  readonly verdict: (typeof VERDICTS)[number];
  readonly reasons: readonly StandingReason[];
  /** Absent when it is not for the asker, or never was: the same. */
  readonly stored?: StoredPackage;
}

const NOT_AVAILABLE: StandingReason = {
  code: 'not-available',
  weight: 'blocks',
  source: '',
  path: '',
  detail: 'there is no such package for you to use',
};

export async function standingOf(call: Call, name: string): Promise<Standing> {
  const stored = await readPackageToJudge(call, name);
  if (stored === undefined) return { verdict: 'unusable', reasons: [NOT_AVAILABLE] };
  const { items, ...rest } = stored.entry.body;
  const body = { ...rest, items: items.filter(({ source }) => !isOfCaller(source)) };
  const today = dayOf(call.ask.at);
  const standings = new Map((await call.library.records.registry.standings()).map((each) => [each.id, each]));
  const reasons = [
    ...blockReasons(body),
    ...expiryReasons(body, today),
    ...sourceReasons(body, standings, call.ask.at),
    ...(await pageReasons(call, body, today, standings)),
    ...policyReasons(call, body, (await currentVocabulary(call.library.config))?.version),
  ];
  const weighs = (weight: StandingReason['weight']) => reasons.some((each) => each.weight === weight);
  return { verdict: weighs('blocks') ? 'unusable' : weighs('stale') ? 'stale' : 'fresh', reasons, stored };
}

function blockReasons({ status }: PackageBody): StandingReason[] {
  if (status !== 'blocked') return [];
  return [
    { code: 'blocked', weight: 'blocks', source: '', path: '', detail: 'it was blocked when it was compiled; `package show` says by what' },
  ];
}

function expiryReasons(body: PackageBody, today: Day): StandingReason[] {
  if (isUsable(body, today)) return [];
  return [{ code: 'expired', weight: 'blocks', source: '', path: '', detail: `it could be used until ${body.expires}` }];
}

function sourceReasons({ items }: PackageBody, standings: ReadonlyMap<string, SourceStanding>, at: Instant): StandingReason[] {
  return [...new Set(items.map(({ source }) => source))].flatMap((source): StandingReason[] => {
    const standing = standings.get(source);
    const state = standing?.state;
    if (standing === undefined || !isServing(standing, at)) {
      const detail = `source ${source} is ${state === 'retiring' ? 'retired' : (state ?? 'not registered any more')}`;
      return [{ code: 'source-not-serving', weight: 'blocks', source, path: '', detail }];
    }
    if (state === 'active') return [];
    return [{ code: 'source-degraded', weight: 'note', source, path: '', detail: `source ${source} is ${state}` }];
  });
}

async function pageReasons(
  call: Call,
  { items, request }: PackageBody,
  today: Day,
  standings: ReadonlyMap<string, SourceStanding>,
): Promise<StandingReason[]> {
  const serving = items.filter(({ source }) => {
    const standing = standings.get(source);
    return standing !== undefined && isServing(standing, call.ask.at);
  });
  const door = await doorIfBuilt(call);
  if (door === undefined) return serving.map((item) => reason('page-gone', 'blocks', item, 'there is no index, so no page is there'));
  try {
    const { artifacts } = await door.snapshot.artifacts(
      door.eligible,
      serving.map(({ artifact }) => artifact),
    );
    const held = new Set(artifacts.map(({ id }) => id));
    const reasons: StandingReason[] = [];
    for (const item of serving) {
      const page = await door.snapshot.page(door.eligible, item.source, item.path);
      if (page === undefined) reasons.push(reason('page-gone', 'blocks', item, 'the page is not there for you any more'));
      else
        reasons.push(
          ...presentReasons({ item, page, request, today, held: held.has(item.artifact), same: (await checkPage(call, page)).same }),
        );
    }
    return distinctReasons(reasons);
  } finally {
    await door.snapshot.close();
  }
}

function presentReasons(found: {
  readonly item: PackageItem;
  readonly page: StoredPage;
  readonly request: PackageBody['request'];
  readonly today: Day;
  readonly held: boolean;
  readonly same: boolean;
}): StandingReason[] {
  const { item, page, request, today, held, same } = found;
  const { reviewBy } = page.meta;
  const level = page.compartment.classification;
  const edited = held
    ? reason('page-edited', 'note', item, 'the page was edited; this passage is the same')
    : reason('passage-changed', 'stale', item, 'the page was edited and does not say this any more');
  return [
    ...(isRetired(page.meta, today) ? [reason('page-retired', 'blocks', item, retired(page.meta))] : []),
    ...(admits(request.ceiling, level) ? [] : [reason('classification-raised', 'blocks', item, `the page is ${level} now`)]),
    ...(held && page.blob === item.blob ? [] : [edited]),
    ...(same ? [] : [reason('file-changed', 'stale', item, 'the file changed or is gone since it was indexed')]),
    ...(reviewBy === undefined || reviewBy >= today
      ? []
      : [reason('page-overdue', 'note', item, `the page was to be reviewed by ${reviewBy}`)]),
  ];
}

function retired({ supersededBy, validUntil }: { readonly supersededBy?: string; readonly validUntil?: Day }): string {
  return supersededBy === undefined ? `the page was valid until ${validUntil}` : `the page is superseded by ${supersededBy}`;
}

function policyReasons({ library }: Call, { versions }: PackageBody, vocabulary: Digest | undefined): StandingReason[] {
  const note = (detail: string): StandingReason => ({ code: 'policy-changed', weight: 'note', source: '', path: '', detail });
  return [
    ...(versions.compiler === COMPILER ? [] : [note(`compiled by ${versions.compiler}; this is ${COMPILER}`)]),
    // What must be in is part of it: a clause may bind today that did not then.
    ...(versions.contextPolicy === digestOf(library.config.context ?? DEFAULT_CONTEXT_POLICY)
      ? []
      : [{ ...note('filled by another context policy than today’s'), weight: 'stale' as const }]),
    ...(versions.rankingPolicy === digestOf(library.config.ranking) ? [] : [note('ranked by another ranking policy than today’s')]),
    ...(versions.vocabulary === vocabulary ? [] : [note('asked with another vocabulary than today’s')]),
  ];
}

function reason(code: StandingReason['code'], weight: StandingReason['weight'], item: PackageItem, detail: string): StandingReason {
  return { code, weight, source: item.source, path: item.path, detail };
}

function distinctReasons(reasons: readonly StandingReason[]): StandingReason[] {
  return [...new Map(reasons.map((each) => [JSON.stringify(each), each])).values()];
}
