import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nearest } from '../asking/nearest.js';
import { durationMs } from '../duration.js';
import { resolveConfig } from './config.js';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'colophon-config-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(yaml: string): void {
  writeFileSync(join(root, 'colophon.yaml'), yaml);
}
const resolve = (folder = root, env: Record<string, string> = {}) => resolveConfig({ folder, env: { HOME: root, ...env }, cwd: root });

describe('which library', () => {
  it('takes a bare folder as one source and keeps its state elsewhere', async () => {
    const config = await resolve(root, { COLOPHON_HOME: '/state' });
    expect(config.sources).toHaveLength(1);
    expect(config.sources[0]?.location).toMatchObject({ connector: 'directory', path: root });
    expect(config.stateFolder.startsWith('/state/')).toBe(true);
    expect(config.file).toBeUndefined();
  });

  it('finds colophon.yaml upward, and keeps its state beside it', async () => {
    write('version: 1\nprofile: personal\nsources: [docs]\n');
    mkdirSync(join(root, 'docs/deep'), { recursive: true });
    const config = await resolve(join(root, 'docs/deep'));
    expect(config.root).toBe(root);
    expect(config.stateFolder).toBe(join(root, '.colophon'));
  });

  it('does not answer for a folder that the configuration above it does not cover', async () => {
    write('version: 1\nprofile: personal\nsources: [docs]\n');
    mkdirSync(join(root, 'docs'));
    mkdirSync(join(root, 'elsewhere'));
    expect((await resolve(join(root, 'elsewhere'))).file).toBeUndefined();
  });

  it('with --root or COLOPHON_ROOT looks nowhere else', async () => {
    write('version: 1\nprofile: personal\nsources: [docs]\n');
    mkdirSync(join(root, 'docs'));
    const docs = join(root, 'docs');
    expect((await resolveConfig({ root: docs, env: { HOME: root }, cwd: root })).file).toBeUndefined();
    expect((await resolveConfig({ env: { HOME: root, COLOPHON_ROOT: root }, cwd: docs })).root).toBe(root);
  });

  it.each([['nowhere'], ['file.md']])('says what is wrong with %s', async (name) => {
    writeFileSync(join(root, 'file.md'), 'x');
    await expect(resolve(join(root, name))).rejects.toMatchObject({ code: 'library/missing' });
  });
});

describe('registration', () => {
  it('SRC-02: fills all fields of a personal source', async () => {
    write('version: 1\nprofile: personal\nsources: [docs]\n');
    const [source] = (await resolve()).sources;
    expect(source).toMatchObject({ id: 'docs', owner: 'person:local', classification: 'public', initialState: 'active', stemming: 0.5 });
    expect(Object.values(source ?? {}).includes(undefined)).toBe(false);
  });

  it('is closed in profile team where nothing was written', async () => {
    write(`version: 1
profile: team
sources:
  - { id: a, owner: role:a, authority_class: reference, connector_identity: workload://colophon/directory, location: docs, classification: internal,
      tenant_scope: [t], allowed_purposes: [answer], freshness_slo: P7D, retention_policy: keep@1, correction_and_deletion: source-authoritative, state: active }
`);
    mkdirSync(join(root, 'docs'));
    const config = await resolve();
    expect(config.sources[0]).toMatchObject({ permissionsRef: 'unassigned', trustTier: 'advisory', admission: 'local-unreviewed' });
    expect(config.permissions['unassigned']).toBeUndefined();
    expect(config.identity).toMatchObject({ groups: [], tenants: [], purposes: [], ceiling: 'public' });
  });

  it('gives a file inside two sources to the innermost, and says so', async () => {
    mkdirSync(join(root, 'all/team'), { recursive: true });
    write('version: 1\nprofile: personal\nsources: [all, all/team]\n');
    const config = await resolve();
    expect(config.sources[0]?.location.exclude).toEqual(['team/**']);
    expect(config.problems?.map(({ code }) => code)).toEqual(['source/overlap']);
  });

  it('sees through a link to the same folder', async () => {
    mkdirSync(join(root, 'all'));
    symlinkSync(join(root, 'all'), join(root, 'again'));
    write('version: 1\nprofile: personal\nsources: [all, again]\n');
    await expect(resolve()).rejects.toMatchObject({ code: 'config/invalid' });
  });

  it.each([
    ['freshness_slo: P1M', 'freshness_slo'],
    ['admission: trust-branch', 'admission'],
    ['connector_identity: workload://colophon/git', 'connector_identity'],
    ['trust_tier: untrusted\n    authority_class: governing', 'authority_class'],
  ])('refuses %s', async (line, key) => {
    mkdirSync(join(root, 'docs'));
    write(`version: 1\nprofile: personal\nsources:\n  - location: docs\n    ${line}\n`);
    await expect(resolve()).rejects.toMatchObject({ code: 'config/invalid', data: { key: `sources[0].${key}` } });
  });
});

it.each([
  ['P7D', 604_800_000],
  ['PT1H30M', 5_400_000],
  ['P1W', 604_800_000],
  ['P1M', undefined],
  ['P', undefined],
  ['PT', undefined],
  ['7 days', undefined],
])('reads the duration %s', (text, expected) => {
  expect(durationMs(text)).toBe(expected);
});

it('finds what a slip of the hand meant, and nothing far away', () => {
  expect(nearest('clasification', ['class', 'classification'])).toBe('classification');
  expect(nearest('tenat', ['tenant', 'purpose'])).toBe('tenant');
  expect(nearest('banana', ['tenant', 'purpose'])).toBeUndefined();
});
