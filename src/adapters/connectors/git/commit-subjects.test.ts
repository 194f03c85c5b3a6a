import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { commitSubjects } from './commit-subjects.js';

const base = mkdtempSync(join(tmpdir(), 'colophon-subjects-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

function repository(name: string) {
  const folder = join(base, name);
  mkdirSync(join(folder, 'docs'), { recursive: true });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'commit.gpgsign=false', ...args], {
      cwd: folder,
      stdio: 'ignore',
    });
  git('init', '-q', '-b', 'main');
  const commit = (message: string, files: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
    git('add', '-A');
    git('commit', '-q', '-m', message);
  };
  return { folder, git, commit };
}

describe('commit subjects', () => {
  it('come newest first with the files below the folder asked about; merges and other folders are left out', async () => {
    const { folder, git, commit } = repository('plain');
    commit('Describe the kiln', { 'docs/kiln.md': 'a', 'code.ts': 'x' });
    git('checkout', '-q', '-b', 'side');
    commit('Say when clay is dug — “in autumn”', { 'docs/clay ü.md': 'b' });
    git('checkout', '-q', 'main');
    commit('Only code', { 'code.ts': 'y' });
    git('merge', '-q', '--no-ff', '-m', 'Merge side', 'side');
    const subjects = await commitSubjects(join(folder, 'docs'), 100);
    expect(subjects.map(({ subject, paths }) => [subject, paths]).filter(([, paths]) => paths?.length !== 0)).toEqual([
      ['Say when clay is dug — “in autumn”', ['clay ü.md']],
      ['Describe the kiln', ['kiln.md']],
    ]);
    expect(subjects.map(({ subject }) => subject)).not.toContain('Merge side');
    expect(await commitSubjects(folder, 1)).toHaveLength(1);
  });

  it('of a folder in no checkout, and of a checkout without a commit, are none', async () => {
    const { folder } = repository('empty');
    expect(await commitSubjects(folder, 10)).toEqual([]);
    mkdirSync(join(base, 'none'));
    expect(await commitSubjects(join(base, 'none'), 10)).toEqual([]);
  });

  it('nothing that the checkout configures is run', async () => {
    const { folder, git, commit } = repository('hostile');
    const trace = join(base, 'ran');
    const program = join(base, 'program.sh');
    writeFileSync(program, `#!/bin/sh\ntouch ${trace}\ncat\n`, { mode: 0o755 });
    commit('One page', { 'docs/a.md': 'a', '.gitattributes': '*.md diff=evil\n' });
    for (const [key, value] of [
      ['log.showSignature', 'true'],
      ['gpg.program', program],
      ['core.pager', program],
      ['diff.evil.textconv', program],
      ['diff.external', program],
      ['core.fsmonitor', program],
      ['diff.relative', 'true'],
      ['diff.orderFile', join(base, 'not-there')],
    ] as const)
      git('config', key, value);
    expect(await commitSubjects(join(folder, 'docs'), 10)).toMatchObject([{ subject: 'One page', paths: ['a.md'], files: 2 }]);
    expect(existsSync(trace)).toBe(false);
  });
});
