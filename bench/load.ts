/**
 * `npm run bench:load -- --folder DIR [--rate N] [--seconds N] [--ramp N,N,…] [--policy] [--keep FOLDER]`: a served library under requests
 * that come at their own pace, whatever the answers do (open loop), and then at more of them than it lets through.
 *
 * Latency is counted from the moment a request was due, so that a server that falls behind cannot hide it. Times move with the machine:
 * the processor time of the server for each request, by kind and of an empty request beside them, stand with them. `--policy` serves the
 * same documents a second time under a policy of groups, and gives the ratio. `--keep` keeps the index for the next run.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const MAIN = process.env['COLOPHON_TEST_MAIN'] ?? resolve(dirname(fileURLToPath(import.meta.url)), '../dist/interfaces/cli/main.js');
const CALLERS = 20;
const TICK_MS = 10;
/** Requests of each kind, one after the other, for its cost. */
const COSTED = 200;
const GROUPS = 20;

interface Outcome {
  readonly status: number;
  readonly ms: number;
}

interface Target {
  readonly base: URL;
  readonly pid: number;
  readonly tokens: readonly string[];
  readonly questions: readonly string[];
  readonly paths: readonly string[];
  readonly agent: Agent;
  readonly stop: () => Promise<void>;
}

type Values = Readonly<Record<'rate' | 'seconds' | 'ramp', string>>;
type Kind = 'empty' | 'search' | 'context' | 'get';

export async function main(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      folder: { type: 'string' },
      rate: { type: 'string', default: '50' },
      seconds: { type: 'string', default: '60' },
      ramp: { type: 'string', default: '100,200,400' },
      policy: { type: 'boolean', default: false },
      keep: { type: 'string' },
    },
  });
  if (values.folder === undefined || !existsSync(MAIN)) {
    process.stderr.write('Say --folder with the documents to serve, and run `npm run build` first.\n');
    return 2;
  }
  const home = values.keep === undefined ? mkdtempSync(join(tmpdir(), 'colophon-load-')) : resolve(values.keep);
  mkdirSync(home, { recursive: true });
  const folder = resolve(values.folder);
  try {
    await measure(folder, home, values);
    if (values.policy) await measurePolicy(folder, home);
    return 0;
  } finally {
    if (values.keep === undefined) rmSync(home, { recursive: true, force: true });
  }
}

async function measure(folder: string, home: string, values: Values): Promise<void> {
  const target = await served(folder, folder, home, CALLERS);
  try {
    await stage(target, 'warm', Number(values.rate), 5);
    for (const kind of ['empty', 'search', 'context', 'get'] as const) say(`${kind}, first time`, await cost(target, kind, 0));
    for (const kind of ['search', 'context'] as const) say(`${kind}, asked again`, await cost(target, kind, 0));
    await stage(target, 'steady', Number(values.rate), Number(values.seconds));
    for (const rate of values.ramp.split(',').filter((each) => each !== '')) await stage(target, 'ramp', Number(rate), 15);
  } finally {
    await target.stop();
  }
}

/** The same questions to both, in turns, so that the machine does the same to both. */
async function measurePolicy(folder: string, home: string): Promise<void> {
  const root = policedLibrary(folder, home);
  const [plain, policed] = [await served(folder, folder, home, 1), await served(root, folder, home, 1)];
  try {
    const ratios: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const [without, under] = [await cost(plain, 'search', round * COSTED), await cost(policed, 'search', round * COSTED)];
      if (round > 0) ratios.push(under / without);
    }
    const sorted = ratios.map((each) => each.toFixed(2)).sort();
    process.stdout.write(`search under a policy of ${GROUPS} groups ÷ without one: ${sorted.join(', ')}\n`);
  } finally {
    await plain.stop();
    await policed.stop();
  }
}

/** Each folder of the documents is for one of twenty groups, and whoever asks is in all of them: as much is read with and without. */
function policedLibrary(folder: string, home: string): string {
  const root = join(home, 'policed');
  mkdirSync(join(root, 'contracts', 'policy'), { recursive: true });
  const folders = readdirSync(folder, { withFileTypes: true }).filter((each) => each.isDirectory());
  const rules = folders.map(({ name }, at) => ({ glob: `${name}/**`, permissions: `group-${at % GROUPS}` }));
  const groups = Array.from({ length: GROUPS }, (_, at) => `group-${at}`);
  const held = { tenants: ['main'], purposes: ['assist'] };
  const source = {
    ...{ id: 'docs', owner: 'role:docs', authority_class: 'reference', connector_identity: 'workload://colophon/directory' },
    ...{ location: { connector: 'directory', path: folder }, classification: 'internal', tenant_scope: ['main'] },
    ...{ allowed_purposes: ['assist'], freshness_slo: 'P30D', retention_policy: 'keep@1', state: 'approved' },
    ...{ correction_and_deletion: 'source-authoritative', permissions: 'all', trust_tier: 'trusted', rules },
  };
  const config = { version: 1, profile: 'team', identity: { principal: 'person:ana' }, sources: [source] };
  const acls = Object.fromEntries(['all', ...groups].map((group) => [group, [{ groups: [group], ...held }]]));
  const policy = {
    version: 1,
    purposes: { assist: 'Answer.' },
    people: { 'person:ana': { ...held, ceiling: 'internal' } },
    groups: Object.fromEntries(['all', ...groups].map((group) => [group, ['person:ana']])),
    acls,
    owners: { 'role:docs': ['person:ana'] },
    roles: { security: ['person:ana'] },
  };
  // JSON is YAML.
  writeFileSync(join(root, 'colophon.yaml'), JSON.stringify(config));
  writeFileSync(join(root, 'contracts', 'policy', 'policy.yaml'), JSON.stringify(policy));
  return root;
}

async function served(root: string, folder: string, home: string, callers: number): Promise<Target> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, COLOPHON_HOME: join(home, 'state') };
  const run = (...args: string[]) => {
    const done = spawnSync(process.execPath, [MAIN, ...args, '--root', root], { cwd: root, env, encoding: 'utf8', maxBuffer: 1 << 28 });
    if (done.status !== 0) throw new Error(`${args.join(' ')}: ${done.stderr}`);
    return done.stdout;
  };
  run('index', '--quiet');
  const { artifacts, compartments } = JSON.parse(run('status', '--json')) as { artifacts: number; compartments?: number };
  const tokens = Array.from({ length: callers }, (_, at) => run('token', 'create', '--workload', `load-${at}`).trim());
  const server = spawn(process.execPath, [MAIN, 'serve', '--port', '0', '--root', root], {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const base = await addressOf(server);
  const agent = new Agent({ keepAlive: true, maxSockets: 400 });
  const among = compartments === undefined ? '' : ` in ${compartments} compartments`;
  process.stdout.write(`${artifacts} artifacts${among}, ${callers} callers\n`);
  const stop = async () => {
    agent.destroy();
    server.kill('SIGTERM');
    await once(server, 'exit');
  };
  return { base, pid: server.pid ?? 0, tokens, ...askedIn(folder), agent, stop };
}

async function addressOf(server: ChildProcess): Promise<URL> {
  let said = '';
  for await (const chunk of server.stderr ?? []) {
    said += String(chunk);
    const address = /listening on (\S+)/.exec(said)?.[1];
    if (address !== undefined) {
      server.stderr?.resume();
      return new URL(address);
    }
  }
  throw new Error(`the server did not start: ${said}`);
}

/** Headings, without their markup, are what people ask about. */
function askedIn(folder: string): Pick<Target, 'questions' | 'paths'> {
  const questions: string[] = [];
  const paths: string[] = [];
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!/\.mdx?$/.test(name) || questions.length >= 2_000) continue;
    paths.push(name);
    const heading = /^#{1,3} +(.{8,80})$/m.exec(readFileSync(join(folder, name), 'utf8'))?.[1] ?? '';
    const words = heading
      .replace(/<[^>]*>/g, ' ')
      .replaceAll('\\', '')
      .trim();
    if (words !== '') questions.push(words);
  }
  return { questions: questions.length === 0 ? ['how is it configured'] : questions, paths };
}

/** Milliseconds of processor the server takes for a request, one after the other; `from` tells apart what is asked. */
async function cost(target: Target, kind: Kind, from: number): Promise<number> {
  const before = cpuMs(target.pid);
  for (let at = 0; at < COSTED; ) {
    const { status } = await ask(target, kind, from + at, performance.now());
    if (status === 429) await new Promise((resolve) => setTimeout(resolve, 1_000));
    else if (status === 200) at += 1;
    else throw new Error(`${kind}: ${status}`);
  }
  return (cpuMs(target.pid) - before) / COSTED;
}

function say(what: string, ms: number): void {
  process.stdout.write(`${what.padEnd(20)} ${ms.toFixed(2)} ms of processor a request\n`);
}

async function stage(target: Target, name: 'warm' | 'steady' | 'ramp', rate: number, seconds: number): Promise<void> {
  const outcomes: Promise<Outcome>[] = [];
  const cpu = cpuMs(target.pid);
  const startedAt = performance.now();
  const total = rate * seconds;
  while (outcomes.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1_000) * rate));
    while (outcomes.length < due) {
      const count = outcomes.length;
      // As agents mix them: a context for two searches and a page.
      const kind: Kind = count % 4 === 0 ? 'context' : count % 4 === 2 ? 'get' : 'search';
      outcomes.push(ask(target, kind, 10_000 + count, startedAt + (count / rate) * 1_000));
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  const all = await Promise.all(outcomes);
  const elapsed = performance.now() - startedAt;
  report(`${name} ${rate}/s`, all, elapsed, cpuMs(target.pid) - cpu);
}

const PATHS: Readonly<Record<Kind, string>> = { empty: '/healthz', search: '/v1/search', context: '/v1/context', get: '/v1/get' };
/** Prime, so that neighbours in a folder are not asked for together. */
const STRIDE = 7_919;

function ask({ base, tokens, questions, paths, agent }: Target, kind: Kind, count: number, dueAt: number): Promise<Outcome> {
  const body =
    kind === 'get' ? { path: paths[(count * STRIDE) % paths.length] } : { query: questions[(count * STRIDE) % questions.length] };
  const options = {
    method: kind === 'empty' ? 'GET' : 'POST',
    agent,
    headers: { authorization: `Bearer ${tokens[count % tokens.length]}`, 'content-type': 'application/json' },
  };
  return new Promise((resolve) => {
    const sent = request(new URL(PATHS[kind], base), options, (response) => {
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode ?? 0, ms: performance.now() - dueAt }));
    });
    sent.on('error', () => resolve({ status: 0, ms: performance.now() - dueAt }));
    sent.end(kind === 'empty' ? undefined : JSON.stringify(body));
  });
}

function report(name: string, outcomes: readonly Outcome[], elapsedMs: number, cpuUsedMs: number): void {
  const answered = outcomes
    .filter(({ status }) => status === 200)
    .map(({ ms }) => ms)
    .sort((a, b) => a - b);
  const at = (share: number) => (answered[Math.min(answered.length - 1, Math.floor(answered.length * share))] ?? 0).toFixed(1);
  const counts = new Map<number, number>();
  for (const { status } of outcomes) counts.set(status, (counts.get(status) ?? 0) + 1);
  const statuses = [...counts].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  const cpu = `server ${(cpuUsedMs / outcomes.length).toFixed(2)} ms of processor a request, ${((100 * cpuUsedMs) / elapsedMs).toFixed(0)} % of one core`;
  const load = loadavg()[0]?.toFixed(1);
  process.stdout.write(`${name.padEnd(14)} ${statuses.join(', ')}  p50 ${at(0.5)} p99 ${at(0.99)} ms  ${cpu}  load ${load}\n`);
}

/** User and system, of Linux alone. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
