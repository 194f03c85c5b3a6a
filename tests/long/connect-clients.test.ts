/** Connecting on disk: files appear, work, and go back to what they were, byte for byte. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parse } from 'smol-toml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { environment, MAIN, type Run, runCommand } from '../support/built-command.js';
import { RawMcp } from '../support/raw-mcp.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';
import { withoutOverride } from '../support/without-override.js';

let project: TemporaryFolder;
let home: TemporaryFolder;
beforeEach(() => {
  project = temporaryFolder();
  home = temporaryFolder();
  project.write('docs/keys.md', '# Keys\n\nRotate the signing key with keyctl.\n');
});
afterEach(() => {
  project.dispose();
  home.dispose();
});

const connect = (...args: readonly string[]): Promise<Run> =>
  runCommand(['connect', ...args], { cwd: project.path, env: environment(home.path) });
const inProject = (path: string) => join(project.path, path);
const text = (file: string) => readFileSync(file, 'utf8');
const json = (file: string) => JSON.parse(text(file));

const FILES = {
  'claude-code': () => [inProject('.mcp.json'), inProject('.claude/settings.json')],
  cursor: () => [inProject('.cursor/mcp.json')],
  vscode: () => [inProject('.vscode/mcp.json')],
  codex: () => [join(home.path, '.codex/config.toml')],
} as const;

/** The temporary folder’s name begins with `colophon-` already. */
const entryName = () => basename(project.path).toLowerCase();

describe('connect', () => {
  for (const [client, files] of Object.entries(FILES)) {
    it(`${client}: writes its files, twice is once, and undo leaves no trace`, async () => {
      const connected = await connect(client);
      expect(connected.code).toBe(0);
      expect(connected.stderr).toContain('no index yet: run `colophon index`');
      const first = files().map(text);
      expect(first.join('')).toContain(MAIN.replaceAll('\\', '\\\\'));
      expect((await connect(client)).stderr).toContain('already connected');
      expect(files().map(text)).toEqual(first);
      expect((await connect(client, '--undo')).code).toBe(0);
      for (const file of files()) expect(existsSync(file)).toBe(false);
      expect(readdirSync(project.path)).toEqual(['docs']);
      expect(existsSync(join(home.path, '.codex'))).toBe(false);
    });

    it(`${client}: --print writes nothing`, async () => {
      const run = await connect(client, '--print');
      expect(run.code).toBe(0);
      for (const file of files()) expect(run.stdout).toContain(file);
      expect(run.stdout).toContain('colophon');
      expect(readdirSync(project.path)).toEqual(['docs']);
      expect(existsSync(join(home.path, '.codex'))).toBe(false);
    });
  }

  it('what it writes for Claude Code starts a server that answers, and a hook that adds context', async () => {
    await connect('claude-code');
    const { command, args } = json(inProject('.mcp.json')).mcpServers.colophon;
    expect([command, args[0]]).toEqual([process.execPath, MAIN]);
    const server = new RawMcp(args.slice(2), { cwd: project.path, env: environment(home.path) });
    await server.greet();
    const { result } = await server.call(1, 'kb_search', { query: 'rotate signing key' });
    expect(result).toMatchObject({ structuredContent: { hits: [{ path: 'docs/keys.md' }] } });
    await server.close();
    const [{ hooks }] = json(inProject('.claude/settings.json')).hooks.UserPromptSubmit;
    expect(hooks[0]).toMatchObject({ type: 'command', command: expect.stringMatching(/ hook claude-code$/) });
    const { execSync } = await import('node:child_process');
    const input = JSON.stringify({ prompt: 'how to rotate the signing key', cwd: project.path, hook_event_name: 'UserPromptSubmit' });
    const said = execSync(hooks[0].command, { cwd: home.path, env: environment(home.path), input, encoding: 'utf8' });
    expect(JSON.parse(said).hookSpecificOutput.additionalContext).toContain('keyctl');
  });

  it('keeps everything else, comments included, and gives the exact bytes back', async () => {
    const settings = '{\n\t// mine\n\t"permissions": { "allow": ["Bash(ls)"], },\n\t"hooks": { "Stop": [] } /* end */\n}\n';
    const servers = '{"mcpServers":{"other":{"command":"x"}}}';
    project.write('.claude/settings.json', settings);
    project.write('.mcp.json', servers);
    chmodSync(inProject('.mcp.json'), 0o600);
    await connect('claude-code');
    expect(text(inProject('.claude/settings.json'))).toContain('// mine');
    expect(text(inProject('.claude/settings.json'))).toContain('/* end */');
    expect(json(inProject('.mcp.json')).mcpServers).toMatchObject({ other: { command: 'x' }, colophon: {} });
    expect(statSync(inProject('.mcp.json')).mode & 0o777).toBe(0o600);
    await connect('claude-code', '--undo');
    expect(text(inProject('.claude/settings.json'))).toBe(settings);
    expect(text(inProject('.mcp.json'))).toBe(servers);
  });

  it('codex: adds a table that parses to what was there and ours', async () => {
    const config = '# mine\nmodel = "m"\n\n[mcp_servers.other]\ncommand = "x"\n';
    home.write('.codex/config.toml', config);
    await connect('codex');
    const file = join(home.path, '.codex/config.toml');
    const args = [MAIN, 'mcp', project.path, '--client', 'codex'];
    expect(JSON.parse(JSON.stringify(parse(text(file))))).toEqual({
      model: 'm',
      mcp_servers: {
        other: { command: 'x' },
        [entryName()]: { command: process.execPath, args, env: { COLOPHON_HOME: `${home.path}/state` } },
      },
    });
    await connect('codex', '--undo');
    expect(text(file)).toBe(config);
  });

  it('follows a link to the file instead of replacing it in the user’s own files, and refuses one in a project', async () => {
    const real = join(home.path, 'dotfiles/mcp.json');
    mkdirSync(dirname(real));
    writeFileSync(real, '{}\n');
    for (const folder of [join(home.path, '.cursor'), inProject('.cursor')]) {
      mkdirSync(folder);
      symlinkSync(real, join(folder, 'mcp.json'));
    }
    await connect('cursor', '--scope', 'user');
    expect(Object.keys(json(real).mcpServers)).toHaveLength(1);
    await connect('cursor', '--scope', 'user', '--undo');
    expect(text(real)).toBe('{}\n');
    const refused = await connect('cursor');
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain('is a symbolic link');
    expect(text(real)).toBe('{}\n');
  });

  it('refuses a malformed file with its line, and changes no file, not even a sound one', async () => {
    project.write('.claude/settings.json', '{\n  "hooks": {\n}\n');
    const run = await connect('claude-code');
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(/settings\.json:\d+: not JSON/);
    expect(existsSync(inProject('.mcp.json'))).toBe(false);
    home.write('.codex/config.toml', 'a = \n');
    expect((await connect('codex', '--json')).stdout).toMatch(/"code": "client\/file-invalid"/);
  });

  it('says what stands in the way of a file', async () => {
    mkdirSync(inProject('.cursor/mcp.json'), { recursive: true });
    const run = await connect('cursor');
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(/mcp\.json could not be read: EISDIR/);
  });

  it('says what cannot be written and leaves it as it was', async () => {
    project.write('.cursor/mcp.json', '{}\n');
    chmodSync(inProject('.cursor'), 0o555);
    const [command = '', ...before] = [...withoutOverride(), process.execPath];
    const run = spawnSync(command, [...before, MAIN, 'connect', 'cursor'], {
      cwd: project.path,
      env: environment(home.path),
      encoding: 'utf8',
    });
    expect(run.status).toBe(4);
    expect(run.stderr).toMatch(/could not be written/);
    expect(text(inProject('.cursor/mcp.json'))).toBe('{}\n');
    expect(readdirSync(inProject('.cursor'))).toEqual(['mcp.json']);
  });

  it('user scope names this library, and lives in the user’s own files', async () => {
    await connect('claude-code', '--scope', 'user');
    expect(json(join(home.path, '.claude.json')).mcpServers[entryName()].args).toContain(project.path);
    expect(json(join(home.path, '.claude/settings.json')).hooks.UserPromptSubmit[0].hooks[0].command).toContain(project.path);
    expect(readdirSync(project.path)).toEqual(['docs']);
    await connect('claude-code', '--scope', 'user', '--undo');
    expect(existsSync(join(home.path, '.claude.json'))).toBe(false);
  });

  it('an unknown client is a usage error that names those there are', async () => {
    const run = await connect('emacs');
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('claude-code, cursor, vscode, codex');
  });
});
