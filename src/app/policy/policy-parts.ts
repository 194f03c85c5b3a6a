/**
 * From the files of a policy to its parts, each named once; what makes it unusable is a finding with file and line.
 *
 * Invariant: a policy with a finding of this module is not used at all. A name that leads nowhere is none: it grants nothing, and
 * `policy check` reports it.
 */
import { byRole, MOST_READERS, type Role } from '../../domain/policy.js';
import { Fault } from '../../kernel/errors.js';
import { readStrictYaml, type StrictYaml } from '../configuration/strict-yaml.js';
import { instantIn } from './instant-in.js';
import type { PolicyText } from './policy-files.js';
import { type PolicyFile, policyFile } from './policy-schema.js';

export interface Finding {
  readonly severity: 'error' | 'warning';
  readonly file: string;
  readonly line?: number;
  readonly what: string;
}

type Section<Name extends keyof PolicyFile> = NonNullable<PolicyFile[Name]>;

export interface PolicyParts {
  readonly purposes: Section<'purposes'>;
  readonly people: Section<'people'>;
  readonly groups: Section<'groups'>;
  readonly acls: Section<'acls'>;
  readonly roles: Readonly<Record<Role, readonly string[]>>;
  readonly owners: Section<'owners'>;
  readonly retention: Section<'retention'>;
}

export interface ReadParts {
  readonly parts: PolicyParts;
  /** Any of these and the policy is not used. */
  readonly findings: readonly Finding[];
  /** A file could not be read, so that whatever it says is missing from the parts. */
  readonly isPartial: boolean;
  /** Where a key stands, for what is found about it later. */
  placeOf(...path: readonly (string | number)[]): { readonly file: string; readonly line?: number };
}

const SECTIONS = ['purposes', 'people', 'groups', 'acls', 'owners', 'retention'] as const;
/** A group may be larger than a list of readers: it is a list of people. */
const MOST_MEMBERS = 10_000;

interface ReadFile extends StrictYaml<PolicyFile> {
  readonly file: string;
}

export function readParts(files: readonly PolicyText[]): ReadParts {
  const findings: Finding[] = [];
  const read: ReadFile[] = [];
  for (const { file, text } of files) {
    try {
      read.push({ file, ...readStrictYaml(text, file, policyFile) });
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'config/invalid') throw error;
      const { line, key, expected } = (error as Fault<'config/invalid'>).data;
      findings.push({ severity: 'error', file, ...(line === undefined ? {} : { line }), what: `${key} must be ${expected}` });
    }
  }
  const holderOf = (path: readonly (string | number)[]) => read.find(({ value }) => isIn(value, path.slice(0, 2)));
  const placeOf = (...path: readonly (string | number)[]) => {
    const holder = holderOf(path) ?? read[0];
    const line = holder?.lineOf(path);
    return { file: holder?.file ?? files[0]?.file ?? '', ...(line === undefined ? {} : { line }) };
  };
  findings.push(...doubled(read));
  const parts = partsOf(read);
  return { parts, placeOf, findings: [...findings, ...unusable(parts, placeOf)], isPartial: read.length < files.length };
}

function isIn(value: PolicyFile, [section, key]: readonly (string | number)[]): boolean {
  const held = (value as Readonly<Record<string, unknown>>)[String(section)];
  return typeof held === 'object' && held !== null && (key === undefined || Object.hasOwn(held, key));
}

function partsOf(read: readonly ReadFile[]): PolicyParts {
  const section = (name: (typeof SECTIONS)[number]) => Object.fromEntries(read.flatMap(({ value }) => Object.entries(value[name] ?? {})));
  return {
    ...(Object.fromEntries(SECTIONS.map((name) => [name, section(name)])) as unknown as Omit<PolicyParts, 'roles'>),
    roles: byRole((role) => read.flatMap(({ value }) => value.roles?.[role] ?? [])),
  };
}

/** Two files that say something of the same thing: which of them counts is not ours to guess. */
function doubled(read: readonly ReadFile[]): Finding[] {
  const findings: Finding[] = [];
  for (const section of [...SECTIONS, 'roles'] as const) {
    const seen = new Map<string, string>();
    for (const { file, value, lineOf } of read) {
      for (const key of Object.keys(value[section] ?? {})) {
        const first = seen.get(key);
        const line = lineOf([section, key]);
        if (first === undefined) seen.set(key, file);
        else
          findings.push({
            severity: 'error',
            file,
            ...(line === undefined ? {} : { line }),
            what: `${section}.${key} stands in ${first} too; each thing is said once`,
          });
      }
    }
  }
  return findings;
}

function unusable({ acls, groups, people }: PolicyParts, placeOf: ReadParts['placeOf']): Finding[] {
  const findings: Finding[] = [];
  const refuse = (path: readonly (string | number)[], what: string) => findings.push({ severity: 'error', ...placeOf(...path), what });
  for (const [ref, grants] of Object.entries(acls)) {
    const named = grants.reduce((sum, each) => sum + each.groups.length + each.principals.length, 0);
    if (Math.max(grants.length, named) > MOST_READERS)
      refuse(
        ['acls', ref],
        `acls.${ref} names ${Math.max(grants.length, named)} readers, more than ${MOST_READERS}; name a group. A list is refused, never cut`,
      );
    grants.forEach(({ from, to }, at) => {
      const [begin, end] = [from, to].map((text) => (text === undefined ? undefined : instantIn(text)));
      if (begin !== undefined && end !== undefined && end <= begin) refuse(['acls', ref, at], `acls.${ref}[${at}] ends before it begins`);
    });
  }
  for (const [group, members] of Object.entries(groups))
    if (members.length > MOST_MEMBERS) refuse(['groups', group], `groups.${group} has more than ${MOST_MEMBERS} members`);
  const holders = new Map<string, string>();
  for (const [principal, { keys }] of Object.entries(people)) {
    if (keys.length > 0 && !principal.startsWith('person:'))
      refuse(['people', principal, 'keys'], `${principal} is no person; only a person signs`);
    for (const key of keys) {
      const other = holders.get(key);
      // Two names with one key are one person, or a shared identity: neither can be two people's word.
      if (other !== undefined && other !== principal)
        refuse(['people', principal, 'keys'], `${principal} and ${other} share a key; a key is one person’s`);
      holders.set(key, principal);
    }
  }
  return findings;
}
