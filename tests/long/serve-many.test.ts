/**
 * T8.1: many clients at once, whose requests all bear the same ids, and none is told what another asked or was told. T7.5: clients that
 * send too much, too deep, too slowly or too often, and others that go on being answered.
 */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../support/built-command.js';
import { runs } from '../support/proof-scale.js';
import { canaryOf, type ServedLibrary, servedLibrary } from '../support/served-library.js';

const CLIENTS = 20;
const EACH = runs(50);

describe(`T8.1 ${CLIENTS} clients, ${EACH} requests each`, () => {
  let served: ServedLibrary;
  beforeAll(async () => {
    served = await servedLibrary(CLIENTS, { requests_per_second: 10_000, burst: 100_000, queued: 10_000, wait_ms: 60_000, threads: 2 });
  });
  afterAll(() => served.dispose());

  const LEGACY = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' };
  const ask = (client: number, path: string, body: object, signal: AbortSignal | null = null, more: Record<string, string> = {}) =>
    fetch(`${served.base}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${served.tokens[client]}`, 'content-type': 'application/json', ...more },
      body: JSON.stringify(body),
      signal,
    });
  const query = { query: 'how is the signing key rotated' };
  const call = (id: number, name: string, args: object) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args },
  });
  const KINDS = [
    (client: number) => ask(client, '/v1/search', query),
    (client: number) => ask(client, '/v1/get', { path: 'keys.md' }),
    (client: number) => ask(client, '/v1/context', { ...query, attempt: 'the-same' }),
    (client: number, id: number) => ask(client, '/mcp', call(id, 'kb_search', query), null, LEGACY),
    (client: number, id: number) => ask(client, '/mcp', call(id, 'kb_context', query), null, LEGACY),
    (client: number, id: number) => ask(client, '/mcp', call(id, 'kb_explain', {}), null, LEGACY),
  ];

  it('each is told its own, under its own id, and nothing of the others', async () => {
    const wrong: string[] = [];
    let answered = 0;
    const others = (client: number) => Array.from({ length: CLIENTS }, (_, at) => at).filter((at) => at !== client);
    const client = async (at: number) => {
      // A package to be explained.
      await (await ask(at, '/v1/context', query)).text();
      for (let id = 0; id < EACH; id += 1) {
        if (id % 10 === 9) {
          const leaving = new AbortController();
          setTimeout(() => leaving.abort(), id % 7);
          await ask(at, '/mcp', call(id, 'kb_context', query), leaving.signal, LEGACY).catch(() => undefined);
          continue;
        }
        const response = await (KINDS[(id + at) % KINDS.length] ?? KINDS[0])?.(at, id);
        const text = (await response?.text()) ?? '';
        answered += 1;
        const isOwn = response?.status === 200 && text.includes(canaryOf(at));
        const isUnderItsId = !text.includes('"jsonrpc"') || new RegExp(`"id":${id}[,}]`).test(text);
        if (!isOwn || !isUnderItsId || others(at).some((other) => text.includes(canaryOf(other))))
          wrong.push(`${at} ${id}: ${response?.status} ${text.slice(0, 300)}`);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, at) => client(at)));
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(answered).toBe(CLIENTS * (EACH - Math.floor(EACH / 10)));
  });

  it('OBS-03, OBS-05 the audit log has a line for each, is whole after the stop, and holds nothing of what was asked or told', async () => {
    expect(await served.stop()).toBe(0);
    const { stdout } = await runCommand(['audit', 'verify', '--json'], served.surroundings);
    const { ok, lines } = JSON.parse(stdout) as { ok: boolean; lines: number };
    expect(ok).toBe(true);
    expect(lines).toBeGreaterThanOrEqual(CLIENTS * (EACH - Math.floor(EACH / 10)));
    const home = served.surroundings.env?.['COLOPHON_HOME'] ?? '';
    const log = readFileSync(await auditFile(home), 'utf8');
    expect(log).not.toMatch(/numbat|signing|rotated|cph_/);
    expect(served.said()).not.toMatch(/numbat|signing|rotated|cph_/);
  });
});

async function auditFile(home: string): Promise<string> {
  const { readdirSync, existsSync } = await import('node:fs');
  const { join } = await import('node:path');
  const found = readdirSync(home)
    .map((name) => join(home, name, 'audit.jsonl'))
    .find((file) => existsSync(file));
  if (found === undefined) throw new Error('there is no audit log');
  return found;
}

describe('T7.5 abuse', () => {
  let served: ServedLibrary;
  beforeAll(async () => {
    served = await servedLibrary(2, { requests_per_second: 15, burst: 50 });
  });
  afterAll(() => served.dispose());

  const post = (body: string, client = 0, headers: Record<string, string> = {}) =>
    fetch(`${served.base}/v1/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${served.tokens[client]}`, 'content-type': 'application/json', ...headers },
      body,
    }).then(
      ({ status }) => status,
      () => 'closed' as const,
    );
  const rssKb = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${served.process.pid}/status`, 'utf8'))?.[1] ?? 0);
  /** Of user and system, in hundredths of a second. */
  const cpuTicks = () => {
    const fields = readFileSync(`/proc/${served.process.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  };

  it('what is too large, too deep or too many is refused, costs little and leaves no memory behind', async () => {
    for (let at = 0; at < 5; at += 1) await post(JSON.stringify({ query: 'keys' }));
    const before = { rss: rssKb(), cpu: cpuTicks() };
    const tries: [string, string, (number | 'closed')[]][] = [
      ['10 MB query', JSON.stringify({ query: 'x'.repeat(10_000_000) }), [413, 'closed']],
      ['10,000 terms', JSON.stringify({ query: Array.from({ length: 10_000 }, (_, at) => `w${at}`).join(' ') }), [400]],
      ['1,000 filters', JSON.stringify({ query: 'x', tag: Array.from({ length: 1_000 }, (_, at) => `t${at}`) }), [400]],
      ['deep JSON', `{"query":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, [400]],
      ['no JSON', 'x'.repeat(900_000), [400]],
      ['many fields', `{${Array.from({ length: 50_000 }, (_, at) => `"f${at}":1`).join(',')}}`, [400]],
      ['a number without end', `{"query":"x","limit":${'9'.repeat(500_000)}}`, [400]],
    ];
    for (const [name, body, expected] of tries) expect(expected, name).toContain(await post(body));
    const used = cpuTicks() - before.cpu;
    // A tick is 10 ms: 50 ms of processor time for each of them, by the table of proofs.
    expect(used).toBeLessThanOrEqual(tries.length * 5);
    expect(rssKb() - before.rss).toBeLessThan(100_000);
    expect(await post(JSON.stringify({ query: 'keys' }))).toBe(200);
  });

  it('who asks too often is told when to come back, and others are answered', async () => {
    const many = await Promise.all(Array.from({ length: 200 }, () => post(JSON.stringify({ query: 'keys' }), 0)));
    expect(new Set(many)).toEqual(new Set([200, 429]));
    expect(many.filter((status) => status === 429).length).toBeGreaterThan(50);
    const late = await fetch(`${served.base}/v1/search?query=keys`, { headers: { authorization: `Bearer ${served.tokens[0]}` } });
    if (late.status === 429) expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await post(JSON.stringify({ query: 'keys' }), 1)).toBe(200);
  });

  it('500 connections that say next to nothing are closed, and others are answered meanwhile', async () => {
    const { port } = new URL(served.base);
    const slow: Socket[] = [];
    let closed = 0;
    for (let at = 0; at < 500; at += 1) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.on('close', () => {
        closed += 1;
      });
      // Half of them send headers without end, the others a body without end.
      socket.write(
        at % 2 === 0
          ? 'POST /v1/search HTTP/1.1\r\nHost: x\r\n'
          : `POST /v1/search HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${served.tokens[0]}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
      );
      slow.push(socket);
    }
    const drip = setInterval(() => {
      for (const [at, socket] of slow.entries()) if (!socket.destroyed) socket.write(at % 2 === 0 ? 'X-A: b\r\n' : ' ');
    }, 500);
    try {
      const took: number[] = [];
      for (const until = Date.now() + 6_000; Date.now() < until; ) {
        const startedAt = performance.now();
        expect(await post(JSON.stringify({ query: 'keys' }), 1)).toBe(200);
        took.push(performance.now() - startedAt);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      took.sort((a, b) => a - b);
      expect(took[Math.floor(took.length / 2)]).toBeLessThan(250);
      for (const until = Date.now() + 25_000; closed < 500 && Date.now() < until; )
        await new Promise((resolve) => setTimeout(resolve, 250));
      expect(closed).toBe(500);
    } finally {
      clearInterval(drip);
      for (const socket of slow) socket.destroy();
    }
  });

  it('stops within its time although a connection hangs on', async () => {
    const { port } = new URL(served.base);
    const hanging = connect(Number(port), '127.0.0.1');
    hanging.on('error', () => undefined);
    hanging.write('GET /healthz HTTP/1.1\r\n');
    await new Promise((resolve) => setTimeout(resolve, 100));
    const startedAt = performance.now();
    expect(await served.stop()).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    hanging.destroy();
  });
});
