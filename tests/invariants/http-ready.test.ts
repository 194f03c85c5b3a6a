/** `/readyz` says whether a question would be answered: not while the policy is broken or gone, nor while nothing can be recorded. */
import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type HttpWorld, httpWorld, wordOf } from '../support/http-world.js';

const POLICY = `version: 1
purposes: { assist: Help., audit: Look. }
people:
  person:ada: { tenants: [north, south], purposes: [assist, audit], ceiling: restricted }
  person:reader: { tenants: [north], purposes: [assist], ceiling: confidential }
groups: { staff: [person:ada, person:reader], board: [person:ada] }
acls:
  everyone: [{ groups: [staff], tenants: [north, south], purposes: [assist, audit] }]
  board: [{ groups: [board], tenants: [north], purposes: [assist] }]
`;

let world: HttpWorld;
let token = '';
beforeEach(async () => {
  world = await httpWorld({ policy: POLICY });
  token = await world.token('person:reader');
});
afterEach(() => world.dispose());

const inFolder = (path: string) => join(world.folder.path, path);
const states = async () => {
  const question = await world.ask('GET', `/v1/search?query=${wordOf('own')}`, { token });
  const ready = await world.ask('GET', '/readyz');
  return { question: question.status, ready: ready.status, alive: (await world.ask('GET', '/healthz')).status };
};
const ANSWERS = { question: 200, ready: 200, alive: 200 };
const DOES_NOT = { question: 503, ready: 503, alive: 200 };

it('follows the policy: broken, whole again, gone, and back', async () => {
  expect(await states()).toEqual(ANSWERS);
  writeFileSync(inFolder('contracts/policy/policy.yaml'), 'version: 1\npeopel: {}\n');
  expect(await states()).toEqual(DOES_NOT);
  writeFileSync(inFolder('contracts/policy/policy.yaml'), POLICY);
  expect(await states()).toEqual(ANSWERS);
  renameSync(inFolder('contracts/policy'), inFolder('elsewhere'));
  expect(await states()).toEqual(DOES_NOT);
  renameSync(inFolder('elsewhere'), inFolder('contracts/policy'));
  expect(await states()).toEqual(ANSWERS);
});

it('follows the audit log, without a question that would try it', async () => {
  const log = join(world.library.config.stateFolder, 'audit.jsonl');
  symlinkSync(inFolder('nowhere'), log);
  await world.ask('GET', '/v1/search?query=x', { token: 'none' });
  expect((await world.ask('GET', '/readyz')).status).toBe(503);
  rmSync(log);
  expect((await world.ask('GET', '/readyz')).status).toBe(200);
});
