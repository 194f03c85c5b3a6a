/** What a refusal over HTTP says, and what the audit log keeps of it: headers by their names, and no tenant that the caller does not hold. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type HttpWorld, httpWorld } from '../support/http-world.js';

let world: HttpWorld;
let token = '';
let launch = '';
beforeAll(async () => {
  world = await httpWorld();
  token = await world.token('person:reader');
  launch = await world.token('person:ada');
});
afterAll(() => world.dispose());

async function refused(headers: Readonly<Record<string, string>>, by = token) {
  const response = await world.ask('GET', '/v1/search?query=pelicans', { token: by, headers });
  world.audit.flush();
  const lines = readFileSync(join(world.library.config.stateFolder, 'audit.jsonl'), 'utf8').trimEnd().split('\n');
  const line = lines.at(-1) ?? '';
  const { principal, tenant, outcome, code, policy } = JSON.parse(line) as Record<string, string>;
  expect(policy).toMatch(/^[0-9a-f]{16}$/);
  expect(line).not.toMatch(/pelicans|nowhere/);
  const { message, hint } = (await response.json()) as { readonly message: string; readonly hint: string };
  return { status: response.status, message, hint, logged: { principal, tenant, outcome, code } };
}

const HINT = 'Headers may only narrow what the token holds: leave it out, or ask for another token.';
const denied = (tenant: string) => ({ principal: 'person:reader', tenant, outcome: 'denied', code: 'access/denied' });

it('names the header that asks for too much, and no flag', async () => {
  const said = async (headers: Readonly<Record<string, string>>) => {
    const { status, message, hint } = await refused(headers);
    expect({ status, hint }).toEqual({ status: 403, hint: HINT });
    return message;
  };
  expect(await said({ 'colophon-tenant': 'south' })).toBe('Colophon-Tenant south asks for more than the token holds.');
  expect(await said({ 'colophon-purpose': 'audit' })).toBe('Colophon-Purpose audit asks for more than the token holds.');
  expect(await said({ 'colophon-groups': 'board' })).toBe('Colophon-Groups board asks for more than the token holds.');
  const bad = await refused({ 'colophon-ceiling': 'secret' });
  expect({ status: bad.status, message: bad.message }).toEqual({
    status: 400,
    message: 'Colophon-Ceiling must be one of public, internal, confidential, restricted.',
  });
});

it('ATH-08, ATH-13 a denial is found by principal, and by tenant where it is one that the caller holds', async () => {
  expect((await refused({ 'colophon-tenant': 'south' })).logged).toEqual(denied(''));
  expect((await refused({ 'colophon-tenant': 'nowhere' })).logged).toEqual(denied(''));
  expect((await refused({ 'colophon-tenant': 'north', 'colophon-purpose': 'audit' })).logged).toEqual(denied('north'));
  expect((await refused({ 'colophon-tenant': 'south', 'colophon-groups': 'none' }, launch)).logged).toEqual({
    ...denied('south'),
    principal: 'person:ada',
  });
});
