/** The connection itself: versions, framing, ends. Raw lines, so that every byte is seen. */
import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageVersion } from '../../src/app/package-version.js';
import { MAIN, runCommand } from '../support/built-command.js';
import { indexed, type McpLibrary, mcpLibrary } from '../support/mcp-library.js';
import { RawMcp } from '../support/raw-mcp.js';

let library: McpLibrary;
beforeAll(async () => {
  library = await indexed(mcpLibrary());
});
afterAll(() => library.dispose());

const sessions: RawMcp[] = [];
const session = (args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): RawMcp => {
  const { cwd, env: own } = library.surroundings;
  const opened = new RawMcp(args, { cwd, env: { ...own, ...env } });
  sessions.push(opened);
  return opened;
};
afterAll(() => {
  for (const each of sessions) each.child.kill('SIGKILL');
});

describe('versions (T8.4)', () => {
  for (const version of ['2025-11-25', '2025-06-18']) {
    it(`agrees to ${version}`, async () => {
      const server = session();
      expect((await server.greet(version)).result).toMatchObject({
        protocolVersion: version,
        serverInfo: { name: 'colophon', version: packageVersion() },
        capabilities: { tools: {}, resources: {} },
      });
      expect((await server.ask(1, 'tools/list')).result?.['tools']).toHaveLength(5);
      expect(await server.close()).toBe(0);
    });
  }

  for (const version of ['1999-01-01', '2099-01-01', '', 'latest']) {
    it(`answers ${JSON.stringify(version)} with a version it has`, async () => {
      const server = session();
      expect((await server.greet(version)).result?.['protocolVersion']).toBe('2025-11-25');
      await server.close();
    });
  }

  for (const [mode, version] of [
    [{ pin: '2026-07-28' }, '2026-07-28'],
    ['auto', '2026-07-28'],
    ['legacy', '2025-11-25'],
  ] as const) {
    it(`the official client, ${JSON.stringify(mode)}, speaks ${version} and gets an answer`, async () => {
      const client = new Client({ name: 'test', version: '0' }, { versionNegotiation: { mode } });
      const { cwd, env } = library.surroundings;
      const transport = new StdioClientTransport({ command: process.execPath, args: [MAIN, 'mcp'], cwd, env: { ...env }, stderr: 'pipe' });
      await client.connect(transport);
      try {
        expect(client.getNegotiatedProtocolVersion()).toBe(version);
        expect((await client.listTools()).tools.map((each) => each.name)).toContain('kb_search');
        // The client checks the structured part against the tool's output schema.
        const found = await client.callTool({ name: 'kb_search', arguments: { query: 'rotate a signing key' } });
        expect(found.isError).not.toBe(true);
        expect(found.structuredContent).toMatchObject({ schema: 'colophon/search@1' });
        expect((found.structuredContent as { hits: unknown[] } | undefined)?.hits[0]).toMatchObject({ path: 'keys.md' });
        for (const name of ['kb_context', 'kb_status', 'kb_explain', 'kb_get']) {
          const args = { kb_context: { query: 'rotate a signing key' }, kb_get: { path: 'keys.md' } }[name];
          const answer = await client.callTool({ name, ...(args === undefined ? {} : { arguments: args }) });
          expect(answer.isError, `${name}: ${JSON.stringify(answer.content)}`).not.toBe(true);
        }
      } finally {
        await client.close();
      }
    });
  }

  it('refuses a modern request of a version it does not have, naming the ones it has', async () => {
    const server = session();
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2031-01-01',
      'io.modelcontextprotocol/clientInfo': { name: 'x', version: '0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const { error } = await server.ask(1, 'tools/list', { _meta });
    expect(error).toMatchObject({ code: -32022, data: { supported: ['2026-07-28'] } });
    await server.close();
  });

  it('T1.4: whatever may be kept may be kept by this client alone, and not for later', async () => {
    const server = session();
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'x', version: '0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const asked = async (id: number, method: string, params: object = {}) => (await server.ask(id, method, { ...params, _meta })).result;
    const listed = await asked(1, 'resources/list');
    const [page] = (listed?.['resources'] ?? []) as { readonly uri: string }[];
    const cacheable = [
      listed,
      await asked(2, 'resources/read', { uri: page?.uri }),
      await asked(3, 'resources/templates/list'),
      await asked(4, 'tools/list'),
      await asked(5, 'server/discover'),
    ];
    for (const each of cacheable) expect(each).toMatchObject({ cacheScope: 'private', ttlMs: 0 });
    for (const [id, name] of [
      [6, 'kb_context'],
      [7, 'kb_search'],
    ] as const) {
      const answer = await asked(id, 'tools/call', { name, arguments: { query: 'rotate a signing key' } });
      expect(answer).toHaveProperty('content');
      expect(answer?.['cacheScope'] ?? 'private').toBe('private');
    }
    await server.close();
  });

  it('an unknown method is not found', async () => {
    const server = session();
    await server.greet();
    expect((await server.ask(1, 'tools/destroy')).error?.code).toBe(-32601);
    expect((await server.call(2, 'search', {})).error).toMatchObject({ code: -32602, message: expect.stringContaining('kb_search') });
    await server.close();
  });
});

describe('standard output', () => {
  it('carries frames alone, one a line for every way of splitting lines, whatever the environment says', async () => {
    // A dependency that talks whenever a message is read, through a console it took before anything of ours ran.
    const talk =
      "const {log}=console;const parse=JSON.parse;JSON.parse=(...a)=>{log('noise');console.log('noise');process.stdout.write('noise\\n');return parse(...a)};process.emitWarning('w')";
    const noisy = `data:text/javascript,${encodeURIComponent(`if(process.argv.includes('mcp'))setTimeout(()=>{${talk}},900)`)}`;
    const server = session([], {
      DEBUG: '*',
      FORCE_COLOR: '1',
      NODE_DEBUG: 'worker',
      NODE_OPTIONS: `--trace-warnings --import "${noisy}"`,
    });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await server.greet();
    const answer = await server.call(1, 'kb_search', { query: 'quokka' });
    expect(JSON.stringify(answer.result)).toContain('quokka');
    await server.call(2, 'kb_search', { query: 'nothing-here' });
    expect(await server.close()).toBe(0);
    expect(server.lines.length).toBeGreaterThanOrEqual(3);
    for (const line of server.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    expect(server.stdout).not.toMatch(/[\u0085\u2028\u2029]/);
    expect(server.stdout).not.toContain('noise');
    expect(server.stderr).toContain('noise');
  });

  it('answers a line that is not JSON, and one of 11 MiB, and goes on', async () => {
    const server = session();
    await server.greet();
    const bad = server.next(({ error }) => error?.code === -32700);
    server.child.stdin.write('{"jsonrpc": oops\n');
    expect(await bad).toMatchObject({ id: null });
    const long = await server.call('long', 'kb_search', { query: 'x'.repeat(11 * 1024 * 1024) });
    expect(long.error).toMatchObject({ code: -32600 });
    expect((await server.call(3, 'kb_search', { query: 'signing key' })).result?.['isError']).not.toBe(true);
    expect(await server.close()).toBe(0);
  });

  it('survives lines that are no messages, and answers the next one', async () => {
    const server = session();
    await server.greet();
    for (const line of ['not json', '{}', '[]', '{"jsonrpc":"2.0"}', '\u0000', '{"jsonrpc":"1.0","id":1,"method":"x"}', '']) {
      server.child.stdin.write(`${line}\n`);
    }
    expect((await server.ask(9, 'tools/list')).result).toBeDefined();
    expect(await server.close()).toBe(0);
  });
});

describe('many calls at once (T8.1)', () => {
  it('100 in flight, ids as numbers and as the same digits in text, each gets its own answer', async () => {
    const server = session();
    await server.greet();
    const asked = Array.from({ length: 50 }, (_, at) => at).flatMap((at) => [
      { id: at, page: at },
      { id: String(at), page: at + 50 },
    ]);
    const answers = await Promise.all(
      asked.map(async ({ id, page }) => {
        const path = `many/page-${String(page).padStart(3, '0')}.md`;
        const { result } = await server.call(id, 'kb_get', { path });
        return { path, got: (result?.['structuredContent'] as { path?: string } | undefined)?.path };
      }),
    );
    expect(answers.filter(({ path, got }) => path !== got)).toEqual([]);
    expect(answers).toHaveLength(100);
    await server.close();
  });

  it('a cancelled call is not answered, and the others are', async () => {
    const server = session();
    await server.greet();
    server.send({ id: 'gone', method: 'tools/call', params: { name: 'kb_context', arguments: { query: 'permission of a user' } } });
    server.send({ method: 'notifications/cancelled', params: { requestId: 'gone', reason: 'changed my mind' } });
    const others = await Promise.all([1, 2, 3].map((id) => server.call(id, 'kb_search', { query: 'echidna valve' })));
    expect(others.every(({ result }) => result?.['isError'] !== true)).toBe(true);
    expect(await server.close()).toBe(0);
    expect(server.lines.some((line) => JSON.parse(line).id === 'gone')).toBe(false);
  });
});

describe('the end', () => {
  const within = async (exited: Promise<number | null>, ms: number) => {
    const startedAt = performance.now();
    const code = await exited;
    expect(performance.now() - startedAt).toBeLessThan(ms);
    return code;
  };

  it('an input of nothing ends it with 0', async () => {
    const { cwd, env } = library.surroundings;
    const child = spawn(process.execPath, [MAIN, 'mcp'], { cwd, env: { ...env }, stdio: [openSync('/dev/null', 'r'), 'pipe', 'pipe'] });
    expect(await within(new Promise((resolve) => child.once('close', resolve)), 10_000)).toBe(0);
  });

  it('questions piped in at once are answered before it ends, the last without a line end', async () => {
    const server = session();
    const ask = (id: number, method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const greeting = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'pipe', version: '0' } };
    server.child.stdin.end(
      [
        ask(1, 'initialize', greeting),
        ask(2, 'tools/list', {}),
        ask(3, 'tools/call', { name: 'kb_get', arguments: { path: 'keys.md' } }),
      ].join('\n'),
    );
    expect(await within(server.exited, 10_000)).toBe(0);
    expect(server.lines.map((line) => JSON.parse(line).id).sort()).toEqual([1, 2, 3]);
  });

  for (const [name, flags] of [
    ['idle', []],
    ['watching', ['--watch']],
  ] as const) {
    it(`end of input, ${name}: status 0, and the database is free`, async () => {
      const server = session(flags);
      await server.greet();
      await server.call(1, 'kb_search', { query: 'signing key' });
      expect(await within(server.close(), 3_000)).toBe(0);
      const again = await runCommand(['index', '--json'], library.surroundings);
      expect(again.code, again.stdout + again.stderr).toBe(0);
    });

    it(`SIGTERM, ${name}: ends by itself`, async () => {
      const server = session(flags);
      await server.greet();
      await server.call(1, 'kb_search', { query: 'signing key' });
      server.child.kill('SIGTERM');
      expect(await within(server.exited, 3_000), server.stderr).toBe(0);
    });
  }

  it('the death of the parent ends it, though its input stays open', async () => {
    const { cwd, env } = library.surroundings;
    // The parent gives its own input to the server and says the server's process id before it is killed.
    const script = `const c=require('node:child_process').spawn(process.execPath,[${JSON.stringify(MAIN)},'mcp'],{stdio:['inherit','ignore','ignore']});console.log(c.pid);setInterval(()=>{},1000)`;
    const parent = spawn(process.execPath, ['-e', script], { cwd, env: { ...env }, stdio: ['pipe', 'pipe', 'ignore'] });
    const pid = await new Promise<number>((resolve) => parent.stdout.once('data', (chunk) => resolve(Number(chunk))));
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    for (let waited = 0; isAlive(pid) && waited < 5_000; waited += 100) await new Promise((resolve) => setTimeout(resolve, 100));
    expect(isAlive(pid)).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // No such process: that is the answer.
    return false;
  }
}
