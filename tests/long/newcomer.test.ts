/** What a newcomer is told at the terminal when a first question finds nothing, or a first word is mistyped. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environment, type Run, runCommand } from '../support/built-command.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';

let docs: TemporaryFolder;
let home: TemporaryFolder;

beforeAll(() => {
  docs = temporaryFolder();
  home = temporaryFolder();
  docs.write('keys.md', '# Signing keys\n\nRun `keyctl rotate` to rotate a signing key.\n');
  docs.write('d.md', '---\nsensitivity: private\n---\n# Diary\n\nThe okapi diary is kept in the shed.\n');
});
afterAll(() => {
  docs.dispose();
  home.dispose();
});

const run = (...args: string[]): Promise<Run> => runCommand(args, { cwd: docs.path, env: environment(home.path) });

describe('a private page', () => {
  const note = /^note This is what a remote model may be given; .*`--client terminal` asks as yourself\.$/m;

  it('is found by who asks as themselves, and nothing false is said to who does not', async () => {
    const [hidden, absent] = [await run('okapi diary'), await run('zebra diary')];
    expect(hidden).toMatchObject({ code: 1 });
    expect(hidden.stdout).toContain('No page that may be shown here holds “okapi” or “diary”');
    for (const each of [hidden, absent]) expect(each.stderr).toMatch(note);
    const plain = ({ stdout, stderr }: Run) => `${stdout}${stderr.replace(/^indexed: .*\n/, '')}`.replace(/[0-9a-f]{12}|\d+ of 1500/g, '#');
    expect(plain(hidden).replaceAll('okapi', 'zebra')).toBe(plain(absent));
    expect((await run('okapi diary', '--client', 'terminal')).stdout).toContain('kept in the shed');
  });

  it('is told of by why-not to the owner, and to no remote client', async () => {
    await run('okapi diary');
    expect((await run('why-not', 'd.md')).stdout).toMatch(/ d\.md is kept from remote clients .*`--client terminal`/);
    expect((await run('why-not', 'd.md', '--client', 'claude-code')).stdout).toBe('This page is not in this library for you.\n');
  });

  it('costs no word where something was found, nor with --quiet or --json', async () => {
    expect((await run('how do I rotate a signing key')).stderr).toBe('');
    expect((await run('okapi diary', '--quiet')).stderr).toBe('');
    expect((await run('okapi diary', '--json')).stderr).toBe('');
  });
});

describe('a file that came after the index', () => {
  it('is found by search and get, told of by status, and costs a search that finds something no look', async () => {
    await run('how do I rotate a signing key');
    docs.write('quagga.md', '# Quagga\n\nThe quagga stands in the field.\n');
    expect((await run('status')).stdout).toMatch(/^not up to date: .*colophon index/m);
    expect((await run('search', 'signing')).stderr).toBe('');
    const found = await run('search', 'quagga');
    expect(found).toMatchObject({ code: 0, stderr: 'indexed: 1 added\n' });
    expect(found.stdout).toContain('stands in the field');
    expect((await run('status')).stdout).toMatch(/^nothing pending$/m);
    docs.write('zorilla.md', '# Zorilla\n\nThe zorilla sleeps.\n');
    expect(await run('get', 'zorilla.md')).toMatchObject({ code: 0, stderr: 'indexed: 1 added\n' });
    expect(await run('get', 'nothing.md')).toMatchObject({ code: 1 });
    const none = await run('search', 'axolotl');
    expect(none).toMatchObject({ code: 1, stderr: '' });
    expect(none.stdout).toBe('Nothing found: No page that may be shown here holds “axolotl”.\n');
  });
});

describe('a mistyped verb', () => {
  it.each([
    [['serach', 'signing key'], 'colophon search "signing key"'],
    [['statu'], 'colophon status'],
  ])('%j is refused, and the verb is named', async (line, meant) => {
    const { code, stdout, stderr } = await run(...line);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`Did you mean \`${meant}\`?\n`);
  });

  it.each([[['who', 'rotates keys']], [['--', 'serach', 'key']], [['searching for keys']], [['serach', 'key?']]])(
    '%j is a plain question',
    async (line) => {
      expect((await run(...line)).stderr).not.toContain('Did you mean');
    },
  );
});

describe('a source that was suspended', () => {
  it('is named by a search that finds nothing, as by a question', async () => {
    const own = temporaryFolder();
    try {
      const ask = (...args: string[]) => runCommand(args, { cwd: own.path, env: environment(join(own.path, '.home')) });
      own.write('colophon.yaml', 'version: 1\nprofile: personal\nsources: [./docs]\n');
      own.write('docs/keys.md', '# Signing keys\n\nRotate a signing key.\n');
      expect((await ask('search', 'signing')).code).toBe(0);
      expect((await ask('source', 'suspend', 'docs', '--reason', 'odd links')).code).toBe(0);
      const [searched, asked] = [await ask('search', 'signing'), await ask('signing')];
      expect(searched.code).toBe(1);
      expect(searched.stderr).toMatch(/^warning docs: .*suspended/);
      expect(asked.stderr).toContain(searched.stderr);
    } finally {
      own.dispose();
    }
  });
});

describe('package verify', () => {
  it('names each passage that the source does not say any more, and exits with 1', async () => {
    const own = temporaryFolder();
    try {
      const ask = (...args: string[]) =>
        runCommand(args, { cwd: own.path, env: environment(home.path, { COLOPHON_HOME: `${own.path}/.home` }) });
      const keys = (day: string) =>
        `# Signing keys\n\n## Rotate\n\nRotate a signing key on ${day}.\n\n## Revoke\n\nRevoke a signing key at once.\n`;
      own.write('keys.md', keys('Monday'));
      expect((await ask('rotate or revoke a signing key')).code).toBe(0);
      expect(await ask('package', 'verify')).toMatchObject({ code: 0 });
      own.write('keys.md', keys('Friday'));
      const done = await ask('package', 'verify');
      expect(done.code).toBe(1);
      expect(done.stdout).toMatch(/^ {2}source does not say it any more: item \d, \S+ keys\.md:3-5$/m);
      expect(done.stdout).toMatch(/^ {2}source was edited and says it still: item \d, \S+ keys\.md:7-9$/m);
    } finally {
      own.dispose();
    }
  });
});

describe('a single ideograph', () => {
  it('is found where it is a word of its own, and nothing false is said of one inside a longer word', async () => {
    const own = temporaryFolder();
    try {
      const ask = (...args: string[]) => runCommand(args, { cwd: own.path, env: environment(`${own.path}/.home`) });
      own.write('rotate.md', '# 更新\n\n鍵は九十日ごとに更新します。\n');
      own.write('key.md', '# 鍵\n\n署名に使います。\n');
      for (let n = 0; n < 6; n++) own.write(`other-${n}.md`, `# 門 ${n}\n\n門番の合図は夜明けです。\n`);
      expect((await ask('鍵とは')).stdout).toContain('署名に使います');
      const found = await ask('search', '鍵');
      expect(found.stdout).toContain('key.md');
      expect(found.stdout).toContain('rotate.md');
      const inside = await ask('search', '番');
      expect(inside.stdout).toContain('holds “番” as a word. A single character is not looked for inside longer words');
      expect((await ask('search', '門番')).stdout).toContain('other-0.md');
    } finally {
      own.dispose();
    }
  });
});
