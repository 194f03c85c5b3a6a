/** `colophon serve`, the way people start and use it: the built command, real sockets, the official client of agents. */
import { once } from 'node:events';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, runCommand, startServer } from '../support/built-command.js';
import { CANARY, indexed, type McpLibrary, mcpLibrary } from '../support/mcp-library.js';

let library: McpLibrary;
let server: RunningServer;
let token = '';

beforeAll(async () => {
  library = await indexed(mcpLibrary());
  const made = await runCommand(['token', 'create', '--note', 'test', '--lasting', 'PT1H'], library.surroundings);
  token = made.stdout.trim();
  server = await startServer(library.surroundings);
});
afterAll(() => {
  server.process.kill('SIGKILL');
  library.dispose();
});

const ask = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(`${server.base}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

it('answers a verb with the JSON that the command answers with', async () => {
  const response = await ask('/v1/search', { query: 'rotate a signing key', limit: 1 });
  expect(response.status).toBe(200);
  const overHttp = (await response.json()) as { hits: unknown };
  const { stdout } = await runCommand(['search', 'rotate a signing key', '--limit', '1', '--json'], library.surroundings);
  expect(overHttp.hits).toEqual((JSON.parse(stdout) as { hits: unknown }).hits);
});

it('a private page does not exist for a client that is not declared to be local', async () => {
  for (const answer of [await ask('/v1/get', { path: 'private.md' }), await ask('/v1/search', { query: 'salary of the wombat' })])
    expect(await answer.text()).not.toContain(CANARY);
});

describe('T8.4 the official client over HTTP', () => {
  for (const [mode, version] of [
    ['legacy', '2025-11-25'],
    ['auto', '2026-07-28'],
    [{ pin: '2026-07-28' }, '2026-07-28'],
  ] as const) {
    it(`${JSON.stringify(mode)} speaks ${version} and gets answers`, async () => {
      const client = new Client({ name: 'test', version: '0' }, { versionNegotiation: { mode } });
      const transport = new StreamableHTTPClientTransport(new URL(`${server.base}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      });
      await client.connect(transport);
      try {
        expect(client.getNegotiatedProtocolVersion()).toBe(version);
        expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
          'kb_context',
          'kb_explain',
          'kb_get',
          'kb_search',
          'kb_status',
        ]);
        const found = await client.callTool({ name: 'kb_search', arguments: { query: 'rotate a signing key' } });
        expect(found.isError).not.toBe(true);
        expect((found.structuredContent as { hits: unknown[] }).hits[0]).toMatchObject({ path: 'keys.md' });
        const page = await client.readResource({ uri: 'colophon://page/docs/keys.md' });
        expect(page.contents[0]).toMatchObject({ mimeType: 'text/markdown' });
      } finally {
        await client.close();
      }
    });
  }
});

it('a token that is revoked is refused with the next request', async () => {
  const made = JSON.parse((await runCommand(['token', 'create', '--json'], library.surroundings)).stdout) as { id: string; token: string };
  const with_ = { authorization: `Bearer ${made.token}` };
  expect((await ask('/v1/status', {}, with_)).status).toBe(200);
  await runCommand(['token', 'revoke', made.id], library.surroundings);
  expect((await ask('/v1/status', {}, with_)).status).toBe(401);
});

it('will not be reached from other machines before there is somebody to ask for tokens', async () => {
  const elsewhere = mcpLibrary();
  try {
    const refused = await runCommand(['serve', '--host', '0.0.0.0', '--port', '0'], elsewhere.surroundings);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('colophon token create');
    const open = await runCommand(['serve', '--host', '0.0.0.0', '--port', '0', '--anonymous'], library.surroundings);
    expect(open.code).toBe(3);
  } finally {
    elsewhere.dispose();
  }
});

it('stops in order: what is under way is answered, the audit log is whole and knows everybody, and no token was said', async () => {
  // Refused at the door or answered, told at once: a refusal that nobody waits for yet would end the run.
  const last = ask('/v1/context', { query: 'rotate a signing key' }).then(
    (response) => response.status,
    () => 0,
  );
  server.process.kill('SIGTERM');
  const [code] = (await once(server.process, 'exit')) as [number];
  expect(code).toBe(0);
  expect([200, 0]).toContain(await last);
  const { stdout } = await runCommand(['audit', 'verify', '--json'], library.surroundings);
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, findings: [] });
  const queried = JSON.parse((await runCommand(['audit', 'query', '--json', '--limit', '500'], library.surroundings)).stdout) as {
    lines: { surface: string; principal: string; workload: string; verb: string }[];
  };
  expect(queried.lines.find(({ surface, verb }) => surface === 'mcp' && verb === 'search')).toMatchObject({
    principal: 'person:local',
    workload: 'workload://api/unnamed',
  });
  expect(server.said()).not.toContain(token.slice(17));
});
