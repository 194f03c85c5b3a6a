/** T1.6, T8.1: threads that answer for a server: what was tightened counts in each of them with the next question, and each is told its own. */
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resolveConfig } from '../../src/app/configuration/config.js';
import { openContainer } from '../../src/app/container.js';
import type { Call } from '../../src/app/operations/catalogue.js';
import { search } from '../../src/app/operations/search.js';
import { environment, MAIN, type RunningServer, runCommand, startServer } from '../support/built-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder();
const home = temporaryFolder();
const surroundings = { cwd: folder.path, env: environment(home.path) };
const POLICY = 'contracts/policy/policy.yaml';
const held = { tenants: ['main'], purposes: ['assist'] };
const policyOf = (...staff: readonly string[]) =>
  JSON.stringify({
    version: 1,
    purposes: { assist: 'Answer.' },
    people: Object.fromEntries(['person:ada', 'person:bo'].map((each) => [each, { ...held, ceiling: 'internal' }])),
    groups: { staff },
    acls: { all: [{ groups: ['staff'], ...held }] },
    owners: { 'role:docs': ['person:ada'] },
    roles: { security: ['person:ada'] },
  });
const CONFIG = {
  ...{ version: 1, profile: 'team', identity: { principal: 'person:ada' } },
  serve: { limits: { threads: 3, requests_per_second: 10_000, burst: 100_000, queued: 1_000, wait_ms: 60_000 } },
  sources: [
    {
      ...{ id: 'docs', owner: 'role:docs', authority_class: 'reference', connector_identity: 'workload://colophon/directory' },
      ...{ location: { connector: 'directory', path: './docs' }, classification: 'internal', tenant_scope: ['main'] },
      ...{ allowed_purposes: ['assist'], freshness_slo: 'P30D', retention_policy: 'keep@1', state: 'approved' },
      ...{ correction_and_deletion: 'source-authoritative', permissions: 'all', trust_tier: 'trusted' },
    },
  ],
};
/** Each is a question of its own, so that all threads have some. */
const QUESTIONS = Array.from({ length: 12 }, (_, at) => `how is signing key ${at} rotated`);

let server: RunningServer;
let [ada, bo] = ['', ''];

const run = async (...args: string[]) => {
  const { code, stdout, stderr } = await runCommand(args, surroundings);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return stdout.trim();
};
const setPolicy = (...staff: readonly string[]) => writeFileSync(join(folder.path, POLICY), policyOf(...staff));
const ask = (token: string, verb: string, body: object, signal: AbortSignal | null = null) =>
  fetch(`${server.base}/v1/${verb}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
/** How many of the questions, all asked at once by search and context, are answered from the page. */
async function answered(token: string): Promise<number> {
  const all = QUESTIONS.flatMap((query) => ['search', 'context'].map((verb) => ask(token, verb, { query })));
  const texts = await Promise.all(all.map(async (each) => (await each).text()));
  return texts.filter((text) => text.includes('numbat')).length;
}

beforeAll(async () => {
  folder.write('colophon.yaml', JSON.stringify(CONFIG));
  folder.write(POLICY, policyOf('person:ada', 'person:bo'));
  folder.write('docs/keys.md', '# Keys\n\nA signing key is rotated by the numbat, and how it is rotated stands here.\n');
  for (let at = 0; at < 30; at += 1) folder.write(`docs/other-${at}.md`, `# Other ${at}\n\nA page about quokka ${at}.\n`);
  await run('index', '--quiet');
  ada = await run('token', 'create', '--for', 'person:ada');
  bo = await run('token', 'create', '--for', 'person:bo');
  server = await startServer(surroundings);
});
afterAll(() => {
  server.process.kill('SIGKILL');
  folder.dispose();
  home.dispose();
});

it('a thread of the built program answers what this one answers, fails where it fails, and ends', async () => {
  const { AnswerThread, CAN_ANSWER_APART } = (await import(
    pathToFileURL(join(dirname(MAIN), '../../app/asking/answer-thread.js')).href
  )) as typeof import('../../src/app/asking/answer-thread.js');
  expect(CAN_ANSWER_APART).toBe(true);
  const config = await resolveConfig({ env: surroundings.env, cwd: folder.path });
  const library = await openContainer(config);
  const thread = new AnswerThread(config);
  const call = (signal: AbortSignal): Call => ({
    library,
    ask: {
      requester: {
        ...{ principal: 'person:ada', workload: 'workload://api/test', tenant: 'main', purpose: 'assist', ceiling: 'internal' },
        ...{ groups: new Set(['staff']), client: { name: 'unnamed', locality: 'remote' } },
      },
      at: Date.now() as Call['ask']['at'],
      freshnessCritical: false,
    },
    signal,
    progress: () => undefined,
  });
  const { signal } = new AbortController();
  const input = search.input.parse({ query: QUESTIONS[0] });
  try {
    expect(await thread.run('search', input, call(signal))).toEqual(await search.run(input, call(signal)));
    await expect(thread.run('get', { path: 'nowhere.md' }, call(signal))).rejects.toMatchObject({ code: 'not-found' });
    await expect(thread.run('search', input, call(AbortSignal.abort(new Error('gone'))))).rejects.toThrow('gone');
  } finally {
    await thread.end();
    await library.close();
  }
  await expect(thread.run('search', input, call(signal))).rejects.toThrow('ended with code 0');
});

it('whoever is taken out of the policy is answered by no thread from then on, and whoever is let in again by all', async () => {
  for (let round = 0; round < 4; round += 1) {
    expect([await answered(ada), await answered(bo)]).toEqual([2 * QUESTIONS.length, 2 * QUESTIONS.length]);
    setPolicy('person:ada');
    expect([await answered(bo), await answered(ada)]).toEqual([0, 2 * QUESTIONS.length]);
    setPolicy('person:ada', 'person:bo');
  }
});

it('a page that is gone, and a source that is suspended, are so in every thread with the next question', async () => {
  const file = join(folder.path, 'docs/keys.md');
  const text = '# Keys\n\nA signing key is rotated by the numbat, and how it is rotated stands here.\n';
  rmSync(file);
  const contexts = await Promise.all(
    QUESTIONS.map(async (query) => (await (await ask(ada, 'context', { query })).json()) as { items: [] }),
  );
  expect(contexts.flatMap(({ items }) => items.filter(({ path }) => path === 'keys.md'))).toEqual([]);
  writeFileSync(file, text);
  expect(await answered(ada)).toBe(2 * QUESTIONS.length);
  await run('source', 'suspend', 'docs', '--reason', 'a test');
  expect(await answered(ada)).toBe(0);
  await run('source', 'resume', 'docs', '--false-signal', '--reason', 'a test');
  expect(await answered(ada)).toBe(2 * QUESTIONS.length);
});

it('a package that a thread has stored is there for the server, and the same question is the same package from all', async () => {
  const asked = Array.from({ length: 9 }, async (_, at) =>
    (await ask(bo, 'context', { query: QUESTIONS[1], attempt: `run-${at}` })).json(),
  );
  const answers = (await Promise.all(asked)) as { readonly digest: string; readonly package: string }[];
  expect(new Set(answers.map(({ digest }) => digest)).size).toBe(1);
  for (const each of answers) expect((await ask(bo, 'package-show', { name: each.package })).status).toBe(200);
  expect((await ask(ada, 'package-show', { name: answers[0]?.package })).status).toBe(404);
});

it('stops in order while threads answer, those who left are forgotten, and the audit log is whole', async () => {
  const leaving = new AbortController();
  const gone = QUESTIONS.map((query) => ask(ada, 'context', { query: `${query} now` }, leaving.signal).catch(() => 'gone'));
  const staying = QUESTIONS.map((query) => ask(bo, 'context', { query: `${query} today` }).then(({ status }) => status));
  await new Promise((resolve) => setTimeout(resolve, 30));
  leaving.abort();
  await Promise.all(gone);
  expect(new Set(await Promise.all(staying))).toEqual(new Set([200]));
  server.process.kill('SIGTERM');
  if (server.process.exitCode === null) await once(server.process, 'exit');
  expect([server.process.exitCode, /a thread that answers has ended/.test(server.said())]).toEqual([0, false]);
  expect(JSON.parse(await run('audit', 'verify', '--json'))).toMatchObject({ ok: true });
});
