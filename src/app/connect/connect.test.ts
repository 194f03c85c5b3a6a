import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.js';
import { connectClient } from './connect.js';
import type { Launcher } from './launcher.js';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder.path, 'project'));
  mkdirSync(join(folder.path, 'elsewhere'));
});
afterEach(() => folder.dispose());

const root = () => join(folder.path, 'project');
const launcher: Launcher = { command: 'colophon', args: [] };
const connect = (client: 'cursor' | 'vscode' | 'claude-code', undo = false) =>
  connectClient({
    client,
    scope: 'project',
    place: { root: root(), home: join(folder.path, 'home'), platform: 'linux', env: {} },
    launcher,
    stateFolder: join(folder.path, 'state'),
    undo,
    dryRun: false,
  });

describe.skipIf(process.platform === 'win32')('a checkout with a link in the place of a client’s file', () => {
  test.each([
    ['cursor', '.cursor'],
    ['vscode', '.vscode'],
    ['claude-code', '.claude'],
  ] as const)('%s: the folder %s leads nowhere', async (client, name) => {
    symlinkSync(join(folder.path, 'elsewhere'), join(root(), name));
    await expect(connect(client)).rejects.toThrow('is a symbolic link');
    expect(existsSync(join(folder.path, 'elsewhere', 'mcp.json'))).toBe(false);
  });

  test('the file is left as it was', async () => {
    const victim = join(folder.path, 'elsewhere', 'mcp.json');
    writeFileSync(victim, '{}');
    mkdirSync(join(root(), '.cursor'));
    symlinkSync(victim, join(root(), '.cursor', 'mcp.json'));
    await expect(connect('cursor')).rejects.toThrow('is a symbolic link');
    await expect(connect('cursor', true)).rejects.toThrow('is a symbolic link');
    expect(readFileSync(victim, 'utf8')).toBe('{}');
  });

  test('without one it is written', async () => {
    expect((await connect('cursor')).map(({ action }) => action)).toEqual(['created']);
  });
});
