/** Narrowing from outside: paths as people type them, and sources, statuses and tags that do not exist. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environment, type Run, runCommand } from '../support/built-command.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';

let place: TemporaryFolder;
let home: TemporaryFolder;

beforeAll(async () => {
  place = temporaryFolder();
  home = temporaryFolder();
  place.write(
    'colophon.yaml',
    [
      'version: 1',
      'profile: team',
      'sources:',
      ...source('docs', 'staff'),
      ...source('vault', 'leads'),
      'permissions: { staff: [staff], leads: [leads] }',
      'identity: { principal: person:me, groups: [staff], tenants: [main], purposes: [answer], ceiling: internal }',
      '',
    ].join('\n'),
  );
  place.write('docs/ops/keys.md', '---\ntags: [ops]\n---\n# Keys\n\nThe tern rotates its key.\n');
  place.write('docs/other.md', '# Other\n\nThe tern nests.\n');
  place.write('vault/ops/plan.md', '# Plan\n\nThe tern is secret.\n');
  expect((await run('index')).code).toBe(0);
});
afterAll(() => {
  place.dispose();
  home.dispose();
});

function source(id: string, permissions: string): string[] {
  const fields = [
    `id: ${id}`,
    'owner: role:docs',
    'authority_class: reference',
    'connector_identity: workload://colophon/directory',
    `location: { path: ./${id}, connector: directory }`,
    'classification: internal',
    'tenant_scope: [main]',
    'allowed_purposes: [answer]',
    'freshness_slo: P7D',
    'retention_policy: keep@1',
    'correction_and_deletion: source-authoritative',
    'state: active',
    `permissions: ${permissions}`,
  ];
  return fields.map((field, at) => `${at === 0 ? '  - ' : '    '}${field}`);
}

const run = (...args: string[]): Promise<Run> => runCommand(args, { cwd: place.path, env: environment(home.path) });
const from = (folder: string, ...args: string[]): Promise<Run> =>
  runCommand(args, { cwd: join(place.path, folder), env: environment(home.path) });
const paths = (done: Run): string[] => [...new Set((JSON.parse(done.stdout).hits as { readonly path: string }[]).map(({ path }) => path))];

describe('--path finds what get finds', () => {
  it.each(['ops/', 'docs/ops/', './docs/ops', 'docs/ops/keys.md', 'docs:ops/keys.md'])('%s', async (path) => {
    const done = await run('search', 'tern', '--path', path, '--json');
    expect(paths(done)).toEqual(['ops/keys.md']);
    expect(JSON.parse(done.stdout).problems).toEqual([]);
    expect((await run('context', 'how does the tern rotate its key', '--path', path)).stdout).toContain('rotates its key');
  });

  it('takes a whole source, an absolute path, and a path from where it is typed', async () => {
    expect(paths(await run('search', 'tern', '--path', 'docs/', '--json')).sort()).toEqual(['ops/keys.md', 'other.md']);
    expect(paths(await run('search', 'tern', '--path', `${place.path}/docs/ops/`, '--json'))).toEqual(['ops/keys.md']);
    expect(paths(await from('docs/ops', 'search', 'tern', '--path', '.', '--json'))).toEqual(['ops/keys.md']);
    for (const done of [
      await run('get', './docs/ops/keys.md'),
      await run('get', join(place.path, 'docs/ops/keys.md')),
      await from('docs/ops', 'get', './keys.md'),
      await from('docs/ops', 'get', 'ops/keys.md'),
    ]) {
      expect(done.stdout).toContain('rotates its key');
    }
    expect((await from('docs', 'get', '../docs/other.md')).stdout).toContain('nests');
  });

  it('ATH-06: a hidden page, an absent one and one outside are not found in the same words', async () => {
    const asked = [
      'vault/ops/plan.md',
      'vault/ops/none.md',
      join(place.path, 'vault/ops/plan.md'),
      join(place.path, 'none.md'),
      '/etc/passwd',
    ];
    const said = await Promise.all(
      asked.map(async (path) => JSON.stringify(await run('get', path, '--json'), ['code', 'stdout', 'stderr']).replaceAll(path, 'X')),
    );
    expect(new Set(said).size).toBe(1);
    expect(said[0]).toContain('"code":1');
  });
});

describe('what does not exist is said', () => {
  it('ATH-06: a hidden source is refused as one that never was', async () => {
    const said = await Promise.all(
      ['vault', 'ghost'].map(async (id) =>
        JSON.stringify(await run('search', 'tern', '--source', id), ['code', 'stdout', 'stderr']).replaceAll(id, 'X'),
      ),
    );
    expect(said[0]).toBe(said[1]);
    expect(said[0]).toContain('source must be one of docs, not X');
    expect(said[0]).toContain('"code":2');
  });

  it('an unknown status, with the choices', async () => {
    const done = await run('search', 'tern', '--status', 'currnt');
    expect(done.code).toBe(2);
    expect(done.stderr).toMatch(/currnt.*current/);
  });

  it('an unknown tag', async () => {
    const done = await run('search', 'tern', '--tag', 'opps', '--json');
    expect(JSON.parse(done.stdout)).toMatchObject({ hits: [], problems: [{ code: 'query/unknown-tag', severity: 'info' }] });
    expect(paths(await run('search', 'tern', '--tag', 'ops', '--json'))).toEqual(['ops/keys.md']);
  });

  it('a page that is not here: why-not gives one answer, exit 1', async () => {
    await run('context', 'how does the tern rotate its key');
    const said = await Promise.all(
      ['vault/ops/plan.md', 'ghost.md', '/etc/passwd', '../x.md'].map(async (page) => {
        const { code, stdout } = await run('why-not', page);
        return `${code} ${stdout}`;
      }),
    );
    expect(new Set(said)).toEqual(new Set(['1 This page is not in this library for you.\n']));
    expect((await run('why-not', 'other.md')).code).toBe(0);
  });
});
