/**
 * A library of two tenants with one page in each state a page can be in, and the HTTP surface over it, in this process: requests go in
 * and answers come out as they would over a socket. A world can be made without one of its pages, to be compared with.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Scope } from '../../src/app/access/scopes.js';
import { addToken } from '../../src/app/access/token-file.js';
import { ContextCache } from '../../src/app/asking/context-cache.js';
import { AuditLog } from '../../src/app/audit/audit-log.js';
import { resolveConfig } from '../../src/app/configuration/config.js';
import type { IssuerConfig } from '../../src/app/configuration/serve-config.js';
import { openContainer } from '../../src/app/container.js';
import type { Narrowing } from '../../src/app/identity.js';
import { learn } from '../../src/app/learning/learn.js';
import type { Library } from '../../src/app/library.js';
import { OPERATIONS } from '../../src/app/operations/all.js';
import type { Operation } from '../../src/app/operations/catalogue.js';
import { type HttpApp, httpApp } from '../../src/interfaces/http/app.js';
import type { HttpHost } from '../../src/interfaces/http/http-host.js';
import { Refusals } from '../../src/interfaces/http/metrics.js';
import type { Limits, Settings } from '../../src/interfaces/http/settings.js';
import { mcpServer } from '../../src/interfaces/mcp/server.js';
import type { Instant } from '../../src/kernel/clock.js';
import { memoryFolder, type TemporaryFolder } from './temporary-folder.js';

export const NOW = Date.UTC(2026, 10, 30, 12) as Instant;
export const PORT = 7_350;
export const BASE = `http://127.0.0.1:${PORT}`;

/** What can stand between a caller and a page. */
export const STATES = ['own', 'other-tenant', 'wrong-purpose', 'no-grant', 'revoked', 'suspended', 'deleted', 'nonexistent'] as const;
export type State = (typeof STATES)[number];
type Kept = Exclude<State, 'nonexistent'>;
const KEPT = STATES.filter((state): state is Kept => state !== 'nonexistent');

/** A word that stands on one page alone. */
export const wordOf = (state: State) => `quokka${state.replace('-', '')}`;
export const pathOf = (state: State) => `${state}-page.md`;

export const PEOPLE = ['person:reader', 'person:other', 'person:auditor', 'person:stranger', 'person:low', 'person:board'] as const;
export type Person = (typeof PEOPLE)[number];

/** Who may see what, written down here once more. */
export const MAY_SEE: Readonly<Record<Person, readonly State[]>> = {
  'person:reader': ['own'],
  'person:other': ['other-tenant'],
  'person:auditor': ['wrong-purpose'],
  'person:stranger': [],
  'person:low': [],
  'person:board': ['own', 'no-grant'],
};

const RIGHTS: Readonly<Record<Person, string>> = {
  'person:reader': '{ tenants: [north], purposes: [assist], groups: [staff], ceiling: confidential }',
  'person:other': '{ tenants: [south], purposes: [assist], groups: [staff], ceiling: confidential }',
  'person:auditor': '{ tenants: [north], purposes: [audit], groups: [staff], ceiling: confidential }',
  'person:stranger': '{ tenants: [north], purposes: [assist], groups: [guests], ceiling: confidential }',
  'person:low': '{ tenants: [north], purposes: [assist], groups: [staff], ceiling: public }',
  'person:board': '{ tenants: [north], purposes: [assist], groups: [staff, board], ceiling: confidential }',
};

const sourceOf = (state: Kept): string => `  - id: ${state}
    owner: role:${state}
    authority_class: reference
    connector_identity: workload://colophon/directory
    location: { connector: directory, path: ./${state} }
    classification: internal
    tenant_scope: [${state === 'other-tenant' ? 'south' : 'north'}]
    allowed_purposes: [${state === 'wrong-purpose' ? 'audit' : 'assist'}]
    freshness_slo: P30D
    retention_policy: keep@1
    correction_and_deletion: source-authoritative
    state: approved
    permissions: ${state === 'no-grant' ? 'board' : 'everyone'}
    trust_tier: trusted
`;

const CONFIG = `version: 1
profile: team
identity:
  principal: person:ada
  tenants: [north, south]
  purposes: [assist, audit]
  groups: [staff, board, guests]
  ceiling: restricted
permissions: { everyone: [staff], board: [board] }
people:
${PEOPLE.map((person) => `  ${person}: ${RIGHTS[person]}`).join('\n')}
sources:
${KEPT.map(sourceOf).join('')}`;

export interface HttpWorld {
  readonly folder: TemporaryFolder;
  readonly library: Library;
  readonly app: HttpApp;
  /** What the app is made of, to be served on a socket. */
  readonly host: HttpHost;
  readonly audit: AuditLog;
  readonly stop: AbortController;
  readonly logged: string[];
  token(person: string, more?: { readonly scopes?: readonly Scope[]; readonly tenants?: readonly string[] }): Promise<string>;
  ask(method: 'GET' | 'POST', path: string, how?: Asking): Promise<Response>;
  dispose(): Promise<void>;
}

export interface Asking {
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface WorldOptions {
  readonly without?: State;
  readonly launch?: Narrowing;
  readonly issuers?: readonly IssuerConfig[];
  readonly resource?: string;
  readonly limits?: Partial<Limits>;
  readonly anonymous?: boolean;
  /** Who may what stands in a policy of its own, `contracts/policy/policy.yaml`. */
  readonly policy?: string;
  /** Besides those of the catalogue. */
  readonly operations?: readonly Operation[];
}

const READ: readonly Scope[] = ['colophon:read'];

const ROOMY: Limits = {
  bodyBytes: 1_048_576,
  requestsPerSecond: 100_000,
  burst: 100_000,
  concurrent: 8,
  queued: 10_000,
  waitMs: 60_000,
  seconds: 30,
  drainSeconds: 2,
  connections: 100,
  connectionsPerAddress: 100,
  threads: 1,
};

const key = (use: string) => Buffer.from(use.padEnd(32, '.'));

export async function httpWorld(options: WorldOptions = {}): Promise<HttpWorld> {
  const folder = memoryFolder();
  if (options.policy === undefined) folder.write('colophon.yaml', CONFIG);
  else {
    folder.write('colophon.yaml', CONFIG.replace(/permissions: \{[\s\S]*?(?=sources:)/, ''));
    folder.write('contracts/policy/policy.yaml', options.policy);
  }
  for (const state of KEPT) {
    mkdirSync(join(folder.path, state), { recursive: true });
    folder.write(`${state}/about.md`, `# About this part\n\nEvery part has a page that says so, kangaroo.\n`);
    if (state !== options.without)
      folder.write(
        `${state}/${pathOf(state)}`,
        `# Page of the ${state} part\n\nThe ${wordOf(state)} sleeps here. See [about](about.md).\n`,
      );
  }
  const config = await resolveConfig({ folder: folder.path, env: {}, cwd: folder.path });
  const library = { ...(await openContainer(config, { now: () => NOW })), contexts: new ContextCache() };
  await learn(library);
  await moveOn(library);
  const logged: string[] = [];
  const log = (text: string) => void logged.push(text);
  const audit = new AuditLog({ stateFolder: config.stateFolder, flushMs: 200, key, now: () => NOW });
  const stop = new AbortController();
  const indexing = { beforeAnswer: async () => undefined, problems: () => [] };
  const host: HttpHost = {
    version: '0.0.0',
    operations: [...OPERATIONS, ...(options.operations ?? [])],
    library,
    launch: options.launch ?? {},
    settings: settingsOf(options),
    audit,
    indexing,
    mcp: (door, leaving) =>
      mcpServer({
        version: '0.0.0',
        operations: async () => host.operations,
        library: async () => door.library,
        ask: door.ask,
        indexing,
        leaving,
        log,
        audit: async () => audit,
        request: door.request,
      }),
    stopping: stop.signal,
    log,
    keyFor: key,
  };
  const app = httpApp(host, { port: PORT, connections: () => 0, refusals: new Refusals() });
  return {
    folder,
    library,
    app,
    host,
    audit,
    stop,
    logged,
    token: async (person, { scopes = READ, tenants } = {}) => {
      const row = {
        note: '',
        principal: person,
        workload: 'workload://api/test',
        client: 'unnamed',
        scopes,
        ...(tenants === undefined ? {} : { tenants }),
        createdAt: new Date(Date.now() - 1_000).toISOString(),
        expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
      };
      return (await addToken(config.stateFolder, row, key)).token;
    },
    ask: (method, path, { token, body, headers = {} } = {}) =>
      app.fetch(
        new Request(`${BASE}${path}`, {
          method,
          headers: {
            host: `127.0.0.1:${PORT}`,
            ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        }),
        { address: '127.0.0.1', headerFields: 3 + Object.keys(headers).length },
      ),
    dispose: async () => {
      await app.close();
      audit.close();
      await library.close();
      rmSync(folder.path, { recursive: true, force: true });
    },
  };
}

function settingsOf({ issuers = [], resource, limits = {}, anonymous = false }: WorldOptions): Settings {
  return {
    host: '127.0.0.1',
    port: PORT,
    ...(resource === undefined ? {} : { resource }),
    allowedHosts: [],
    allowedOrigins: [],
    issuers,
    anonymous,
    limits: { ...ROOMY, ...limits },
  };
}

/** Sources whose text was served, and is not any more. */
async function moveOn({ records }: Library): Promise<void> {
  const by = { actor: 'person:ada', reason: 'test' };
  await records.registry.move('revoked', 'revoke', by, NOW);
  await records.registry.move('suspended', 'suspend', by, NOW);
  await records.registry.move('deleted', 'revoke', by, NOW);
  await records.registry.move('deleted', 'delete', by, NOW);
}

/** All of an answer that may not differ: status, headers and bytes, without the id and the date. */
export async function bytesOf(response: Response): Promise<string> {
  const headers = [...response.headers].filter(([name]) => name !== 'request-id' && name !== 'date').sort();
  return JSON.stringify([response.status, headers, await response.text()]);
}
