/** A library that is served by the built command to many clients, each of which has a page that is for it alone. */
import { once } from 'node:events';
import { environment, type RunningServer, runCommand, type Surroundings, startServer } from './built-command.js';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.js';

export interface ServedLibrary extends RunningServer {
  readonly folder: TemporaryFolder;
  readonly surroundings: Surroundings;
  /** Of each client, in their order. */
  readonly tokens: readonly string[];
  stop(): Promise<number | null>;
  dispose(): void;
}

export const canaryOf = (client: number) => `canary-${String(client).padStart(3, '0')}-numbat`;

/** `limits` as lines of colophon.yaml under `serve.limits`. */
export async function servedLibrary(clients: number, limits: Readonly<Record<string, number>> = {}): Promise<ServedLibrary> {
  const folder = temporaryFolder();
  const home = temporaryFolder();
  const surroundings = { cwd: folder.path, env: environment(home.path) };
  const all = Array.from({ length: clients }, (_, at) => at);
  folder.write('colophon.yaml', configFor(all, limits));
  for (const at of all) folder.write(`part-${at}/keys.md`, `# Keys\n\nThe signing key is rotated by ${canaryOf(at)}.\n`);
  await succeeded(['index', '--quiet'], surroundings);
  const tokens: string[] = [];
  for (const at of all) tokens.push((await succeeded(['token', 'create', '--for', `person:p${at}`], surroundings)).trim());
  const server = await startServer(surroundings);
  const child = server.process;
  return {
    ...server,
    folder,
    surroundings,
    tokens,
    stop: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      return child.exitCode;
    },
    dispose: () => {
      child.kill('SIGKILL');
      folder.dispose();
      home.dispose();
    },
  };
}

async function succeeded(args: readonly string[], surroundings: Surroundings): Promise<string> {
  const { code, stdout, stderr } = await runCommand(args, surroundings);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

function configFor(clients: readonly number[], limits: Readonly<Record<string, number>>): string {
  const tenants = clients.map((at) => `t${at}`).join(', ');
  const people = clients.map((at) => `  person:p${at}: { tenants: [t${at}], purposes: [assist], groups: [staff], ceiling: internal }`);
  const sources = clients.map(
    (at) => `  - id: part-${at}
    owner: role:docs
    authority_class: reference
    connector_identity: workload://colophon/directory
    location: { connector: directory, path: ./part-${at} }
    classification: internal
    tenant_scope: [t${at}]
    allowed_purposes: [assist]
    freshness_slo: P30D
    retention_policy: keep@1
    correction_and_deletion: source-authoritative
    state: approved
    permissions: everyone
    trust_tier: trusted`,
  );
  const limited = Object.entries(limits).map(([name, value]) => `    ${name}: ${value}`);
  return `version: 1
profile: team
identity: { principal: person:ada, tenants: [${tenants}], purposes: [assist], groups: [staff], ceiling: restricted }
permissions: { everyone: [staff] }
people:
${people.join('\n')}
${limited.length === 0 ? '' : `serve:\n  limits:\n${limited.join('\n')}\n`}sources:
${sources.join('\n')}
`;
}
