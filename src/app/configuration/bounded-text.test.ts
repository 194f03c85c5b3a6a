/** T7.5: whatever stands where a file of the setup should, nothing waits for it, and nothing of it is repeated. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.js';
import { localKey } from '../access/local-key.js';
import { readTokens } from '../access/token-file.js';
import { currentVocabulary } from '../vocabulary/current-vocabulary.js';
import { boundedText } from './bounded-text.js';
import { resolveConfig } from './config.js';

const SECRET = 'swordfish';
const CONFIG = `version: 1
profile: personal
identity: { principal: person:ada }
vocabulary: vocabulary.yaml
sources:
  - ./docs
`;
const POLICY = 'version: 1\npurposes: { answer: a }\npeople:\n  person:ada: { tenants: [main], purposes: [answer], ceiling: internal }\n';

let folder: TemporaryFolder;
let outside: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
  outside = temporaryFolder();
  folder.write('docs/a.md', '# A\n');
  folder.write('colophon.yaml', CONFIG);
  folder.write('vocabulary.yaml', 'version: 1\nconcepts: []\n');
  folder.write('contracts/policy/main.yaml', POLICY);
  outside.write('policy.yaml', POLICY);
  outside.write('vocabulary.yaml', 'version: 1\nconcepts: []\n');
  outside.write('hosts.txt', `${SECRET}:x:0:0\n${SECRET}:x:1:1\n`);
});
afterEach(() => {
  folder.dispose();
  outside.dispose();
});

const at = (name: string) => join(folder.path, name);
const fifo = (name: string) => {
  folder.remove(name);
  execFileSync('mkfifo', ['-m', '600', at(name)]);
};
const openIt = async () => currentVocabulary(await resolveConfig({ folder: folder.path, env: {}, cwd: folder.path }));
const said = (run: () => Promise<unknown>) =>
  run().then(
    () => 'read',
    (error: Error) => error.message,
  );

describe.skipIf(process.platform === 'win32')('what is no file', () => {
  it.each(['colophon.yaml', 'vocabulary.yaml', 'contracts/policy/main.yaml', 'contracts/policy/other.yaml', 'contracts/policy'])(
    'as %s is refused by its name, and does not hang',
    async (name) => {
      expect(await said(openIt)).toBe('read');
      fifo(name);
      expect(await said(openIt)).toContain(name);
      folder.remove(name);
      folder.link(name, '/dev/zero');
      expect(await said(openIt)).toContain(name);
      folder.remove(name);
      if (name === 'contracts/policy') return;
      mkdirSync(at(name));
      expect(await said(openIt)).toContain(name);
    },
  );

  it('what is not there is said in words', async () => {
    await expect(boundedText(at('tests.yaml'))).rejects.toMatchObject({
      code: 'config/unreadable',
      message: `${at('tests.yaml')} could not be read: there is no such file.`,
      hint: 'Write it, or name one that is there.',
    });
  });

  it('a socket is none either', async () => {
    const server = createServer().listen(at('docs/socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    expect(await said(() => boundedText(at('docs/socket')))).toContain('docs/socket');
    server.close();
  });

  it('tokens and the key of the user are refused, and do not hang', () => {
    fifo('tokens.json');
    expect(() => readTokens(folder.path)).toThrow(/no regular file/);
    chmodSync(folder.path, 0o700);
    fifo('local.key');
    expect(() => localKey({ COLOPHON_HOME: folder.path })).toThrow(/no regular file/);
  });
});

describe('a link', () => {
  it.each([
    ['vocabulary.yaml', 'vocabulary.yaml'],
    ['contracts/policy/main.yaml', 'policy.yaml'],
    ['contracts/policy/other.yaml', 'hosts.txt'],
    ['vocabulary.yaml', 'hosts.txt'],
  ])('as %s out of the library is refused, whatever it leads to: %s', async (name, target) => {
    folder.remove(name);
    folder.link(name, join(outside.path, target));
    const message = await said(openIt);
    expect(message).toContain(name);
    expect(message).toContain('leads out of the library');
    expect(message).not.toContain(SECRET);
  });

  it('as the folder of the policy out of the library is refused, unless colophon.yaml names where', async () => {
    folder.remove('contracts/policy');
    folder.link('contracts/policy', outside.path);
    expect(await said(openIt)).toContain('leads out of the library');
    folder.write('colophon.yaml', `${CONFIG}policy: ${outside.path}\n`);
    outside.remove('vocabulary.yaml');
    expect(await said(openIt)).toBe('read');
  });

  it('within the library is followed, and so is one of the whole library', async () => {
    for (const [name, target] of [
      ['vocabulary.yaml', 'shared/v.yaml'],
      ['contracts/policy/main.yaml', 'shared/p.yaml'],
    ] as const) {
      folder.write(target, name === 'vocabulary.yaml' ? 'version: 1\nconcepts: []\n' : POLICY);
      folder.remove(name);
      folder.link(name, at(target));
    }
    expect(await said(openIt)).toBe('read');
    outside.link('here', folder.path);
    const there = join(outside.path, 'here');
    expect(await said(async () => currentVocabulary(await resolveConfig({ folder: there, env: {}, cwd: there })))).toBe('read');
  });
});

it('a file that is something else is refused without a word of what it holds', async () => {
  for (const name of ['colophon.yaml', 'vocabulary.yaml', 'contracts/policy/main.yaml'])
    for (const text of [
      `${SECRET}:x:0:0\n`,
      `- ${SECRET}\n`,
      `a: *${SECRET}\n`,
      `a: !${SECRET} b\n`,
      `a: |${SECRET}\n b\n`,
      `"a" ${SECRET}\n: {`,
      `{a} ${SECRET}`,
    ]) {
      const before = { 'colophon.yaml': CONFIG, 'vocabulary.yaml': 'version: 1\nconcepts: []\n' }[name] ?? POLICY;
      folder.write(name, text);
      const message = await said(openIt);
      folder.write(name, before);
      expect(message, text).toContain(name);
      expect(message, text).not.toContain(SECRET);
    }
});

it('what is larger than it may be is not read to its end', async () => {
  folder.write('big.yaml', 'a'.repeat(70_000));
  expect(await said(() => boundedText(at('big.yaml')))).toContain('at most 64 KiB');
  expect(await boundedText(at('big.yaml'), { mostBytes: 70_000 })).toHaveLength(70_000);
});
