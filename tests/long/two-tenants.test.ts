/**
 * The handbook served to two tenants, as the guide says it: with the issuer that stands beside it. Then somebody of the clinic tries,
 * through the API, to learn anything of the ferries.
 *
 * ATH-06, ATH-13.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environment, runCommand, type Surroundings, startCommand } from '../support/built-command.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';

const BASE = 'http://127.0.0.1:7350';

let folder: TemporaryFolder;
let home: TemporaryFolder;
let surroundings: Surroundings;
const started: ChildProcessWithoutNullStreams[] = [];
const tokens = new Map<string, string>();

beforeAll(async () => {
  [folder, home] = [temporaryFolder(), temporaryFolder()];
  cpSync('examples/handbook', folder.path, { recursive: true });
  surroundings = { cwd: folder.path, env: environment(home.path) };
  expect((await runCommand(['index', '--quiet'], surroundings)).code).toBe(0);
  const issuer = spawn(process.execPath, [join(folder.path, 'local-issuer.mjs'), 'fay', 'cam', 'ada', 'eve']);
  started.push(issuer);
  let said = '';
  while (said.split('\n').length <= 4) said += String((await once(issuer.stdout, 'data'))[0]);
  for (const line of said.trim().split('\n')) tokens.set(...(line.split(' ') as [string, string]));
  const server = startCommand(['serve'], surroundings);
  started.push(server);
  let heard = '';
  while (!heard.includes('listening')) heard += String((await once(server.stderr, 'data'))[0]);
});
afterAll(() => {
  for (const each of started) each.kill('SIGKILL');
  folder.dispose();
  home.dispose();
});

const ask = (who: string, path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(`${BASE}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.get(who)}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
/** Words, names and numbers of the ferries alone. */
const FERRIES = /ferr(?!ies and its)|timetable|duty-log|deploying|engineering|27 days/i;

it('each tenant is answered from its own rules, in almost the same words', async () => {
  const [ferries, clinic] = await Promise.all(
    ['fay', 'cam'].map(
      async (who) =>
        (await (await ask(who, '/v1/search', { query: 'how many days of leave' })).json()) as { hits: { path: string; source: string }[] },
    ),
  );
  expect(ferries?.hits.every(({ source }) => source !== 'clinic')).toBe(true);
  expect(clinic?.hits.some(({ source }) => source === 'clinic')).toBe(true);
  expect(clinic?.hits.every(({ source }) => source !== 'engineering')).toBe(true);
});

describe('somebody of the clinic learns nothing of the ferries', () => {
  it('by asking as somebody else', async () => {
    for (const field of ['as', 'tenant', 'principal', 'group', 'purpose'])
      expect((await ask('cam', '/v1/search', { query: 'timetable', [field]: 'ferries' })).status).toBe(400);
    for (const headers of [{ 'colophon-tenant': 'ferries' }, { 'colophon-groups': 'role:engineering' }, { 'colophon-purpose': 'deploy' }]) {
      const refused = await ask('cam', '/v1/search', { query: 'timetable' }, headers);
      expect(refused.status).toBe(403);
      const nonsense = await ask(
        'cam',
        '/v1/search',
        { query: 'timetable' },
        Object.fromEntries(Object.keys(headers).map((key) => [key, 'no-such'])),
      );
      // What is held by others and what does not exist are refused alike.
      expect((await refused.text()).replace(/ferries|role:engineering|deploy/, '')).toBe((await nonsense.text()).replace('no-such', ''));
    }
    for (const who of ['eve', 'ada']) expect((await ask(who, '/v1/status', {})).status).toBe(403);
  });

  it('by guessing names, ids and packages', async () => {
    const fays = (await (await ask('fay', '/v1/context', { query: 'how is the timetable deployed', attempt: 'of-fay' })).json()) as {
      digest: string;
      package: string;
      items: { artifact: string; path: string }[];
    };
    expect(fays.items.length).toBeGreaterThan(0);
    const guesses: [string, object][] = [
      ...fays.items.flatMap(({ artifact, path }): [string, object][] => [
        ['/v1/get', { path: artifact }],
        ['/v1/get', { path }],
        ['/v1/get', { path, source: 'engineering' }],
        ['/v1/why-not', { page: path }],
      ]),
      ...[fays.digest, fays.package, fays.digest.slice(0, 12), 'last'].flatMap((name): [string, object][] => [
        ['/v1/package-show', { name }],
        ['/v1/package-verify', { name }],
        ['/v1/package-export', { name }],
        ['/v1/package-check', { name }],
        ['/v1/package-bind', { name, attempt: 'of-fay' }],
        ['/v1/why', { package: name }],
      ]),
      ['/v1/package-list', {}],
      ['/v1/package-list', { attempt: 'of-fay' }],
      ['/v1/status', { verify: true, drift: true }],
      ['/v1/search', { query: 'timetable deploy duty log engineering', limit: 100 }],
      ['/v1/search', { query: 'leave', source: ['engineering'] }],
      ['/v1/search', { query: 'leave', path: ['engineering/'] }],
      ['/v1/context', { query: 'how is the timetable deployed', facts: ['page:deploying-the-timetable.md'] }],
    ];
    for (const [path, body] of guesses) {
      const text = await (await ask('cam', path, body)).text();
      // What was asked may come back, word by word; nothing that was not asked.
      const asked = (JSON.stringify(body).match(/[\w-]+/g) ?? []).sort((a, b) => b.length - a.length);
      const echoed = asked.reduce((rest, word) => rest.replaceAll(word, ''), text);
      expect(echoed.match(FERRIES)?.[0], `${path} ${JSON.stringify(body)}: ${text.slice(0, 500)}`).toBeUndefined();
    }
  });

  it('by counting', async () => {
    const cam = (await (await ask('cam', '/v1/status', {})).json()) as {
      documents: number;
      sources: { id: string }[];
      generation: number;
      pending: number;
    };
    expect(cam.sources.map(({ id }) => id).sort()).toEqual(['clinic', 'inbound', 'people']);
    expect([cam.generation, cam.pending]).toEqual([0, 0]);
    const figures = await fetch(`${BASE}/metrics`, { headers: { authorization: `Bearer ${tokens.get('cam')}` } });
    expect(figures.status).toBe(403);
  });
});
