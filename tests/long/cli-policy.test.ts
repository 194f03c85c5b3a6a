/** The commands that move sources and look at a policy, as people type them: exit codes, signatures, histories, a server that follows an edit. */
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environment, MAIN, type Run, runCommand } from '../support/built-command.js';
import { teamSource } from '../support/team-source.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';

let place: TemporaryFolder;
let home: TemporaryFolder;
const keys = { ada: generateKeyPairSync('ed25519'), bob: generateKeyPairSync('ed25519') };
const publicOf = (who: keyof typeof keys) => keys[who].publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
const policy = (staff: string) => `version: 1
purposes: { answer: a }
people:
  person:ada: { tenants: [main], purposes: [answer], ceiling: restricted, keys: ["${publicOf('ada')}"] }
  person:bob: { tenants: [main], purposes: [answer], ceiling: restricted, keys: ["${publicOf('bob')}"] }
  agent:helper: { tenants: [main], purposes: [answer], ceiling: internal }
groups: { staff: [${staff}] }
acls: { staff: [{ groups: [staff], tenants: [main], purposes: [answer] }] }
owners: { role:docs: [person:ada] }
roles: { knowledge: [person:ada], security: [person:bob] }
`;

beforeAll(() => {
  place = temporaryFolder();
  home = temporaryFolder();
  place.write(
    'colophon.yaml',
    `version: 1
profile: team
sources:
${teamSource('docs', { permissions: 'staff', freshness_slo: 'P7D', state: 'proposed', authority_class: 'governing', classification: 'confidential' })}identity: { principal: person:ada }
`,
  );
  place.write('contracts/policy/policy.yaml', policy('person:ada, person:bob'));
  place.write('docs/tern.md', '# Terns\n\nTerns nest on gravel.\n');
  for (const who of ['ada', 'bob'] as const)
    place.write(`${who}.pem`, String(keys[who].privateKey.export({ format: 'pem', type: 'pkcs8' })));
});
afterAll(() => {
  place.dispose();
  home.dispose();
});

const run = (...args: string[]): Promise<Run> => runCommand(args, { cwd: place.path, env: environment(home.path) });
const said = ({ code, stdout, stderr }: Run) => `${code} ${stdout}${stderr}`;

describe('SRC-12, SRC-19 from proposal to deletion', () => {
  it('two people sign; an agent may only propose; the history tells all of it', async () => {
    expect(said(await run('source', 'list'))).toContain('docs                 declared');
    expect((await run('source', 'add', 'docs', '--as', 'agent:helper', '--reason', 'I would like to read it')).code).toBe(0);
    expect(said(await run('source', 'approve', 'docs', '--as', 'agent:helper', '--reason', 'please'))).toMatch(/^3 .*not yours/s);
    expect(said(await run('source', 'approve', 'docs', '--reason', 'fine'))).toMatch(/^3 .*two people, each by a signature/s);
    for (const [who, more] of [
      ['ada', []],
      ['bob', ['--as', 'person:bob']],
    ] as const) {
      const signed = await run('source', 'sign', 'docs', 'approve', '--key', `${who}.pem`, '--reason', 'fine', '--quiet', ...more);
      writeFileSync(join(place.path, `${who}.json`), signed.stdout);
    }
    expect(said(await run('source', 'approve', 'docs', '--reason', 'fine', '--approval', 'ada.json', 'ada.json'))).toMatch(/^3 /);
    expect(
      said(await run('source', 'approve', 'docs', '--reason', 'fine', '--approval', 'ada.json', 'bob.json', '--expect', '1', '--key', 'k')),
    ).toMatch(/^0 docs {2}proposed → approved/);
    expect((await run('index')).code).toBe(0);
    expect(said(await run('search', 'terns'))).toContain('gravel');
    expect(said(await run('source', 'suspend', 'docs', '--reason', 'odd', '--expect', '1'))).toMatch(/^3 .*version 3, not 1/s);
    expect((await run('source', 'suspend', 'docs', '--reason', 'odd')).code).toBe(0);
    expect(said(await run('search', 'terns'))).not.toContain('gravel');
    expect(said(await run('source', 'resume', 'docs', '--false-signal', '--reason', 'it was not', '--as', 'person:bob'))).toMatch(/^0 /);
    expect(said(await run('search', 'terns', '--critical'))).toContain('gravel');
    const { events, declarations } = JSON.parse((await run('source', 'history', 'docs', '--json')).stdout);
    expect(events.map(({ event, outcome }: { event: string; outcome: string }) => `${event} ${outcome}`)).toEqual([
      'register made',
      'approve refused',
      'approve refused',
      'approve refused',
      'approve made',
      'activate made',
      'suspend refused',
      'suspend made',
      'clear made',
    ]);
    expect(declarations).toHaveLength(1);
  });
});

describe('the policy', () => {
  it('is checked, tested and explained, with exit codes for a build', async () => {
    expect(said(await run('policy', 'check'))).toMatch(/^0 policy [0-9a-f]{16}, sound/);
    place.write(
      'contracts/policy/tests.yaml',
      'version: 1\ncases:\n  - { name: bob reads, principal: person:bob, tenant: main, purpose: answer, source: docs, path: tern.md, expect: allow }\n',
    );
    expect(said(await run('policy', 'test'))).toMatch(/^0 1 passed, 0 failed/);
    expect(said(await run('policy', 'explain', 'agent:helper', 'docs:tern.md'))).toMatch(/^1 .*fails {2}no-grant/s);
    expect((await run('policy', 'explain', 'person:ada', 'docs:tern.md', '--as', 'agent:helper')).code).toBe(3);
    place.write('contracts/policy/policy.yaml', policy('person:ada'));
    expect(said(await run('policy', 'test'))).toMatch(/^1 failed .*tests\.yaml:3: bob reads/);
    place.write('contracts/policy/policy.yaml', policy('person:ada, person:zed'));
    expect(said(await run('policy', 'check'))).toMatch(/^1 error .*policy\.yaml:7: groups\.staff names person:zed/);
    place.write('contracts/policy/policy.yaml', policy('person:ada').replace('version: 1', 'version: 1\nbroken'));
    expect(said(await run('search', 'terns'))).toMatch(/^4 .*The policy cannot be used, so nothing is answered/s);
    expect(said(await run('policy', 'check'))).toMatch(/^1 error .*The policy cannot be used/s);
    place.write('contracts/policy/policy.yaml', policy('person:ada, person:bob'));
  });

  it('T1.6 an MCP server follows an edit with the next call', async () => {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [MAIN, 'mcp', '--as', 'person:bob', '--client', 'terminal'],
        cwd: place.path,
        env: environment(home.path),
        stderr: 'ignore',
      }),
    );
    const asked = async () => JSON.stringify(await client.callTool({ name: 'kb_search', arguments: { query: 'terns' } }));
    expect(await asked()).toContain('gravel');
    place.write('contracts/policy/policy.yaml', policy('person:ada, person:ada'));
    expect(await asked()).not.toContain('gravel');
    place.write('contracts/policy/policy.yaml', 'version: 1\nbroken');
    expect(await asked()).toContain('policy cannot be used');
    place.write('contracts/policy/policy.yaml', policy('person:ada, person:bob'));
    expect(await asked()).toContain('gravel');
    await client.close();
  });

  it('takes keys in the PEM form that openssl prints', async () => {
    const fresh = generateKeyPairSync('ed25519');
    place.write('new.pem', String(fresh.privateKey.export({ format: 'pem', type: 'pkcs8' })));
    const pem = String(fresh.publicKey.export({ format: 'pem', type: 'spki' }));
    const key = pem.split('\n').slice(1, -2).join('');
    place.write('contracts/policy/policy.yaml', policy('person:ada, person:bob').replace(publicOf('ada'), key));
    expect(said(await run('policy', 'check'))).toMatch(/^0 /);
    await run('source', 'add', 'docs');
    expect(said(await run('source', 'sign', 'docs', 'keep', '--key', 'new.pem'))).toContain(`signed with the key ${key}`);
    expect(said(await run('source', 'sign', 'docs', 'keep', '--key', 'colophon.yaml'))).toMatch(/^2 .*an ed25519 private key/s);
  });
});
