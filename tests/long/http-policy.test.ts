/** T1.6 over HTTP: an edit of the policy counts for the next request to a server that runs, by every way of reading. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type HttpWorld, httpWorld, pathOf, wordOf } from '../support/http-world.js';

const policyOf = (staff: string) => `version: 1
purposes: { assist: Help., audit: Look. }
people:
  person:ada: { tenants: [north, south], purposes: [assist, audit], ceiling: restricted }
  person:reader: { tenants: [north], purposes: [assist], ceiling: confidential }
  person:other: { tenants: [south], purposes: [assist], ceiling: confidential }
groups:
  staff: [${staff}]
  board: [person:ada]
acls:
  everyone: [{ groups: [staff], tenants: [north, south], purposes: [assist, audit] }]
  board: [{ groups: [board], tenants: [north], purposes: [assist] }]
`;
const IN = policyOf('person:ada, person:reader, person:other');
const OUT = policyOf('person:ada, person:other');

let world: HttpWorld;
let token = '';
beforeAll(async () => {
  world = await httpWorld({ policy: IN });
  token = await world.token('person:reader');
});
afterAll(() => world.dispose());

const write = (text: string) => writeFileSync(join(world.folder.path, 'contracts/policy/policy.yaml'), text);
const call = (name: string, args: object) =>
  world.ask('POST', '/mcp', {
    token,
    body: { jsonrpc: '2.0', id: 0, method: 'tools/call', params: { name, arguments: args } },
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
  });
let asked = 0;
const nextRun = () => {
  asked += 1;
  return `run-${asked}`;
};
const WAYS: readonly (readonly [string, () => Promise<Response>])[] = [
  ['get', () => world.ask('POST', '/v1/get', { token, body: { path: pathOf('own') } })],
  ['search', () => world.ask('GET', `/v1/search?query=${wordOf('own')}`, { token })],
  ['context', () => world.ask('POST', '/v1/context', { token, body: { query: wordOf('own'), attempt: nextRun() } })],
  ['package', () => world.ask('POST', '/v1/package-show', { token, body: { name: 'last' } })],
  ['kb_get', () => call('kb_get', { path: pathOf('own') })],
  ['kb_context', () => call('kb_context', { query: wordOf('own') })],
];
const reads = async (way: () => Promise<Response>) => (await (await way()).text()).includes('sleeps here');

it('whoever is taken out reads nothing with the next request, and whoever is let in again does', async () => {
  for (let round = 0; round < 25; round += 1) {
    for (const [name, way] of WAYS) expect(await reads(way), `${name} in round ${round}`).toBe(true);
    write(OUT);
    for (const [name, way] of WAYS) expect(await reads(way), `${name} in round ${round}, taken out`).toBe(false);
    write(IN);
  }
});

it('a policy that cannot be read answers nobody, and says nothing of itself', async () => {
  write(`${IN}nonsense: [`);
  for (const [name, way] of WAYS) {
    const text = await (await way()).text();
    expect(text, name).not.toMatch(/sleeps here|nonsense|contracts/);
  }
  expect((await world.ask('POST', '/v1/get', { token, body: { path: pathOf('own') } })).status).toBe(503);
  write(IN);
  expect(await reads(WAYS[0]?.[1] ?? (() => Promise.reject(new Error('no way'))))).toBe(true);
});

it('somebody the policy does not name any more is refused at the door', async () => {
  write(IN.replace('  person:reader:', '  person:readers:').replace('person:reader,', ''));
  expect((await world.ask('POST', '/v1/status', { token, body: {} })).status).toBe(403);
});
