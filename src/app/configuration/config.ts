/**
 * Which library is meant, and what it is made of: finds colophon.yaml, or takes a bare folder as a library of one source.
 *
 * Order of say: defaults < colophon.yaml < environment (COLOPHON_*) < flags.
 *
 * Invariant: nothing found in a checkout runs; nothing is ever written into a folder that has no colophon.yaml.
 */
import { realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { MODEL_PROFILES } from '../../domain/model-profile.js';
import { DEFAULT_RANKING } from '../../domain/ranking-policy.js';
import type { ClientProfile } from '../../domain/requester.js';
import type { SourceRegistration } from '../../domain/source.js';
import { toolPolicyWith } from '../../domain/tool-policy.js';
import { Fault } from '../../kernel/errors.js';
import type { LibraryConfig, PolicyPlace, Rights } from '../library.js';
import { PERSONAL, PERSONAL_PERMISSIONS } from '../personal.js';
import { hadPolicy, isThere, stateFolderFor } from '../state-folder.js';
import type { ConfigFile } from './config-schema.js';
import { registerFolder, registerSources } from './registration.js';

export const CONFIG_NAME = 'colophon.yaml';
/** Where a policy stands unless `policy` names another place. */
export const POLICY_FOLDER = 'contracts/policy';

/** Clients known without being declared. Any other name is remote. */
const BUILT_IN_CLIENTS: readonly ClientProfile[] = [
  { name: 'terminal', locality: 'local' },
  { name: 'claude-code', locality: 'remote' },
  { name: 'codex', locality: 'remote' },
  { name: 'cursor', locality: 'remote' },
  { name: 'vscode', locality: 'remote' },
];

export interface WhichLibrary {
  /** The folder asked about; the working folder when absent. */
  readonly folder?: string;
  /** `--root`: this folder is the library, whatever stands above it. Wins over COLOPHON_ROOT. */
  readonly root?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** `unread`: leave policy files to the caller, who looks at what is wrong with them. Nothing is allowed then. */
  readonly policy?: 'unread';
}

export async function resolveConfig(which: WhichLibrary): Promise<LibraryConfig> {
  const forced = which.root ?? (which.folder === undefined ? which.env['COLOPHON_ROOT'] : undefined);
  const folder = await folderAt(resolve(which.cwd, forced ?? which.folder ?? '.'));
  const file = forced === undefined ? await findUpward(folder) : await existing(join(folder, CONFIG_NAME));
  const asked = forced === undefined ? which.folder : undefined;
  if (file !== undefined) {
    const configured = await configuredLibrary(file, which);
    if (asked === undefined || speaksFor(configured, folder)) return configured;
  }
  if (forced === undefined && which.folder === undefined) await refuseEverything(folder, which.env);
  return bareFolder(folder, which.env);
}

/** The root of the library that the working folder leads to by itself; undefined where it leads to none. */
export async function rootAround({ env, cwd }: Pick<WhichLibrary, 'env' | 'cwd'>): Promise<string | undefined> {
  const forced = env['COLOPHON_ROOT'];
  try {
    const folder = await folderAt(resolve(cwd, forced ?? '.'));
    if (forced !== undefined) return folder;
    const file = await findUpward(folder);
    if (file !== undefined) return dirname(file);
    await refuseEverything(folder, env);
    return folder;
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** A whole disk or a whole home is walked only by who names it. */
async function refuseEverything(folder: string, env: WhichLibrary['env']): Promise<void> {
  const home = await realpath(env['HOME'] || homedir()).catch(() => '');
  if (folder !== home && folder !== dirname(folder)) return;
  const reason = `this is ${folder === home ? 'your home folder' : 'the whole disk'}, and it has no ${CONFIG_NAME}`;
  const hint = `Name a folder: colophon ./docs "your question". If you mean all of this one, name it: colophon ${folder} "your question".`;
  throw new Fault('library/missing', { path: folder, reason, hint });
}

async function configuredLibrary(file: string, { env, policy }: Pick<WhichLibrary, 'env' | 'policy'>): Promise<LibraryConfig> {
  // yaml and the schema are only loaded where there is a file: a bare folder must start fast.
  const { modelsOf, readConfigFile } = await import('./config-file.js');
  const { contextPolicyOf } = await import('./context-config.js');
  const config = await readConfigFile(file);
  const root = dirname(file);
  const { sources, problems } = await registerSources(config, root, file);
  const personal = config.profile === 'personal';
  const stateFolder = stateFolderFor({ root, configured: true, env });
  const place = await policyPlaceOf(config, { root, file, stateFolder });
  const fallback = personal ? personalRights(sources, config.permissions) : NO_RIGHTS;
  const library: LibraryConfig = {
    profile: config.profile,
    root,
    file,
    stateFolder,
    sources,
    permissions: place !== undefined ? {} : { ...(personal ? PERSONAL_PERMISSIONS : {}), ...config.permissions },
    identity: {
      principal: config.identity?.principal ?? 'person:local',
      ...(place === undefined ? rightsFrom(config.identity, fallback) : NO_RIGHTS),
    },
    people: Object.fromEntries(Object.entries(config.people ?? {}).map(([name, rights]) => [name, rightsFrom(rights, NO_RIGHTS)])),
    clients: clientsOf(config.clients ?? {}),
    ...modelsOf(config, root),
    ranking: DEFAULT_RANKING,
    context: contextPolicyOf(
      config,
      sources.map(({ id }) => id),
      file,
    ),
    gate: toolPolicyWith(config.gate),
    ...(config.vocabulary === undefined ? {} : { vocabularyFile: resolve(root, config.vocabulary) }),
    ...(config.serve === undefined ? {} : { serve: (await import('./serve-config.js')).serveConfigOf(config.serve) }),
    ...(config.audit?.file_bytes === undefined ? {} : { auditFileBytes: config.audit.file_bytes }),
    problems,
    ...(place === undefined ? {} : { policyPlace: place }),
  };
  if (place === undefined || policy === 'unread') return library;
  return (await import('../policy/current-policy.js')).withPolicy(library);
}

interface Standing {
  readonly root: string;
  readonly file: string;
  readonly stateFolder: string;
}

/**
 * A policy of its own, named or where it stands by default: then it alone says who may what. One that stood there by default and is gone
 * is missed, until colophon.yaml says who may what in its place.
 */
async function policyPlaceOf(config: ConfigFile, { root, file, stateFolder }: Standing): Promise<PolicyPlace | undefined> {
  const path = resolve(root, config.policy ?? POLICY_FOLDER);
  const isDefault = config.policy === undefined;
  if (isDefault && !(await isThere(path))) {
    const saysItself = config.permissions !== undefined || config.people !== undefined;
    return !saysItself && (await hadPolicy(stateFolder)) ? { path, isDefault, identity: {} } : undefined;
  }
  const both = (['permissions', 'people'] as const).find((key) => config[key] !== undefined);
  if (both !== undefined)
    throw new Fault('config/invalid', { file, key: both, expected: `left out: ${config.policy ?? POLICY_FOLDER} says who may what` });
  const { principal: _, ...written } = config.identity ?? {};
  const identity = Object.fromEntries(Object.entries(written).filter(([, value]) => value !== undefined));
  return { path, identity, ...(isDefault ? { isDefault } : {}) };
}

async function bareFolder(folder: string, env: WhichLibrary['env']): Promise<LibraryConfig> {
  const sources = [await registerFolder(folder)];
  return {
    profile: 'personal',
    root: folder,
    stateFolder: stateFolderFor({ root: folder, configured: false, env }),
    sources,
    permissions: PERSONAL_PERMISSIONS,
    identity: { principal: 'person:local', ...personalRights(sources) },
    people: {},
    clients: BUILT_IN_CLIENTS,
    models: MODEL_PROFILES,
    ranking: DEFAULT_RANKING,
    problems: [],
  };
}

/** One person holds all roles: every owner's, and every group that is named. */
function personalRights(sources: readonly SourceRegistration[], permissions: Readonly<Record<string, readonly string[]>> = {}): Rights {
  const owners = new Set(sources.map((each) => `owner:${each.owner}`));
  const others = (pick: (source: SourceRegistration) => readonly string[], first: string) => [
    ...new Set([first, ...sources.flatMap(pick)]),
  ];
  return {
    groups: [...new Set([PERSONAL.group, ...owners, ...Object.values(permissions).flat()])],
    tenants: others((each) => each.tenantScope, PERSONAL.tenant),
    purposes: others((each) => each.allowedPurposes, PERSONAL.purpose),
    ceiling: 'restricted',
  };
}

/** Closed by default: what is not declared is not held. */
const NO_RIGHTS: Rights = { groups: [], tenants: [], purposes: [], ceiling: 'public' };

function rightsFrom(declared: Partial<{ [K in keyof Rights]: Rights[K] | undefined }> | undefined, fallback: Rights): Rights {
  return {
    groups: declared?.groups ?? fallback.groups,
    tenants: declared?.tenants ?? fallback.tenants,
    purposes: declared?.purposes ?? fallback.purposes,
    ceiling: declared?.ceiling ?? fallback.ceiling,
  };
}

function clientsOf(declared: Readonly<Record<string, 'local' | 'remote'>>): readonly ClientProfile[] {
  const named = Object.entries(declared).map(([name, locality]): ClientProfile => ({ name, locality }));
  return [...named, ...BUILT_IN_CLIENTS.filter((each) => declared[each.name] === undefined)];
}

/** True when the configured library covers the folder asked about, or the folder holds one of its sources. */
function speaksFor(config: LibraryConfig, folder: string): boolean {
  const inside = (inner: string, outer: string) => inner === outer || inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`);
  return folder === config.root || config.sources.some(({ location }) => inside(folder, location.path) || inside(location.path, folder));
}

async function findUpward(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const found = await existing(join(at, CONFIG_NAME));
    if (found !== undefined || dirname(at) === at) return found;
  }
}

async function existing(file: string): Promise<string | undefined> {
  const entry = await stat(file).catch(() => undefined);
  // What is there and no file is refused when it is read: a library that declares something is never opened as one that declares nothing.
  return entry === undefined ? undefined : file;
}

async function folderAt(path: string): Promise<string> {
  const entry = await stat(path).catch((error: NodeJS.ErrnoException) => error);
  if (entry instanceof Error) {
    const reason = entry.code === 'ENOENT' ? 'there is no such folder' : `cannot be read (${entry.code ?? entry.message})`;
    throw new Fault('library/missing', { path, reason });
  }
  if (!entry.isDirectory()) throw new Fault('library/missing', { path, reason: 'this is a file, not a folder' });
  return realpath(path);
}
