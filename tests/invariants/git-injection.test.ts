/**
 * T8.6: no ref, path, object name, pattern or repository setting makes git run or write anything.
 *
 * Hostile names go through every door of the git connector; a marker file must not appear. The same names go through the
 * same commands as they would be written without the guard, and there the marker must appear, or the test proves nothing.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { detectConnector } from '../../src/adapters/connectors/git/detect-connector.js';
import { gitConnector } from '../../src/adapters/connectors/git/git-connector.js';
import { readObjects } from '../../src/adapters/connectors/git/object-reader.js';
import { commitOf, openRepository, type Repository } from '../../src/adapters/connectors/git/repository.js';
import type { SourceLocation } from '../../src/domain/source.js';
import type { ListedDocument } from '../../src/ports/connector.js';
import { runs } from '../support/proof-scale.js';
import { registrationAt } from '../support/registrations.js';
import { gitIn, type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';

const never = new AbortController().signal;
const connector = gitConnector();
let folder: TemporaryFolder;
let repo: string;
let marker: string;
let opened: Repository;

beforeAll(async () => {
  folder = temporaryFolder();
  repo = join(folder.path, 'r');
  marker = join(folder.path, 'MARKER');
  mkdirSync(repo);
  writeFileSync(join(repo, 'a.md'), 'alpha\n');
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
    ['commit', '-qm', 'one'],
  ])
    gitIn(repo, args);
  const repository = await openRepository(repo);
  if (repository === undefined) throw new Error('the fixture is no repository');
  opened = repository;
});
afterAll(() => folder.dispose());

/** Everything that ever made git start or write something it should not, and what a shell would make of a name. */
function vectors(at: string): string[] {
  const touch = `touch ${at}`;
  return [
    `--output=${at}`,
    `-o${at}`,
    `--upload-pack=${touch};`,
    `--upload-pack=${touch}`,
    `-u${touch};`,
    `--receive-pack=${touch};`,
    `--exec=${touch};`,
    `--open-files-in-pager=${touch};`,
    `-O${touch};`,
    `--config=core.pager=${touch}`,
    `-ccore.fsmonitor=${touch};`,
    `--config-env=core.pager=${at}`,
    `--ext-diff`,
    `--textconv`,
    `--paginate`,
    `--git-dir=${at}`,
    `--work-tree=${at}`,
    `--exec-path=${at}`,
    `--template=${at}`,
    `--output-directory=${at}`,
    `ext::sh -c ${touch.replaceAll(' ', '% ')}`,
    `fd::17/${at}`,
    `file://${at}`,
    `ssh://-oProxyCommand=${touch}/x`,
    `-oProxyCommand=${touch}`,
    `$(${touch})`,
    `\`${touch}\``,
    `;${touch};`,
    `|${touch}`,
    `&${touch}&`,
    `\n${touch}\n`,
    `'; ${touch}; '`,
    `"; ${touch}; "`,
    `HEAD:../MARKER`,
    `HEAD^{/x}`,
    `HEAD@{upstream}`,
    `@{-1}`,
    `:/x`,
    `:(top)a.md`,
    `:(attr:x)a.md`,
    `a..b`,
    `^HEAD`,
    `--all`,
    `--stdin`,
    `--end-of-options`,
    `--`,
    `-`,
    `..`,
    `.git/config`,
    `.git/hooks/pre-commit`,
    `%(trailers:key=${at})`,
    `a.md\0--output=${at}`,
    `refs/heads/../../x`,
    `x.lock`,
    `--batch-command`,
  ];
}

/** `count` different names, the same ones every time, from everywhere in the list. */
function hostileNames(count: number, at: string): string[] {
  const bare = vectors(at);
  const dressings = [
    (each: string) => each,
    (each: string) => `refs/heads/${each}`,
    (each: string) => `${each}.md`,
    (each: string) => ` ${each}`,
    (each: string) => `main ${each}`,
    (each: string) => `docs/${each}/x.md`,
  ];
  const all = dressings.flatMap((dress) => bare.map(dress)).slice(0, 300);
  return Array.from({ length: count }, (_, at) => all[(at * 7) % all.length] ?? '');
}

const at = (over: Partial<SourceLocation> = {}) => registrationAt({ connector: 'git', path: repo, ...over });
const read = async (documents: readonly ListedDocument[], over: Partial<SourceLocation> = {}) => {
  for await (const _ of connector.read(at(over), documents, never));
};
/** A name is used where a file system takes it; where it does not, there is nothing to attack. */
const asFile = (name: string): string | undefined => {
  const safe = name.replaceAll('/', '_').replaceAll('\0', '');
  return safe === '' || safe === '.' || safe === '..' || Buffer.byteLength(safe) > 200 ? undefined : `${safe}.md`;
};

/** Every door through which a name from outside comes near git. */
const DOORS: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
  'list at a ref': (ref) => connector.list(at({ ref }), never),
  'read at a ref': (ref) => read([{ path: 'a.md', sizeBytes: 1 }], { ref }),
  'read an object at a ref': (ref) => read([{ path: 'a.md', blob: 'a'.repeat(40), sizeBytes: 1 }], { ref }),
  'watch at a ref': async (ref) => (await connector.watch(at({ ref }), () => undefined))(),
  'resolve a ref': (ref) => commitOf(opened, ref),
  'list a location': (name) => connector.list(at({ path: join(repo, name) }), never),
  'list a bare location': (name) => connector.list(at({ path: join(repo, name), ref: 'HEAD' }), never),
  'detect a location': (name) => detectConnector(join(repo, name)),
  'read a path': (path) => read([{ path, sizeBytes: 1 }]),
  'read a path as an object': (path) => read([{ path, blob: 'b'.repeat(40), sizeBytes: 1 }]),
  'read an object name': (blob) => read([{ path: 'a.md', blob, sizeBytes: 1 }]),
  'read objects': async (id) => {
    for await (const _ of readObjects([id], opened.options, 1_000));
  },
  'include and exclude patterns': (glob) => connector.list(at({ include: [glob, 'a.md'], exclude: [glob] }), never),
  'an untracked file': async (name) => {
    const file = asFile(name);
    if (file === undefined) return;
    writeFileSync(join(repo, file), 'text');
    try {
      const listing = await connector.list(at(), never);
      expect(listing.documents.some(({ path }) => path === file) || file.startsWith('.') || file.startsWith('~')).toBe(true);
      await read(listing.documents);
    } finally {
      rmSync(join(repo, file), { force: true });
    }
  },
  'a committed file': async (name) => {
    const file = asFile(name);
    if (file === undefined) return;
    const blob = execFileSync('git', ['hash-object', '-w', '--stdin'], { cwd: repo, input: 'text', encoding: 'utf8' }).trim();
    const tree = execFileSync('git', ['mktree', '-z'], { cwd: repo, input: `100644 blob ${blob}\t${file}\0`, encoding: 'utf8' }).trim();
    const commit = gitIn(repo, ['commit-tree', '-m', 'x', tree]).trim();
    const listing = await connector.list(at({ ref: commit }), never);
    await read(listing.documents, { ref: commit });
  },
};

function appeared(): boolean {
  const places = [marker, join(repo, 'MARKER'), join(process.cwd(), 'MARKER')];
  const found = places.filter((place) => existsSync(place));
  for (const place of found) rmSync(place, { recursive: true, force: true });
  return found.length > 0 || readdirSync(repo).some((name) => name !== 'a.md' && name !== '.git');
}

describe('T8.6 git option and protocol injection', () => {
  const names = (): string[] => hostileNames(Math.min(300, runs(30)), marker);

  test.each(Object.keys(DOORS))('%s: nothing runs, nothing is written', async (door) => {
    for (const name of names()) {
      // A refusal is as good as an answer; what counts is what happened on the way.
      await DOORS[door]?.(name).catch((error: unknown) => {
        if (error instanceof Error && error.name === 'AssertionError') throw error;
      });
      expect(appeared(), `${door} with ${JSON.stringify(name)}`).toBe(false);
    }
  });

  test('the same names do harm where the guard is missing', () => {
    const naive: Readonly<Record<string, (name: string) => readonly string[]>> = {
      log: (ref) => ['log', '-1', ref],
      show: (ref) => ['show', ref],
      diff: (ref) => ['diff', 'HEAD', ref],
      'ls-remote': (url) => ['ls-remote', url, '.'],
      fetch: (url) => ['fetch', url, '.'],
      archive: (ref) => ['archive', ref, 'HEAD'],
    };
    const harmed = Object.entries(naive).filter(([, command]) =>
      vectors(marker)
        .filter((name) => !name.includes('\0'))
        .some((name) => {
          try {
            execFileSync('git', [...command(name)], {
              cwd: repo,
              stdio: 'ignore',
              timeout: 5_000,
              env: { PATH: process.env['PATH'], HOME: folder.path },
            });
          } catch {
            // Most of them fail in the end; the harm is done before.
          }
          return appeared();
        }),
    );
    expect(harmed.map(([command]) => command).sort()).toEqual(['archive', 'diff', 'fetch', 'log', 'ls-remote', 'show']);
  });
});

describe('T8.6 a hostile repository', () => {
  const SETTINGS = (run: string): Readonly<Record<string, string>> => ({
    'core.fsmonitor': run,
    'core.sshCommand': run,
    'core.pager': run,
    'core.editor': run,
    'core.askPass': run,
    'core.gitProxy': run,
    'core.alternateRefsCommand': run,
    'core.untrackedCache': 'true',
    'filter.x.clean': run,
    'filter.x.smudge': run,
    'filter.x.process': run,
    'filter.x.required': 'true',
    'diff.external': run,
    'diff.x.textconv': run,
    'diff.x.command': run,
    'merge.x.driver': run,
    'credential.helper': `!${run}`,
    'gpg.program': run,
    'sequence.editor': run,
    'alias.ls-files': `!${run}`,
    'alias.cat-file': `!${run}`,
    'uploadpack.packObjectsHook': run,
    'remote.origin.url': `ext::sh -c ${run.replaceAll(' ', '% ')}`,
    'remote.origin.promisor': 'true',
    'remote.origin.partialclonefilter': 'blob:none',
    'remote.origin.uploadpack': run,
    'protocol.ext.allow': 'always',
    'submodule.recurse': 'true',
    'log.showSignature': 'true',
    'interactive.diffFilter': run,
    'core.excludesFile': '/etc/passwd',
  });

  function hostileRepository(): string {
    const hostile = join(folder.path, 'hostile');
    rmSync(hostile, { recursive: true, force: true });
    mkdirSync(hostile);
    writeFileSync(join(hostile, 'a.md'), 'alpha\n');
    writeFileSync(join(hostile, '.gitattributes'), '* filter=x diff=x merge=x text eol=crlf ident\n');
    writeFileSync(
      join(hostile, '.gitmodules'),
      `[submodule "m"]\n\tpath = m\n\turl = ext::sh -c touch% ${marker}\n\tupdate = !touch ${marker}\n`,
    );
    for (const args of [
      ['init', '-q'],
      ['add', '.'],
      ['update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},m`],
      ['commit', '-qm', 'one'],
      ['update-index', '--untracked-cache'],
    ])
      gitIn(hostile, args);
    const run = `touch ${marker}`;
    for (const hook of ['post-index-change', 'pre-commit', 'post-checkout', 'fsmonitor-watchman', 'reference-transaction']) {
      writeFileSync(join(hostile, '.git/hooks', hook), `#!/bin/sh\n${run}\n`, { mode: 0o755 });
    }
    for (const [key, value] of Object.entries(SETTINGS(run))) gitIn(hostile, ['config', key, value]);
    writeFileSync(join(hostile, 'untracked.md'), 'beta\n');
    rmSync(marker, { force: true });
    return hostile;
  }

  test('its settings, hooks, filters, aliases and remotes start nothing', async () => {
    const hostile = hostileRepository();
    for (const ref of [undefined, 'HEAD']) {
      const registration = registrationAt({ connector: 'git', path: hostile, ...(ref === undefined ? {} : { ref }) });
      const listing = await connector.list(registration, never);
      expect(listing.documents.map(({ path }) => path)).toEqual(ref === undefined ? ['a.md', 'untracked.md'] : ['a.md']);
      for await (const _ of connector.read(
        registration,
        [...listing.documents, { path: 'gone.md', blob: 'c'.repeat(40), sizeBytes: 1 }],
        never,
      ));
      await (await connector.watch(registration, () => undefined))();
    }
    expect(await detectConnector(hostile)).toBe('git');
    expect(existsSync(marker)).toBe(false);
  });

  test('the same repository does harm where the guard is missing', () => {
    const hostile = hostileRepository();
    const harmed = [
      ['ls-files', '-o', '--exclude-standard'],
      ['status'],
      ['diff', '--stat', 'HEAD'],
      ['cat-file', '-p', 'c'.repeat(40)],
    ].filter((args) => {
      try {
        execFileSync('git', args, { cwd: hostile, stdio: 'ignore', timeout: 5_000, env: { PATH: process.env['PATH'], HOME: folder.path } });
      } catch {
        // Some of them fail in the end; the harm is done before.
      }
      const harm = existsSync(marker);
      rmSync(marker, { force: true });
      return harm;
    });
    expect(harmed.map(([command]) => command)).toContain('status');
    expect(harmed.length).toBeGreaterThanOrEqual(2);
  });
});
