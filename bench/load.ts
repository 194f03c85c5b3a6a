/**
 * `npm run bench:load -- --folder DIR [--rate N] [--seconds N] [--ramp N,N,…]`: a served library under requests that come at their own
 * pace, whatever the answers do (open loop), and then at more of them than it lets through.
 *
 * Latency is counted from the moment a request was due, so that a server that falls behind cannot hide it. Times move with the machine:
 * the processor time of the server for each request, and of an empty request beside it, stand with them.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const MAIN = process.env['COLOPHON_TEST_MAIN'] ?? resolve(dirname(fileURLToPath(import.meta.url)), '../dist/interfaces/cli/main.js');
const CALLERS = 4;
const TICK_MS = 10;

interface Outcome {
  readonly status: number;
  readonly ms: number;
}

interface Target {
  readonly base: URL;
  readonly pid: number;
  readonly tokens: readonly string[];
  readonly questions: readonly string[];
  readonly agent: Agent;
}

export async function main(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      folder: { type: 'string' },
      rate: { type: 'string', default: '50' },
      seconds: { type: 'string', default: '60' },
      ramp: { type: 'string', default: '100,200,400' },
    },
  });
  if (values.folder === undefined || !existsSync(MAIN)) {
    process.stderr.write('Say --folder with the documents to serve, and run `npm run build` first.\n');
    return 2;
  }
  const home = mkdtempSync(join(tmpdir(), 'colophon-load-'));
  const folder = resolve(values.folder);
  try {
    return await measure(folder, home, values);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function measure(folder: string, home: string, values: { rate: string; seconds: string; ramp: string }): Promise<number> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, COLOPHON_HOME: join(home, 'state') };
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [MAIN, ...args], { cwd: folder, env, encoding: 'utf8', maxBuffer: 1 << 28 });
  run('index', '--quiet', '--root', folder);
  const { artifacts } = JSON.parse(run('status', '--json', '--root', folder).stdout) as { artifacts: number };
  const tokens = Array.from({ length: CALLERS }, (_, at) =>
    run('token', 'create', '--workload', `load-${at}`, '--root', folder).stdout.trim(),
  );
  const server = spawn(process.execPath, [MAIN, 'serve', '--port', '0', '--root', folder], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    const base = await addressOf(server);
    const agent = new Agent({ keepAlive: true, maxSockets: 512 });
    const target: Target = { base, pid: server.pid ?? 0, tokens, questions: questionsIn(folder), agent };
    process.stdout.write(
      `${artifacts} artifacts, ${CALLERS} callers, load average ${loadavg()
        .map((each) => each.toFixed(1))
        .join(' ')}\n`,
    );
    await stage(target, 'warm', Number(values.rate), 5);
    await stage(target, 'empty', Number(values.rate), 10);
    await stage(target, 'steady', Number(values.rate), Number(values.seconds));
    for (const rate of values.ramp.split(',').filter((each) => each !== '')) await stage(target, 'ramp', Number(rate), 15);
    agent.destroy();
    return 0;
  } finally {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
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

/** Headings are what people ask about. */
function questionsIn(folder: string): readonly string[] {
  const found: string[] = [];
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!/\.mdx?$/.test(name) || found.length >= 2_000) continue;
    const heading = /^#{1,3} +(.{8,80})$/m.exec(readFileSync(join(folder, name), 'utf8'))?.[1];
    if (heading !== undefined) found.push(heading);
  }
  return found.length === 0 ? ['how is it configured'] : found;
}

async function stage(target: Target, name: 'warm' | 'empty' | 'steady' | 'ramp', rate: number, seconds: number): Promise<void> {
  const outcomes: Promise<Outcome>[] = [];
  const cpu = cpuMs(target.pid);
  const startedAt = performance.now();
  const total = rate * seconds;
  while (outcomes.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1_000) * rate));
    while (outcomes.length < due) {
      const dueAt = startedAt + (outcomes.length / rate) * 1_000;
      outcomes.push(ask(target, name === 'empty' ? undefined : outcomes.length, dueAt));
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  const all = await Promise.all(outcomes);
  const elapsed = performance.now() - startedAt;
  report(`${name} ${rate}/s`, all, elapsed, cpuMs(target.pid) - cpu);
}

/** Search, the context of it, and a page, as agents mix them. */
function ask({ base, tokens, questions, agent }: Target, count: number | undefined, dueAt: number): Promise<Outcome> {
  const query = questions[((count ?? 0) * 7_919) % questions.length];
  const path = count === undefined ? '/healthz' : count % 3 === 0 ? '/v1/context' : '/v1/search';
  const options = {
    method: count === undefined ? 'GET' : 'POST',
    agent,
    headers: { authorization: `Bearer ${tokens[(count ?? 0) % tokens.length]}`, 'content-type': 'application/json' },
  };
  return new Promise((resolve) => {
    const sent = request(new URL(path, base), options, (response) => {
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode ?? 0, ms: performance.now() - dueAt }));
    });
    sent.on('error', () => resolve({ status: 0, ms: performance.now() - dueAt }));
    sent.end(count === undefined ? undefined : JSON.stringify({ query }));
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
  process.stdout.write(`${name.padEnd(14)} ${statuses.join(', ')}  p50 ${at(0.5)} p99 ${at(0.99)} ms  ${cpu}\n`);
}

/** User and system, of Linux alone. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
