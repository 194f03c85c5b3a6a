/**
 * May this request read this page? Worked out a second time, plainly and slowly, from the requirements alone (SRC-07, SRC-13, ATH-01,
 * ATH-03, ATH-04; §2.1, §3 AclEntry). Shares no code with the program: raw data in, every reason against it out.
 */
export interface NaiveGrant {
  readonly groups: readonly string[];
  readonly principals: readonly string[];
  readonly tenants: readonly string[];
  readonly purposes: readonly string[];
  readonly from: number;
  readonly to: number;
}

export interface NaivePerson {
  readonly tenants: readonly string[];
  readonly purposes: readonly string[];
  readonly ceiling: string;
}

export interface NaiveWorld {
  /** False when any list is longer than may be trusted. */
  readonly usable: boolean;
  readonly purposes: readonly string[];
  readonly people: Readonly<Record<string, NaivePerson>>;
  readonly groups: Readonly<Record<string, readonly string[]>>;
  readonly owners: Readonly<Record<string, readonly string[]>>;
  readonly acls: Readonly<Record<string, readonly NaiveGrant[]>>;
  readonly local: readonly string[];
}

export interface NaiveRequest {
  /** Everybody the request passes through: who was launched, and whom it asks for. */
  readonly chain: readonly string[];
  readonly tenant: string;
  readonly purpose: string;
  readonly ceiling: string;
  /** Subjects it was narrowed to; undefined when it was not. */
  readonly narrowedTo: readonly string[] | undefined;
  readonly client: string;
  readonly critical: boolean;
  readonly at: number;
}

export interface NaivePage {
  readonly tenants: readonly string[];
  readonly purposes: readonly string[];
  readonly classification: string;
  readonly refs: readonly string[];
  readonly ownerOnly: boolean;
  readonly localOnly: boolean;
  readonly source: {
    readonly registered: boolean;
    readonly state: string;
    readonly owner: string;
    readonly confirmedAt: number;
    readonly slo: number;
    readonly retiresAt: number;
  };
}

export const REASONS = [
  'policy-unusable',
  'unknown-principal',
  'tenant-not-held',
  'purpose-not-held',
  'above-a-ceiling-of-the-chain',
  'above-the-ceiling-asked-for',
  'source-unregistered',
  'source-state',
  'source-retired',
  'source-not-fresh',
  'page-of-another-tenant',
  'page-for-another-purpose',
  'unknown-ref',
  'grant-not-to-them',
  'grant-not-shared-along-the-chain',
  'grant-out-of-time',
  'grant-in-another-tenant',
  'grant-for-another-purpose',
  'narrowed-away',
  'not-the-owner',
  'egress',
] as const;
export type Reason = (typeof REASONS)[number];

const LEVELS = ['public', 'internal', 'confidential', 'restricted'];
const level = (name: string): number => LEVELS.indexOf(name);
const SELECTABLE: Readonly<Record<string, boolean>> = {
  proposed: false,
  approved: false,
  active: true,
  degraded: true,
  suspended: false,
  retiring: true,
  revoked: false,
  deleted: false,
};

/** Everything that speaks against it; empty when it is allowed. */
export function reasonsAgainst(world: NaiveWorld, request: NaiveRequest, page: NaivePage): Reason[] {
  const against: Reason[] = [];
  if (!world.usable) against.push('policy-unusable');
  for (const name of request.chain) against.push(...chainReasons(world, request, page, named(world.people, name)));
  if (level(page.classification) > level(request.ceiling)) against.push('above-the-ceiling-asked-for');
  against.push(...sourceReasons(request, page));
  if (!page.tenants.includes(request.tenant)) against.push('page-of-another-tenant');
  if (!page.purposes.includes(request.purpose)) against.push('page-for-another-purpose');
  if (page.ownerOnly) {
    if (!ownsIt(world, request, page)) against.push('not-the-owner');
  } else for (const ref of page.refs) against.push(...grantReasons(world, request, ref));
  if (page.localOnly && !world.local.includes(request.client)) against.push('egress');
  return [...new Set(against)];
}

function chainReasons(world: NaiveWorld, { tenant, purpose }: NaiveRequest, page: NaivePage, link: NaivePerson | undefined): Reason[] {
  if (link === undefined) return ['unknown-principal'];
  const against: Reason[] = [];
  if (!link.tenants.includes(tenant)) against.push('tenant-not-held');
  if (!link.purposes.includes(purpose) || !world.purposes.includes(purpose)) against.push('purpose-not-held');
  if (level(page.classification) > level(link.ceiling)) against.push('above-a-ceiling-of-the-chain');
  return against;
}

/** What stands in the list under this name; what every object has is not in it. */
function named<T>(list: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.entries(list).find(([key]) => key === name)?.[1];
}

function sourceReasons({ critical, at }: NaiveRequest, { source }: NaivePage): Reason[] {
  if (!source.registered) return ['source-unregistered'];
  const against: Reason[] = [];
  if (SELECTABLE[source.state] !== true) against.push('source-state');
  if (source.state === 'retiring' && at >= source.retiresAt) against.push('source-retired');
  const fresh = source.state === 'active' && at - source.confirmedAt <= source.slo;
  if (critical && !fresh && against.length === 0) against.push('source-not-fresh');
  return against;
}

function ownsIt(world: NaiveWorld, { chain, narrowedTo }: NaiveRequest, { source }: NaivePage): boolean {
  const people = world.owners[source.owner] ?? [];
  const isOwner = (name: string) => people.includes(name) || name === source.owner;
  return chain.every(isOwner) && (narrowedTo === undefined || narrowedTo.includes(`owner:${source.owner}`));
}

function grantReasons(world: NaiveWorld, request: NaiveRequest, ref: string): Reason[] {
  const grants = named(world.acls, ref);
  if (grants === undefined) return ['unknown-ref'];
  const { chain, tenant, purpose, at, narrowedTo } = request;
  const inTime = (grant: NaiveGrant) => grant.from <= at && at < grant.to;
  const inTenant = (grant: NaiveGrant) => grant.tenants.includes(tenant);
  const forPurpose = (grant: NaiveGrant) => grant.purposes.includes(purpose);
  const isMember = (group: string, name: string) => (world.groups[group] ?? []).includes(name);
  /** Subjects of the grant that every one of these is. */
  const shared = (grant: NaiveGrant, names: readonly string[]) => [
    ...grant.groups.filter((group) => names.every((name) => isMember(group, name))),
    ...grant.principals.filter((principal) => names.every((name) => name === principal)),
  ];
  const left = (subjects: readonly string[]) => subjects.filter((each) => narrowedTo === undefined || narrowedTo.includes(each));
  const toThem = (grant: NaiveGrant) => left(shared(grant, chain)).length > 0;
  const holds = (...conditions: ((grant: NaiveGrant) => boolean)[]) =>
    grants.some((grant) => conditions.every((condition) => condition(grant)));
  if (holds(toThem, inTime, inTenant, forPurpose)) return [];
  // Which one thing, had it been otherwise, would have let them in?
  if (holds(toThem, inTenant, forPurpose)) return ['grant-out-of-time'];
  if (holds(toThem, inTime, forPurpose)) return ['grant-in-another-tenant'];
  if (holds(toThem, inTime, inTenant)) return ['grant-for-another-purpose'];
  if (holds((grant) => shared(grant, chain).length > 0, inTime, inTenant, forPurpose)) return ['narrowed-away'];
  const each = chain.every((name) => holds((grant) => left(shared(grant, [name])).length > 0, inTime, inTenant, forPurpose));
  return [each ? 'grant-not-shared-along-the-chain' : 'grant-not-to-them'];
}
