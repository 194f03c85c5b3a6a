/**
 * What is wrong with a policy, or odd about it: names that lead nowhere, rules and grants that can never count; each with file and line.
 *
 * Invariant: looks at everything and stops at nothing, so that one run tells all; but of a policy one file of which cannot be read, nothing
 * is said that may follow from what is missing.
 */
import { type Classification, stricter } from '../../domain/classification.js';
import { OWNER_ONLY, refsOf } from '../../domain/compartment.js';
import type { Permissions, Policy } from '../../domain/policy.js';
import type { PathRule, SourceRegistration } from '../../domain/source.js';
import type { Instant } from '../../kernel/clock.js';
import { Fault } from '../../kernel/errors.js';
import { boundedText } from '../configuration/bounded-text.js';
import { configFile } from '../configuration/config-schema.js';
import { readStrictYaml } from '../configuration/strict-yaml.js';
import type { LibraryConfig } from '../library.js';
import { requireThere } from './current-policy.js';
import { instantIn } from './instant-in.js';
import { readPolicyTexts } from './policy-files.js';
import { type Finding, type PolicyParts, type ReadParts, readParts } from './policy-parts.js';
import { resolvePolicy, simplePolicy } from './resolve-policy.js';

export interface CheckedPolicy {
  readonly findings: readonly Finding[];
  /** Undefined when it cannot be used. */
  readonly version: string | undefined;
}

/** `config` may have been resolved without its policy. */
export async function checkPolicy(config: LibraryConfig, at: Instant): Promise<CheckedPolicy> {
  const place = config.policyPlace;
  if (place === undefined) {
    const findings = await sourceFindings(config, { permissions: config.permissions, policy: simplePolicy(config) });
    return { findings: inOrder(findings), version: simplePolicy(config).version };
  }
  try {
    await requireThere(place);
    const read = readParts((await readPolicyTexts(place, config.root)).files);
    const resolved = resolvePolicy(read.parts);
    if (read.isPartial) {
      const others = [...idleGrants(read, at), ...(await sourceFindings(config, { ...resolved, read }))];
      return { findings: [...inOrder(read.findings), ...inOrder(others)], version: undefined };
    }
    const dangling = [...danglingNames(read), ...idleGrants(read, at)];
    const findings = [
      ...read.findings,
      ...dangling,
      ...(await sourceFindings(config, { ...resolved, read })),
      ...unknownIdentity(config, read),
      ...namedAlone(config, read),
    ];
    return { findings: inOrder(findings), version: read.findings.length > 0 ? undefined : resolved.policy.version };
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'policy/invalid') throw error;
    const { file, line, what } = (error as Fault<'policy/invalid'>).data;
    return { findings: [{ severity: 'error', file, ...(line === undefined ? {} : { line }), what }], version: undefined };
  }
}

function inOrder(findings: readonly Finding[]): readonly Finding[] {
  const key = ({ file, line, what }: Finding) => `${file}\0${String(line ?? 0).padStart(9, '0')}\0${what}`;
  return [...new Map(findings.map((each) => [key(each), each]))].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

type At = readonly (string | number)[];

function danglingNames({ parts, placeOf }: ReadParts): Finding[] {
  const { people, groups, acls, roles, owners, purposes } = parts;
  const findings: Finding[] = [];
  const require = (known: object, names: readonly string[], at: At, what: (name: string) => string) => {
    names.forEach((name, index) => {
      if (!Object.hasOwn(known, name)) findings.push({ severity: 'error', ...placeOf(...at, index), what: what(name) });
    });
  };
  const nobody = (where: string) => (name: string) => `${where} names ${name}, whom \`people\` does not know`;
  for (const [group, members] of Object.entries(groups)) require(people, members, ['groups', group], nobody(`groups.${group}`));
  for (const [owner, members] of Object.entries(owners)) require(people, members, ['owners', owner], nobody(`owners.${owner}`));
  for (const [role, members] of Object.entries(roles)) require(people, members, ['roles', role], nobody(`roles.${role}`));
  for (const [principal, { purposes: held }] of Object.entries(people))
    require(purposes, held, ['people', principal, 'purposes'], (name) =>
      `${principal} holds the purpose ${name}, which \`purposes\` does not name`);
  for (const [ref, grants] of Object.entries(acls)) {
    grants.forEach((grant, index) => {
      const at = ['acls', ref, index];
      require(groups, grant.groups, [...at, 'groups'], (name) => `acls.${ref} names the group ${name}, which \`groups\` does not have`);
      require(people, grant.principals, [...at, 'principals'], nobody(`acls.${ref}`));
      require(purposes, grant.purposes, [...at, 'purposes'], (name) =>
        `acls.${ref} names the purpose ${name}, which \`purposes\` does not name`);
    });
  }
  return findings;
}

/** Grants whose time is over, and lists of nobody. */
function idleGrants({ parts, placeOf }: ReadParts, now: Instant): Finding[] {
  const findings: Finding[] = [];
  for (const [ref, grants] of Object.entries(parts.acls)) {
    if (grants.length === 0) findings.push({ severity: 'warning', ...placeOf('acls', ref), what: `acls.${ref} lets nobody read` });
    grants.forEach(({ to }, index) => {
      const end = to === undefined ? undefined : instantIn(to);
      if (end !== undefined && end <= now)
        findings.push({ severity: 'warning', ...placeOf('acls', ref, index), what: `a grant of acls.${ref} ended ${to}` });
    });
  }
  for (const [group, members] of Object.entries(parts.groups))
    if (members.length === 0) findings.push({ severity: 'warning', ...placeOf('groups', group), what: `groups.${group} has no members` });
  return findings;
}

function unknownIdentity({ identity, file }: LibraryConfig, { parts }: ReadParts): Finding[] {
  if (Object.hasOwn(parts.people, identity.principal)) return [];
  const what = `identity.principal is ${identity.principal}, whom \`people\` does not know; this process may read nothing`;
  return [{ severity: 'error', file: file ?? '', what }];
}

/** A delegation only narrows (ATH-03): what is granted to somebody by name is not held by whoever answers for them. */
function namedAlone({ identity: { principal } }: LibraryConfig, { parts, placeOf }: ReadParts): Finding[] {
  return Object.entries(parts.acls).flatMap(([ref, grants]) =>
    grants.flatMap(({ principals }, index) =>
      principals
        .filter((each) => each !== principal && Object.hasOwn(parts.people, each))
        .map((each): Finding => {
          const what = `acls.${ref} is granted to ${each} by name, which ${principal}, as whom this library answers, does not hold: it counts for nobody who asks through it. Name a group that both are in`;
          return { severity: 'warning', ...placeOf('acls', ref, index, 'principals'), what };
        }),
    ),
  );
}

interface Against {
  readonly permissions: Permissions;
  readonly policy: Policy;
  /** The files of the policy; absent when colophon.yaml says it all. */
  readonly read?: ReadParts;
}

async function sourceFindings(config: LibraryConfig, { permissions, policy, read }: Against): Promise<Finding[]> {
  const { file = '', sources } = config;
  const lineOf = file === '' ? () => undefined : readStrictYaml(await boundedText(file), file, configFile).lineOf;
  const findings: Finding[] = [];
  const find = (severity: Finding['severity'], at: At, what: string) => {
    const line = lineOf(at);
    findings.push({ severity, file, ...(line === undefined ? {} : { line }), what });
  };
  const used = new Set<string>();
  const isWhole = read?.isPartial !== true;
  sources.forEach((source, index) => {
    const at: At = ['sources', index];
    const readers = (ref: string, where: At) => {
      used.add(ref);
      if (isWhole && ref !== OWNER_ONLY && !Object.hasOwn(permissions, ref))
        find('error', where, `source ${source.id}: the permissions ref ${ref} leads nowhere; nobody may read it`);
    };
    for (const ref of refsOf(source.permissionsRef)) readers(ref, [...at, 'permissions']);
    source.rules.forEach((rule, place) => {
      for (const ref of rule.permissionsRef === undefined ? [] : refsOf(rule.permissionsRef)) readers(ref, [...at, 'rules', place]);
      const idle = whyIdle(source, place);
      if (idle !== undefined)
        find('warning', [...at, 'rules', place], `source ${source.id}: the rule for ${rule.glob} can never count: ${idle}`);
    });
    const against = { permissions, policy, ...(read === undefined ? {} : { read }) };
    for (const [key, what, severity] of isWhole ? registrationFaults(source, config, against) : [])
      find(severity, [...at, key], `source ${source.id}: ${what}`);
  });
  if (read !== undefined && isWhole)
    for (const ref of Object.keys(permissions))
      if (!used.has(ref))
        findings.push({ severity: 'warning', ...read.placeOf('acls', ref), what: `no source and no rule names acls.${ref}` });
  return findings;
}

/** What keeps the source from being approved. */
function registrationFaults(
  { owner, retentionPolicy, allowedPurposes }: SourceRegistration,
  config: LibraryConfig,
  { policy, read }: Against,
) {
  const faults: [string, string, Finding['severity']][] = [];
  const severity = read === undefined ? 'warning' : 'error';
  const owned = (policy.owners[owner]?.length ?? 0) > 0 || isKnownPerson(owner, read?.parts, config);
  if (!owned) faults.push(['owner', `the owner ${owner} stands for nobody; it cannot be approved`, severity]);
  if (!Object.hasOwn(policy.retention, retentionPolicy))
    faults.push(['retention_policy', `there is no retention policy ${retentionPolicy}`, severity]);
  const declared = read?.parts.purposes;
  for (const purpose of declared === undefined ? [] : allowedPurposes)
    if (declared !== undefined && !Object.hasOwn(declared, purpose))
      faults.push(['allowed_purposes', `\`purposes\` does not name ${purpose}`, severity]);
  return faults;
}

function isKnownPerson(owner: string, parts: PolicyParts | undefined, { identity, people }: LibraryConfig): boolean {
  return owner.startsWith('person:') && (owner === identity.principal || Object.hasOwn(parts?.people ?? people ?? {}, owner));
}

/** Why the rule changes no page, whatever it matches. */
function whyIdle({ rules, classification, permissionsRef, trustTier }: SourceRegistration, place: number): string | undefined {
  const { glob, ...fields } = rules[place] ?? { glob: '' };
  const said = Object.keys(fields);
  if (said.length === 0) return 'it says nothing';
  const later = rules
    .slice(place + 1)
    .find((each) => covers(each.glob, glob) && said.every((field) => each[field as keyof PathRule] !== undefined));
  if (later !== undefined) return `the rule for ${later.glob}, further down, says all of it anew`;
  const loosens = (stated: Classification) => stricter(classification, stated) === classification;
  const noops = said.filter(
    (field) =>
      (field === 'classification' && fields.classification !== undefined && loosens(fields.classification)) ||
      (field === 'permissionsRef' && fields.permissionsRef === permissionsRef) ||
      (field === 'trustTier' && fields.trustTier === trustTier),
  );
  return noops.length === said.length ? 'the source itself is as strict already, and a rule never loosens' : undefined;
}

function covers(wide: string, narrow: string): boolean {
  if (wide === narrow || wide === '**') return true;
  return wide.endsWith('/**') && narrow.startsWith(wide.slice(0, -2));
}
