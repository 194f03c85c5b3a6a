/** SM-A4, SM-A7, SM-A9, SM-A10: a page kept back and let in again from the command line, with exit codes, by who may. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environment, type Run, runCommand } from '../support/built-command.js';
import { teamSource } from '../support/team-source.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';

let place: TemporaryFolder;
let home: TemporaryFolder;

beforeAll(async () => {
  place = temporaryFolder();
  home = temporaryFolder();
  place.write(
    'colophon.yaml',
    `version: 1
profile: team
sources:
${teamSource('docs', { permissions: 'staff', freshness_slo: 'P7D', state: 'active' })}identity: { principal: person:ada }
`,
  );
  place.write(
    'contracts/policy/policy.yaml',
    `version: 1
purposes: { answer: a }
people:
  person:ada: { tenants: [main], purposes: [answer], ceiling: restricted }
  person:bob: { tenants: [main], purposes: [answer], ceiling: restricted }
  person:cyd: { tenants: [main], purposes: [answer], ceiling: restricted }
  agent:helper: { tenants: [main], purposes: [answer], ceiling: restricted }
groups: { staff: [person:ada, person:bob, person:cyd, agent:helper] }
acls: { staff: [{ groups: [staff], tenants: [main], purposes: [answer] }] }
owners: { role:docs: [person:ada] }
roles: { knowledge: [person:ada], security: [person:bob] }
`,
  );
  place.write('docs/tern.md', '# Terns\n\nTerns nest on gravel.\n');
  place.write('docs/gull.md', '# Gulls\n\nGulls nest on roofs.\n');
  expect((await run('index')).code).toBe(0);
});
afterAll(() => {
  place.dispose();
  home.dispose();
});

const run = (...args: string[]): Promise<Run> => runCommand(args, { cwd: place.path, env: environment(home.path) });
const said = ({ code, stdout, stderr }: Run) => `${code} ${stdout}${stderr}`;
const order = (verb: string, ...more: string[]) => run('page', verb, 'docs/tern.md', '--reason', 'a test', ...more);

describe('page quarantine, release, confirm, invalidate', () => {
  it('follow the table: security quarantines, nobody else; the next question follows', async () => {
    expect(said(await run('search', 'nest'))).toContain('gravel');
    for (const who of ['person:ada', 'person:cyd', 'agent:helper'])
      expect(said(await order('quarantine', '--as', who)), who).toMatch(/^3 .*not yours to do/s);
    expect(said(await order('quarantine', '--as', 'person:bob'))).toMatch(/^0 docs:tern\.md {2}indexed → quarantined/);
    const after = await run('search', 'nest');
    expect([after.code, after.stdout.includes('roofs'), after.stdout.includes('gravel')]).toEqual([0, true, false]);
    expect((await run('get', 'docs/tern.md')).code).toBe(1);
    expect(said(await run('page', 'list', '--as', 'person:bob'))).toMatch(/^0 quarantined {2}v1 .*docs:tern\.md/);
    expect((await run('page', 'list', '--as', 'person:cyd')).code).toBe(3);
    expect(said(await order('release', '--as', 'person:bob'))).toMatch(/^3 .*--false-signal/s);
    expect(said(await order('release', '--false-signal', '--as', 'person:bob', '--expect', '7'))).toMatch(/^3 .*version 1, not 7/s);
    expect(said(await order('release', '--false-signal', '--as', 'person:bob'))).toMatch(/^0 /);
    expect(said(await run('search', 'nest'))).toContain('gravel');
    expect(said(await order('release', '--false-signal', '--as', 'person:bob'))).toMatch(
      /^3 .*it is indexed, and this is for a page that is quarantined/s,
    );
    const { events } = JSON.parse((await run('page', 'history', 'docs/tern.md', '--as', 'person:bob', '--json')).stdout);
    const told = events.map(({ event, actor, outcome }: Record<string, string>) => `${event} ${actor} ${outcome}`);
    expect(told).toEqual([
      'quarantine person:ada refused',
      'quarantine person:cyd refused',
      'quarantine agent:helper refused',
      'quarantine person:bob made',
      'release person:bob refused',
      'release person:bob refused',
      'release person:bob made',
      'release person:bob refused',
    ]);
  });

  it('the knowledge owner invalidates a text; another text of the page answers', async () => {
    expect(said(await run('page', 'invalidate', 'tern.md', '--reason', 'wrong', '--key', 'k'))).toMatch(
      /^0 docs:tern\.md {2}indexed → invalid/,
    );
    expect(said(await run('page', 'invalidate', 'tern.md', '--reason', 'wrong', '--key', 'k'))).toMatch(/^0 .*nothing was done now/);
    expect(said(await run('search', 'nest'))).not.toContain('gravel');
    place.write('docs/tern.md', '# Terns\n\nTerns nest on gravel and sand.\n');
    expect((await run('index')).code).toBe(0);
    expect(said(await run('search', 'nest'))).toContain('gravel and sand');
    expect((await run('page', 'invalidate', 'nothing.md', '--reason', 'x')).code).toBe(1);
  });
});
