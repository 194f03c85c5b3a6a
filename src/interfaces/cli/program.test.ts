/** What a line that cannot be run comes to: words of ours, exit 2, and nothing indexed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../../../tests/support/run-in-process.js';
import { temporaryFolder } from '../../../tests/support/temporary-folder.js';

const folder = temporaryFolder();
afterAll(() => folder.dispose());
folder.write('docs/keys.md', '# Signing keys\n\nRotate a signing key every year.\n');
folder.write('statu/keys.md', '# Signing keys\n\nRotate a signing key every year.\n');

const run = (...argv: readonly string[]) => runInProcess(folder.path, argv);

describe('CLI-05: a mistyped verb', () => {
  it.each([
    [['searhc', 'signing key'], 'colophon search "signing key"'],
    [['--json', 'statuss'], 'colophon --json status'],
    [['serach', "it's $HOME", '--limit', '3'], `colophon search 'it'\\''s $HOME' --limit 3`],
  ])('%j is refused, the verb is named, and nothing is indexed', async (line, meant) => {
    const { code, stdout, stderr } = await run(...line);
    expect(code).toBe(2);
    const told = line.includes('--json') ? (JSON.parse(stdout) as { message: string }).message : stderr;
    expect(told).toContain(`Did you mean \`${meant}\`?`);
    expect(existsSync(join(folder.path, '.state'))).toBe(false);
  });

  it.each([[['searching for keys']], [['--', 'serach', 'key']], [['statu', 'signing', 'key']], [['serach', 'key?']]])(
    '%j is a plain question',
    async (line) => {
      const { code, stderr } = await run(...line);
      expect([0, 1]).toContain(code);
      expect(stderr).not.toContain('Did you mean');
    },
  );
});

describe('a command told of by', () => {
  folder.write('own docs/keys.md', '# Keys\n\nRotate a signing key.\n');
  folder.write('own docs/locks.md', '# Locks\n\nA lock is made of a signing brass.\n');
  folder.write('team/colophon.yaml', 'version: 1\nprofile: personal\nsources: [./docs]\n');
  folder.write('team/docs/keys.md', '# Keys\n\nRotate a signing key.\n');
  folder.write('team/docs/locks.md', '# Locks\n\nA lock is made of a signing brass.\n');

  const toldOf = async (...line: string[]) => {
    const { stdout, stderr } = await run(...line);
    return [...`${stdout}${stderr}`.replace(/\s+/g, ' ').matchAll(/`(colophon (?:why-not|package list)[^`]*)`/g)].map(([, each]) => each);
  };

  it.each([
    [['own docs', 'rotate a signing key'], 'colophon why-not PATH --root "own docs"'],
    [['--root', 'own docs', 'rotate a signing key'], 'colophon why-not PATH --root "own docs"'],
    [['team/docs', 'rotate a signing key'], 'colophon why-not PATH --root team'],
    [['.', 'rotate a signing key'], 'colophon why-not PATH'],
    [['package', 'show', 'abcdef123456', '--root', 'team'], 'colophon package list --root team'],
    [['package', 'show', 'abcdef123456', '--root', '.'], 'colophon package list'],
    [['package', 'show', 'abcdef123456'], 'colophon package list'],
    [['package', 'show', 'abcdef123456', '--root', 'team', '--json'], 'colophon package list'],
  ])('%j means that library', async (line, command) => {
    expect(await toldOf(...line)).toEqual([command]);
  });
});

it('counts one as one', async () => {
  expect((await run('statu')).stdout).toContain('1 page, 1 passage. Ask: colophon statu "your question"');
  expect((await run('--root', 'statu', 'status')).stdout).toMatch(/^1 page, 1 passage, /);
});

it('says of a client that nobody declared that it counts as remote, once, and of the others nothing', async () => {
  const asked = (client: string, ...more: string[]) => run('search', 'signing key', '--root', 'team', '--client', client, ...more);
  const { stderr } = await asked('nonsense', '--json');
  expect(stderr.match(/No client is known as nonsense, so it counts as remote; there is terminal, claude-code, /g)).toHaveLength(1);
  expect((await asked('cursor')).stderr).not.toContain('counts as remote');
  expect((await asked('nonsense', '--quiet')).stderr).toBe('');
});

it('an order that the state of a page or a source does not allow exits with 3, and says what it is for', async () => {
  const order = (...line: string[]) => run(...line, '--root', 'team', '--reason', 'a test');
  const said = { code: 3, stderr: expect.stringContaining('it is indexed, and this is for a page that is quarantined.') };
  expect(await order('page', 'release', 'keys.md', '--false-signal')).toMatchObject(said);
  const resumed = { code: 3, stderr: expect.stringContaining('it is active, and this is for a source that is suspended.') };
  expect(await order('source', 'resume', 'docs', '--false-signal')).toMatchObject(resumed);
  expect(await order('source', 'add', 'docs')).toMatchObject({ code: 3, stderr: expect.not.stringContaining('The refusal is recorded') });
  expect(await order('source', 'add', 'nix')).toMatchObject({ code: 1, stderr: expect.stringContaining('declares no source nix') });
  expect(await order('source', 'sign', 'docs', 'flee', '--key', 'k')).toMatchObject({ code: 2 });
});

it('package list shows each question once, and all of its packages where it is asked for them', async () => {
  const list = async (...more: string[]) => (await run('package', 'list', '--root', 'team', ...more)).stdout.trim().split('\n');
  for (const budget of ['300', '300', '400']) await run('context', 'which brass is a lock of', '--budget', budget, '--root', 'team');
  const [shown, ...others] = (await list()).filter((line) => line.includes('which brass'));
  expect(others).toEqual([]);
  expect(shown).toMatch(/which brass is a lock of {2}and 1 before$/);
  const every = await list('--text', 'which brass');
  expect(every).toHaveLength(2);
  expect(every[1]).toMatch(/which brass is a lock of {2}given 2 times$/);
  const { packages } = JSON.parse((await list('--json')).join('\n'));
  expect(
    packages.filter(({ text }: { text: string }) => text.startsWith('which brass')).map(({ times }: { times: number }) => times),
  ).toEqual([1, 2]);
});

it('package diff says once what several passages changed for', async () => {
  const text = (more: string) =>
    `# Brass\n\nA brass hinge.\n\n## Oil\n\nOil a brass hinge${more}.\n\n## Pins\n\nA brass hinge has pins${more}.\n`;
  folder.write('brass/hinge.md', text(''));
  await run('context', 'brass hinge', '--root', 'brass');
  const [{ digest }] = JSON.parse((await run('package', 'list', '--root', 'brass', '--json')).stdout).packages;
  folder.write('brass/hinge.md', text(' today'));
  await run('context', 'brass hinge', '--root', 'brass');
  const { stdout } = await run('package', 'diff', digest, 'last', '--root', 'brass');
  expect(stdout.match(/hinge\.md › /g)?.length).toBeGreaterThan(1);
  expect(stdout.match(/page-edited/g)).toHaveLength(1);
  expect(stdout).toMatch(/^ {4}all \d: page-edited: hinge\.md was /m);
});

describe('a line that cannot be read', () => {
  folder.write('request.yaml', 'zzzzzzzz: x\n');
  folder.write('slip.yaml', 'quer: x\n');

  it.each([
    [['search', 'x', '--limt', '3'], "Unknown option '--limt'. Did you mean --limit?"],
    [['connect', 'emacs'], /The client must be one of claude-code, .*, not emacs\.$/m],
    [['package', 'show', ''], 'The name must be filled in.'],
    [['package', 'shwo', 'last'], 'There is no `colophon package shwo`. Did you mean `colophon package show`?'],
    [['audit', 'everything'], 'There is no `colophon audit everything`. There is verify and query.'],
    [
      ['get', 'docs/keys.md', '--anchor', 'signing-keys', '--lines', '1-2'],
      'lines must be left out beside an anchor, which names lines itself.',
    ],
    [['package', 'explain', ''], 'The package must be named: `last`, a digest, a package id, or the beginning of one.'],
    [['context', '--request', 'request.yaml'], 'zzzzzzzz of the request in request.yaml must be left out; there is query, budget, '],
    [['context', '--request', 'slip.yaml'], 'quer of the request in slip.yaml must be left out or spelled query.'],
  ])('%j is told in words of ours', async (line, message) => {
    const { code, stderr } = await run(...line);
    expect(code).toBe(2);
    if (typeof message === 'string') expect(stderr).toContain(message);
    else expect(stderr).toMatch(message);
    expect(stderr).not.toContain('␊');
  });
});

it('a page is known by every name that people write', async () => {
  folder.write('named/colophon.yaml', 'version: 1\nprofile: personal\nsources: [./docs]\n');
  folder.write('named/docs/ops/keys.md', '---\nclassification: restricted\n---\n\n# Keys\n\nRotate a signing key.\n');
  await run('context', 'signing key', '--root', 'named');
  for (const name of ['ops/keys.md', 'docs/ops/keys.md', 'docs:ops/keys.md']) {
    const listed = JSON.parse((await run('package', 'list', '--page', name, '--root', 'named', '--json')).stdout);
    expect(listed.packages).toHaveLength(1);
    const explained = JSON.parse((await run('policy', 'explain', 'person:local', name, '--root', 'named', '--json')).stdout);
    expect(explained).toMatchObject({ source: 'docs', path: 'ops/keys.md', from: 'page', compartment: { classification: 'restricted' } });
  }
  expect(JSON.parse((await run('package', 'list', '--page', 'keys.md', '--root', 'named', '--json')).stdout).packages).toEqual([]);
});

it('a page whose front matter closes it is spoken of when it is taken in', async () => {
  folder.write('closed/keys.md', '---\nclassification: [secret\n---\n\n# Keys\n\nRotate a signing key.\n');
  expect((await run('closed', 'signing key')).stderr).toContain(
    'indexed: 1 added, 1 kept to the owner of its source (colophon status says why)',
  );
});

it('ATT-04: what was blocked may not be used, by its first attempt or another', async () => {
  folder.write('blocks/keys.md', '# Keys\n\nRotate a signing key.\n');
  const blocked = await run('context', 'signing key', '--consequential', '--fact', 'who feeds the zebras', '--root', 'blocks');
  expect(blocked.code).toBe(3);
  const check = await run('package', 'check', 'last', '--root', 'blocks', '--json');
  expect([check.code, JSON.parse(check.stdout)]).toMatchObject([3, { verdict: 'unusable', reasons: [{ code: 'blocked' }] }]);
  expect((await run('package', 'bind', 'last', '--attempt', 'n9', '--root', 'blocks')).code).toBe(3);
});
