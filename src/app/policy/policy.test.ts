/** What a policy says, how it is read, and what happens while it cannot be used. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.js';
import { MOST_READERS, readersFor } from '../../domain/policy.js';
import type { Ask } from '../../domain/requester.js';
import type { Instant } from '../../kernel/clock.js';
import { Fault } from '../../kernel/errors.js';
import { resolveConfig } from '../configuration/config.js';
import { openContainer } from '../container.js';
import { resolveAsk, rightsOf } from '../identity.js';
import { policyExplain } from '../operations/policy.js';
import { checkPolicy } from './check-policy.js';
import { withPolicy } from './current-policy.js';
import { POLICY_SCHEMAS } from './policy-json-schema.js';
import { policyOf } from './resolve-policy.js';

const NOW = Date.UTC(2026, 10, 30) as Instant;
const CALLER = { workload: 'workload://test', defaultClient: 'terminal' };
const folders: TemporaryFolder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.dispose();
});

const source = (more = '') => `  - id: docs
    owner: role:docs
    authority_class: reference
    connector_identity: workload://colophon/directory
    location: { path: ./docs, connector: directory }
    classification: internal
    tenant_scope: [main]
    allowed_purposes: [answer]
    freshness_slo: P7D
    retention_policy: keep@1
    correction_and_deletion: source-authoritative
    state: active
    permissions: staff
${more}`;
const config = (more = '', ofSource = '') => `version: 1
profile: team
sources:
${source(ofSource)}identity: { principal: person:ada }
${more}`;

const POLICY = `version: 1
purposes: { answer: Answer questions. }
people:
  person:ada: { tenants: [main], purposes: [answer], ceiling: restricted }
  person:bob: { tenants: [main, other], purposes: [answer], ceiling: internal }
  agent:helper: { tenants: [main], purposes: [answer], ceiling: confidential }
groups:
  staff: [person:ada, person:bob, agent:helper]
  leads: [person:ada]
owners: { role:docs: [person:ada] }
acls:
  staff: [{ groups: [staff], tenants: [main], purposes: [answer] }]
`;

function library(policy: string, colophon = config()): TemporaryFolder {
  const folder = temporaryFolder();
  folders.push(folder);
  folder.write('colophon.yaml', colophon);
  folder.write('docs/a.md', '# A\n\nText.\n');
  folder.write('contracts/policy/all.yaml', policy);
  return folder;
}
const open = (folder: TemporaryFolder, policy?: 'unread') =>
  resolveConfig({ cwd: folder.path, env: { COLOPHON_HOME: join(folder.path, 'home') }, ...(policy === undefined ? {} : { policy }) });
const faultOf = async (work: () => Promise<unknown>) => {
  try {
    await work();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  return undefined;
};
const findingsOf = async (folder: TemporaryFolder) =>
  (await checkPolicy(await open(folder, 'unread'), NOW)).findings.map(
    ({ file, line, what, severity }) => `${severity} ${file.slice(folder.path.length + 1)}:${line ?? 0} ${what}`,
  );

describe('what a policy gives', () => {
  it('a principal holds its groups and what its owner name stands for; colophon.yaml may only take away', async () => {
    const folder = library(
      POLICY,
      config().replace('{ principal: person:ada }', '{ principal: person:ada, groups: [staff, board], ceiling: confidential }'),
    );
    const { identity, people } = await open(folder);
    expect(people?.['person:ada']?.groups).toEqual(['staff', 'leads', 'owner:role:docs', 'owner:person:ada']);
    expect(identity).toEqual({
      principal: 'person:ada',
      groups: ['staff'],
      tenants: ['main'],
      purposes: ['answer'],
      ceiling: 'confidential',
    });
  });

  it('ATH-03 through a delegation counts what both hold; an unknown principal holds nothing', async () => {
    const opened = await open(library(POLICY));
    expect(rightsOf(opened, 'person:bob')).toEqual({ groups: ['staff'], tenants: ['main'], purposes: ['answer'], ceiling: 'internal' });
    expect(rightsOf(opened, 'person:eve')).toBeUndefined();
    expect(rightsOf(opened, 'toString')).toBeUndefined();
    expect(() => resolveAsk(opened, { as: 'person:eve' }, CALLER, NOW)).toThrow(/asks for more/);
    const foreign = await open(library(POLICY, config().replace('person:ada', 'person:mallory')));
    expect(foreign.identity).toMatchObject({ groups: [], tenants: [], purposes: [] });
  });

  it('a grant counts in its tenants, for its purposes and in its time; to a person by name only where they ask themselves', async () => {
    const acl = 'staff: [{ principals: [person:bob], tenants: [main], purposes: [answer], from: 2026-01-01, to: 2026-12-01T12:00:00Z }]';
    const opened = await open(library(POLICY.replace(/staff: \[\{.*/, acl)));
    const readers = (narrowing: object, at = NOW) => {
      const ask = resolveAsk(
        { ...opened, identity: { principal: 'person:bob', ...(opened.people?.['person:bob'] ?? opened.identity) } },
        narrowing,
        CALLER,
        at,
      );
      return readersFor(ask, 'staff', opened.permissions);
    };
    expect(readers({ tenant: 'main' })).toEqual(['person:bob']);
    expect(readers({ tenant: 'other' })).toEqual([]);
    expect(readers({ tenant: 'main' }, Date.UTC(2025, 11, 31) as Instant)).toEqual([]);
    expect(readers({ tenant: 'main' }, Date.UTC(2026, 11, 1, 12) as Instant)).toEqual([]);
    expect(readersFor(resolveAsk(opened, { as: 'person:bob' }, CALLER, NOW), 'staff', opened.permissions)).toEqual([]);
  });

  it('a list that is too long denies, whatever stands first in it', () => {
    const ask = { requester: { groups: new Set(['g0']), tenant: 'main', purpose: 'answer' }, at: NOW } as unknown as Ask;
    const list = (length: number) => ({ staff: Array.from({ length }, (_, at) => `g${at}`) });
    expect(readersFor(ask, 'staff', list(MOST_READERS))).toEqual(['g0']);
    expect(readersFor(ask, 'staff', list(MOST_READERS + 1))).toBeUndefined();
  });

  it('its version is what it says: not the order, the files or the comments', async () => {
    const version = async (folder: TemporaryFolder) => policyOf(await open(folder)).version;
    const first = await version(library(POLICY));
    const folder = library(
      `# said otherwise\n${POLICY.replace('[person:ada, person:bob, agent:helper]', '[agent:helper, person:ada, person:bob]').replace(/groups:\n.*\n.*\n/, '')}`,
    );
    folder.write(
      'contracts/policy/groups.yaml',
      'version: 1\ngroups:\n  leads: [person:ada]\n  staff: [person:bob, person:ada, agent:helper]\n',
    );
    expect(await version(folder)).toBe(first);
    expect(await version(library(POLICY.replace('leads: [person:ada]', 'leads: [person:bob]')))).not.toBe(first);
  });
});

describe('a policy that cannot be used', () => {
  const REFUSED: readonly (readonly [string, string, string])[] = [
    ['a misspelt key', POLICY.replace('groups:\n', 'gruops:\n'), 'all.yaml:7: gruops must be left out or spelled `groups`'],
    [
      'a wildcard for a tenant list that is empty',
      POLICY.replace('tenants: [main], purposes: [answer] }]', 'tenants: [], purposes: [answer] }]'),
      'all.yaml:12',
    ],
    ['a grant to nobody', POLICY.replace('groups: [staff], tenants', 'groups: [], tenants'), 'a grant to somebody'],
    [
      'a grant that ends before it begins',
      POLICY.replace('purposes: [answer] }]', 'purposes: [answer], from: 2026-02-01, to: 2026-01-01 }]'),
      'ends before it begins',
    ],
    [
      'a list that is too long',
      POLICY.replace('groups: [staff], tenants', `groups: [${Array.from({ length: 1001 }, (_, at) => `g${at}`).join(', ')}], tenants`),
      'names 1001 readers, more than 1000',
    ],
    ['an agent with a role', `${POLICY}roles: { knowledge: [agent:helper] }\n`, 'a person, `person:name`'],
    ['two people with one key', POLICY.replace(/(person:(?:ada|bob): \{)/g, `$1 keys: [${'A'.repeat(59)}=],`), 'share a key'],
    ['what is no YAML', 'groups: [', 'all.yaml:1'],
  ];
  it.each(REFUSED)('%s: nothing is allowed, and the place is named', async (_, policy, said) => {
    const fault = await faultOf(() => open(library(policy)));
    expect(fault?.code).toBe('policy/invalid');
    expect(fault?.message).toContain(said);
  });

  it('is refused beside `permissions` or `people` in colophon.yaml, when it is gone, and when it says a thing twice', async () => {
    expect((await faultOf(() => open(library(POLICY, config('permissions: { staff: [staff] }\n')))))?.message).toContain(
      'permissions must be left out',
    );
    expect((await faultOf(() => open(library(POLICY, config('policy: elsewhere\n')))))?.message).toContain('it is not there');
    const folder = library(POLICY);
    folder.write('contracts/policy/more.yaml', 'version: 1\ngroups: { staff: [person:bob] }\n');
    expect((await faultOf(() => open(folder)))?.message).toMatch(/more\.yaml:2: groups\.staff stands in .*all\.yaml too/);
  });

  it.each(['team', 'personal'])('profile %s: is missed when it is gone from where it stood by default', async (profile) => {
    const written = config().replace('profile: team', `profile: ${profile}`);
    const folder = library(POLICY, written);
    const used = await openContainer(await open(folder));
    await used.records.registry.standings();
    await used.close();
    renameSync(join(folder.path, 'contracts/policy'), join(folder.path, 'elsewhere'));
    for (const fault of [await faultOf(() => open(folder)), await faultOf(() => withPolicy(used.config))]) {
      expect(fault?.code).toBe('policy/invalid');
      expect(fault?.message).toMatch(/contracts\/policy: it is not there, and this library was under it; put it back, or say/);
    }
    expect(await findingsOf(folder)).toEqual([
      expect.stringMatching(/^error contracts\/policy:0 it is not there, and this library was under it; put it back/),
    ]);
    // Said in its place by who keeps colophon.yaml: no accident.
    folder.write('colophon.yaml', `${written}permissions: { staff: [staff] }\n`);
    expect((await open(folder)).permissions).toMatchObject({ staff: ['staff'] });
    folder.write('colophon.yaml', written);
    renameSync(join(folder.path, 'elsewhere'), join(folder.path, 'contracts/policy'));
    expect((await open(folder)).policy).toBeDefined();
  });

  it('is not missed where there never was one', async () => {
    const folder = library(POLICY);
    rmSync(join(folder.path, 'contracts'), { recursive: true });
    const used = await openContainer(await open(folder));
    await used.records.registry.standings();
    await used.close();
    expect((await open(folder)).policyPlace).toBeUndefined();
  });

  it('counts anew for the next request: an edit at once, a broken one as a denial, the mended one again', async () => {
    const folder = library(POLICY);
    const file = join(folder.path, 'contracts/policy/all.yaml');
    const opened = await open(folder);
    const groups = async () => rightsOf(await withPolicy(opened), 'person:bob')?.groups;
    for (let round = 0; round < 6; round += 1) {
      expect(await groups()).toEqual(['staff']);
      // As long as the text before, and written within the same tick of the clock.
      writeFileSync(file, POLICY.replace('staff: [person:ada, person:bob,', 'staff: [person:ada, person:ada,'));
      expect(await groups()).toEqual([]);
      writeFileSync(file, POLICY.replace('version: 1', 'version: 2'));
      expect((await faultOf(groups))?.code).toBe('policy/invalid');
      expect((await faultOf(groups))?.code).toBe('policy/invalid');
      writeFileSync(file, POLICY);
    }
  });
});

describe('policy explain and policy check', () => {
  const BY_NAME = POLICY.replace('acls:', 'acls:\n  solo: [{ principals: [person:bob, person:ada], tenants: [main], purposes: [answer] }]');
  const soloPages = config('', '    rules: [{ glob: "**", permissions: solo }]\n');
  const explained = async (folder: TemporaryFolder, principal: string, more: object = {}) => {
    const opened = await openContainer(await open(folder));
    const { identity } = opened.config;
    try {
      const call = {
        library: opened,
        ask: resolveAsk(opened.config, {}, CALLER, NOW),
        signal: new AbortController().signal,
        progress: () => undefined,
      };
      const input = policyExplain.input.parse({ principal, source: 'docs', path: 'a.md', ...more });
      const { allowed, via, steps } = await policyExplain.run(input, call);
      const asked = principal === identity.principal ? {} : { as: principal };
      const { requester, at } = resolveAsk(opened.config, asked, CALLER, NOW);
      const readers = readersFor({ requester, at, freshnessCritical: false }, 'solo', opened.config.permissions) ?? [];
      const granted = readers.some((each) => requester.groups.has(each));
      return { allowed, via, granted, because: steps.find(({ rule }) => rule === 'no-grant')?.because };
    } finally {
      await opened.close();
    }
  };

  it('ATH-03 a grant by name counts for nobody whom another asks for; explained as a question here would be answered', async () => {
    const folder = library(BY_NAME, soloPages);
    const asAda = await explained(folder, 'person:bob');
    expect(asAda).toMatchObject({ via: 'person:ada', granted: false });
    expect(asAda.because).toMatch(/; solo is granted to person:bob by name, which person:ada, who asks for person:bob, does not hold/);
    expect((await explained(folder, 'person:bob', { via: 'person:bob' })).because).toBe('solo+staff is granted to person:bob');
    expect(await explained(folder, 'person:ada')).toMatchObject({
      via: null,
      granted: true,
      because: 'solo+staff is granted to person:ada',
    });
  });

  it('warns of a grant by name that counts for nobody who asks through this library', async () => {
    expect(await findingsOf(library(BY_NAME, soloPages))).toEqual([
      expect.stringMatching(
        /^warning contracts\/policy\/all\.yaml:12 acls\.solo is granted to person:bob by name, which person:ada, .*does not hold/,
      ),
    ]);
  });
});

describe('policy check', () => {
  it('finds nothing wrong with a sound one', async () => {
    expect(await findingsOf(library(POLICY.replace('  leads: [person:ada]\n', '')))).toEqual([]);
  });

  it('names every name that leads nowhere, with file and line', async () => {
    const policy = POLICY.replace('[person:ada, person:bob, agent:helper]', '[person:ada, person:zed]')
      .replace('groups: [staff], tenants', 'groups: [staff, board], principals: [agent:none], tenants')
      .replace('owners: { role:docs: [person:ada] }', 'owners: { role:docs: [person:yan] }\nroles: { quality: [person:xen] }');
    const rules = "    rules: [{ glob: 'hr/**', permissions: hr }]\n";
    expect(await findingsOf(library(policy, config('', rules)))).toEqual([
      'error colophon.yaml:17 source docs: the permissions ref hr leads nowhere; nobody may read it',
      'error contracts/policy/all.yaml:8 groups.staff names person:zed, whom `people` does not know',
      'error contracts/policy/all.yaml:10 owners.role:docs names person:yan, whom `people` does not know',
      'error contracts/policy/all.yaml:11 roles.quality names person:xen, whom `people` does not know',
      'error contracts/policy/all.yaml:13 acls.staff names agent:none, whom `people` does not know',
      'error contracts/policy/all.yaml:13 acls.staff names the group board, which `groups` does not have',
    ]);
  });

  it('of a file that cannot be read tells the one thing that is wrong with it, and nothing that follows from it', async () => {
    const rules = `    rules:
      - { glob: 'all/**', classification: public }
`;
    const misspelt = library(POLICY.replace('groups:', 'grups:'), config('', rules));
    const key = 'error contracts/policy/all.yaml:7 grups must be left out or spelled `groups`';
    const idle =
      'warning colophon.yaml:18 source docs: the rule for all/** can never count: the source itself is as strict already, and a rule never loosens';
    expect(await findingsOf(misspelt)).toEqual([key, idle]);
    misspelt.write(
      'contracts/policy/more.yaml',
      'version: 1\nacls: { other: [{ groups: [away], tenants: [main], purposes: [answer], to: 2026-01-01 }] }\n',
    );
    expect(await findingsOf(misspelt)).toEqual([key, idle, 'warning contracts/policy/more.yaml:2 a grant of acls.other ended 2026-01-01']);
  });

  it('names rules and grants that can never count, unknown owners, purposes and retention policies', async () => {
    const rules = `    rules:
      - { glob: 'hr/pay/**', classification: restricted }
      - { glob: 'all/**', classification: public }
      - { glob: 'hr/**', classification: confidential }
`;
    const policy = POLICY.replace('owners: { role:docs: [person:ada] }\n', '').replace(
      'purposes: [answer] }]',
      'purposes: [answer] }, { groups: [leads], tenants: [main], purposes: [audit], to: 2026-01-01 }]',
    );
    const found = await findingsOf(
      library(policy, config('', rules).replace('keep@1', 'burn@2').replace('purposes: [answer]', 'purposes: [answer, sell]')),
    );
    expect(found).toEqual([
      'error colophon.yaml:5 source docs: the owner role:docs stands for nobody; it cannot be approved',
      'error colophon.yaml:11 source docs: `purposes` does not name sell',
      'error colophon.yaml:13 source docs: there is no retention policy burn@2',
      'warning colophon.yaml:18 source docs: the rule for hr/pay/** can never count: the rule for hr/**, further down, says all of it anew',
      'warning colophon.yaml:19 source docs: the rule for all/** can never count: the source itself is as strict already, and a rule never loosens',
      'warning contracts/policy/all.yaml:11 a grant of acls.staff ended 2026-01-01',
      'error contracts/policy/all.yaml:11 acls.staff names the purpose audit, which `purposes` does not name',
    ]);
  });

  it('looks at the simple form in colophon.yaml too', async () => {
    const folder = temporaryFolder();
    folders.push(folder);
    folder.write('docs/a.md', '# A\n');
    folder.write('colophon.yaml', config('permissions: { stuff: [staff] }\n'));
    expect(await findingsOf(folder)).toEqual([
      'warning colophon.yaml:5 source docs: the owner role:docs stands for nobody; it cannot be approved',
      'error colophon.yaml:16 source docs: the permissions ref staff leads nowhere; nobody may read it',
    ]);
  });
});

it('the published schemas are those that check the files', () => {
  for (const [file, text] of Object.entries(POLICY_SCHEMAS)) expect(readFileSync(file, 'utf8')).toBe(text());
});
