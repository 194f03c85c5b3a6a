/**
 * The clients we can wire, as a table: which file each reads, and what one entry in it looks like.
 *
 * Formats, checked November 2026: Claude Code `.mcp.json` and `~/.claude.json` (`mcpServers`), hooks in `.claude/settings.json`;
 * Cursor `.cursor/mcp.json` (`mcpServers`); VS Code `.vscode/mcp.json` (`servers`); Codex `config.toml` (`[mcp_servers.NAME]`).
 *
 * Invariant: project files name no folder outside the project, but for a state folder that was asked for by COLOPHON_HOME: whoever starts
 * the client elsewhere would otherwise be given another library's state. A user file names the library's folder, in the entry's name too,
 * because it serves all projects.
 */
import { posix, win32 } from 'node:path';
import type { JsonEntry } from './json-entry.js';
import { commandLine, type Launcher } from './launcher.js';
import type { TomlEntry } from './toml-entry.js';

export const CONNECTABLE = ['claude-code', 'cursor', 'vscode', 'codex'] as const;
export type Connectable = (typeof CONNECTABLE)[number];
export const SCOPES = ['project', 'user'] as const;
export type ConnectScope = (typeof SCOPES)[number];

export interface Place {
  /** The library's root. */
  readonly root: string;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** COLOPHON_HOME as an absolute path, where it is set. */
  readonly stateHome?: string;
}

export type Wanted = {
  readonly file: string;
  /** Told apart from another entry of ours in the same file. */
  readonly part?: 'gate';
} & ({ readonly format: 'json'; readonly entry: JsonEntry } | { readonly format: 'toml'; readonly entry: TomlEntry });

/** Seconds after which Claude Code gives up on the hook; ours gives up by itself long before. */
const HOOK_TIMEOUT_S = 10;

/** The gate has its own limit too; what the client gives up on, it lets through. */
const GATE_TIMEOUT_S = 60;

/** Codex reads its user file everywhere and a project file only in trusted projects. */
export function defaultScope(client: Connectable): ConnectScope {
  return client === 'codex' ? 'user' : 'project';
}

/** `gate`: also the hook that asks before a tool runs; only Claude Code has one. */
export function wantedFor(client: Connectable, scope: ConnectScope, place: Place, launcher: Launcher, gate = false): readonly Wanted[] {
  const files = filesOf(place);
  const server = (folder: string | undefined) => ({
    command: launcher.command,
    args: [...launcher.args, 'mcp', ...(folder === undefined ? [] : [folder]), '--client', client],
    ...(place.stateHome === undefined ? {} : { env: { COLOPHON_HOME: place.stateHome } }),
  });
  const user = scope === 'user';
  const name = user ? userEntryName(place) : 'colophon';
  switch (client) {
    case 'claude-code':
      return [
        json(files.claudeServers[scope], ['mcpServers', name], server(user ? place.root : undefined)),
        { file: files.claudeSettings[scope], format: 'json', entry: hookEntry(launcher, user ? place.root : undefined, place) },
        ...(gate
          ? [
              {
                file: files.claudeSettings[scope],
                part: 'gate',
                format: 'json',
                entry: gateEntry(launcher, user ? place.root : undefined, place),
              } as const,
            ]
          : []),
      ];
    case 'cursor':
      return [json(files.cursor[scope], ['mcpServers', name], server(user ? place.root : WORKSPACE))];
    case 'vscode':
      return [json(files.vscode[scope], ['servers', name], { type: 'stdio', ...server(user ? place.root : WORKSPACE) })];
    case 'codex':
      return [
        {
          file: files.codex[scope],
          format: 'toml',
          entry: { path: ['mcp_servers', name], value: server(user ? place.root : undefined) },
        },
      ];
  }
}

/** A user's file holds the entries of all projects, so each library has a name of its own there. */
function userEntryName({ root, platform }: Place): string {
  const folder = (platform === 'win32' ? win32 : posix).basename(root).toLowerCase();
  const slug = folder.replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '');
  if (slug === '') return 'colophon';
  return /^colophon\b/.test(slug) ? slug : `colophon-${slug}`;
}

/** Cursor and VS Code put the project's folder here; their servers do not start in it. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: the editors replace it, not JavaScript.
const WORKSPACE = '${workspaceFolder}';

function json(file: string, path: readonly string[], value: unknown): Wanted {
  return { file, format: 'json', entry: { path, value } };
}

function hookEntry(launcher: Launcher, folder: string | undefined, place: Place): JsonEntry {
  const words = [launcher.command, ...launcher.args, 'hook', 'claude-code', ...(folder === undefined ? [] : [folder])];
  return {
    path: ['hooks', 'UserPromptSubmit'],
    value: { hooks: [{ type: 'command', command: hookLine(words, place), timeout: HOOK_TIMEOUT_S }] },
    isOurs: isOurHook,
  };
}

/** A gate that cannot be started must not be a gate that is open: Claude Code holds a call back on exit 2 alone. */
function gateEntry(launcher: Launcher, folder: string | undefined, place: Place): JsonEntry {
  const words = [launcher.command, ...launcher.args, 'gate', '--hook', 'claude-code', ...(folder === undefined ? [] : [folder])];
  const command = `${hookLine(words, place)}${place.platform === 'win32' ? '' : ' || exit 2'}`;
  return {
    path: ['hooks', 'PreToolUse'],
    value: { matcher: '*', hooks: [{ type: 'command', command, timeout: GATE_TIMEOUT_S }] },
    isOurs: (group) => runsOurs(group, / ['"]?gate['"]? ['"]?--hook['"]? ['"]?claude-code\b/),
  };
}

/** A hook is one line for a shell, which sets for the command what an entry of a server has a field for. */
function hookLine(words: readonly string[], { platform, stateHome }: Place): string {
  const line = commandLine(words, platform);
  if (stateHome === undefined) return line;
  return platform === 'win32'
    ? `set "COLOPHON_HOME=${stateHome}" && ${line}`
    : `COLOPHON_HOME=${commandLine([stateHome], platform)} ${line}`;
}

/** A group of hooks of which one runs `colophon … hook claude-code`. */
export function isOurHook(group: unknown): boolean {
  return runsOurs(group, / ['"]?hook['"]? ['"]?claude-code\b/);
}

function runsOurs(group: unknown, verb: RegExp): boolean {
  const hooks = isRecord(group) && Array.isArray(group['hooks']) ? group['hooks'] : [];
  return hooks.some((hook) => {
    const command = isRecord(hook) && typeof hook['command'] === 'string' ? hook['command'] : '';
    return verb.test(command) && /colophon|[\\/]interfaces[\\/]cli[\\/]main\.js/.test(command);
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function filesOf({ root, home, platform, env }: Place) {
  const { join } = platform === 'win32' ? win32 : posix;
  const claudeHome = env['CLAUDE_CONFIG_DIR'];
  const codexHome = env['CODEX_HOME'] ?? join(home, '.codex');
  const codeUser = {
    win32: join(env['APPDATA'] ?? join(home, 'AppData', 'Roaming'), 'Code', 'User'),
    darwin: join(home, 'Library', 'Application Support', 'Code', 'User'),
    other: join(env['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'Code', 'User'),
  }[platform === 'win32' || platform === 'darwin' ? platform : 'other'];
  return {
    claudeServers: { project: join(root, '.mcp.json'), user: join(claudeHome ?? home, '.claude.json') },
    claudeSettings: {
      project: join(root, '.claude', 'settings.json'),
      user: join(claudeHome ?? join(home, '.claude'), 'settings.json'),
    },
    cursor: { project: join(root, '.cursor', 'mcp.json'), user: join(home, '.cursor', 'mcp.json') },
    vscode: { project: join(root, '.vscode', 'mcp.json'), user: join(codeUser, 'mcp.json') },
    codex: { project: join(root, '.codex', 'config.toml'), user: join(codexHome, 'config.toml') },
  } satisfies Record<string, Record<ConnectScope, string>>;
}
