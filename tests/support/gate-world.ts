/** A library with nothing but its records, for the gate: packages of any tiers are stored, tools are called, people rule. */
import { openRecords } from '../../src/adapters/stores/sqlite/records.js';
import type { Library } from '../../src/app/library.js';
import type { Call } from '../../src/app/operations/catalogue.js';
import { type GateAnswer, gate } from '../../src/app/operations/gate.js';
import { callKey, type Ruling, type ToolCall } from '../../src/domain/approval.js';
import { isFenced, type TrustTier } from '../../src/domain/authority.js';
import type { PackageBody, PackageItem } from '../../src/domain/context-package.js';
import type { GateDecision } from '../../src/domain/gate.js';
import { toolPolicyWith } from '../../src/domain/tool-policy.js';
import type { Day, Instant } from '../../src/kernel/clock.js';
import { digestOf, sha256 } from '../../src/kernel/digest.js';
import { registrationAt } from './registrations.js';
import { memoryFolder } from './temporary-folder.js';

export type Tenant = 'local' | 'acme';

export interface GateWorld {
  readonly library: Library;
  dispose(): Promise<void>;
}

/** What a mutant does to the library before the gate sees it. */
export type Mutant = (library: Library) => Library;

export function gateWorld(mutant: Mutant = (library) => library, strangers = true): GateWorld {
  const folder = memoryFolder();
  const records = openRecords({ file: ':memory:' });
  const sources = [registrationAt({ path: folder.path }, { trustTier: strangers ? 'untrusted' : 'trusted' })];
  const config = { root: '/nowhere', stateFolder: folder.path, sources, gate: toolPolicyWith(undefined) };
  const parts: Partial<Library> = {
    config: config as unknown as Library['config'],
    records,
    scanner: { version: 'none', scan: async () => [] },
  };
  return {
    library: mutant(parts as Library),
    dispose: async () => {
      await records.close();
      folder.dispose();
    },
  };
}

let made = 0;

/** A package of one item a tier, of nothing when there is none; each is another package. */
export async function compile({ records }: Library, attempt: string, tiers: readonly TrustTier[], at = 0): Promise<void> {
  made += 1;
  const body = bodyOf(`question ${made}`, tiers);
  await records.packages.store({ digest: digestOf(body), body }, { attempt, createdAt: at as Instant, annex: {} });
}

function bodyOf(text: string, tiers: readonly TrustTier[]): PackageBody {
  return {
    format: 'colophon/package@1',
    status: tiers.length === 0 ? 'no_context' : 'frozen',
    reason: '',
    request: {
      text,
      profile: 'preamble',
      requester: 'person:ada',
      workload: 'workload://test',
      tenant: 'local',
      purpose: 'answer',
      groups: [],
      ceiling: 'internal',
      client: 'claude-code',
      locality: 'remote',
      model: 'generic',
      scope: {},
      asOf: '2026-06-15' as Day,
    },
    versions: { compiler: 'c', analyzer: 'a', rankingPolicy: sha256('r'), contextPolicy: sha256('c'), manifest: sha256('m') },
    budget: { ceiling: 1500, used: 0, classes: {} },
    items: tiers.map(itemOf),
    excluded: [],
    gaps: [],
    conflicts: [],
    taint: tiers.some(isFenced),
    classification: 'public',
    expires: '2026-06-22' as Day,
  };
}

function itemOf(tier: TrustTier, position: number): PackageItem {
  return {
    position,
    class: 'reference',
    artifact: `ka_${String(position).padStart(32, '0')}`,
    source: 'docs',
    path: 'page.md',
    blob: '0'.repeat(40),
    title: 'Page',
    headingPath: [],
    anchor: '',
    lines: { start: 1, end: 1 },
    bytes: { start: 0, end: 4 },
    excerpt: 'text',
    excerptDigest: sha256('text'),
    tokens: 10,
    tier,
    classification: 'internal',
    labels: [],
    duplicates: [],
    reason: 'best match',
  };
}

export interface ToolUse {
  readonly attempt: string;
  readonly tool: string;
  readonly destination: string;
  readonly payload: string;
  readonly tenant?: Tenant;
}

export async function callTool(library: Library, use: ToolUse, at: number): Promise<GateAnswer> {
  const { tenant = 'local', ...input } = use;
  const requester = { principal: 'person:ada', workload: 'workload://test', tenant, purpose: 'answer', groups: new Set<string>() };
  const ask = { requester, at: at as Instant, freshnessCritical: false };
  const call = { library, ask, signal: new AbortController().signal, progress: () => undefined } as unknown as Call;
  return gate.run(gate.input.parse(input), call);
}

export async function decided(library: Library, use: ToolUse, at: number): Promise<GateDecision> {
  return (await callTool(library, use, at)).decision;
}

export function toolCallOf({ tenant = 'local', payload, ...rest }: ToolUse): ToolCall {
  return { tenant, ...rest, payload: sha256(payload) };
}

/** As `colophon approve` does once the person has said yes: on a call that was asked for. */
export async function ruleOn({ records }: Library, use: ToolUse, ruling: Omit<Ruling, 'by' | 'reason'>): Promise<void> {
  const call = toolCallOf(use);
  await records.approvals.rule(callKey(call), { ...ruling, by: 'person:ada', reason: '' });
}
