import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Connectable, isOurHook, type Wanted, wantedFor } from './clients.js';
import { commandLine, type Launcher, launcherFor } from './launcher.js';
import { type Done, type FilePlan, planConnect, planUndo } from './plan.js';

const place = { root: '/home/ann/notes', home: '/home/ann', platform: 'linux' as const, env: {} };
const launcher = { command: '/opt/node/bin/node', args: ['/opt/colophon/dist/interfaces/cli/main.js'] };

function wanted(client: Connectable, index = 0, scope: 'project' | 'user' = 'project', start: Launcher = launcher): Wanted {
  const found = wantedFor(client, scope, place, start)[index];
  if (found === undefined) throw new Error('no such file');
  return found;
}

function written(plan: FilePlan): { text: string; done: Done } {
  if (plan.action !== 'write' || plan.done === undefined) throw new Error(`expected a write, got ${JSON.stringify(plan)}`);
  return { text: plan.text, done: { ...plan.done, file: 'f', createdFolders: [] } };
}

function connectThenUndo(what: Wanted, text: string | undefined): FilePlan {
  const { text: after, done } = written(planConnect(what, { text, done: undefined }));
  expect(planConnect(what, { text: after, done })).toEqual({ action: 'none' });
  return planUndo(what, { text: after, done });
}

const JSON_FILES = {
  empty: '',
  blank: '\n',
  braces: '{}',
  'braces and a line': '{\n}\n',
  'other server': '{\n  "mcpServers": {\n    "other": { "command": "x", "args": [] }\n  }\n}\n',
  'no servers yet': '{\n\t"theme": "dark"\n}\n',
  'empty servers': '{\n  "mcpServers": {}\n}\n',
  'one line': '{"mcpServers": {"other": {"command": "x"}}}',
  'comment after the last member': '{\n  "mcpServers": {\n    "other": { "command": "x" } // mine\n    /* and more */\n  }\n}\n',
  'trailing comma': '{\n  "mcpServers": {\n    "other": { "command": "x" },\n  },\n}\n',
  'trailing comma after a comment': '{\n  "a": 1 /* , */,\n}\n',
  'comment only': '{\n  // nothing here yet\n}\n',
  'windows lines': '{\r\n    "mcpServers": {\r\n        "other": {"command": "x"}\r\n    }\r\n}\r\n',
  'byte order mark': '\uFEFF{\n  "mcpServers": {}\n}\n',
} as const;

describe('connecting JSON clients', () => {
  for (const [name, text] of Object.entries(JSON_FILES)) {
    it(`adds one entry, keeps every other byte, and undoes exactly: ${name}`, () => {
      const { text: after } = written(planConnect(wanted('cursor'), { text, done: undefined }));
      for (const comment of ['// mine', '/* and more */', '// nothing here yet', '"other"', '/* , */']) {
        expect(after.includes(comment)).toBe(text.includes(comment));
      }
      if (text.includes('// mine')) expect(after).toMatch(/"other": \{ "command": "x" \}, \/\/ mine/);
      if (text.includes('\r\n')) expect(after.replaceAll('\r\n', '')).not.toContain('\n');
      expect(connectThenUndo(wanted('cursor'), text)).toMatchObject({ action: 'write', text });
    });
  }

  it('writes what the clients read', () => {
    const parse = (what: Wanted) => JSON.parse(written(planConnect(what, { text: undefined, done: undefined })).text);
    const start = { command: launcher.command, args: [...launcher.args, 'mcp'] };
    expect(parse(wanted('claude-code'))).toEqual({
      mcpServers: { colophon: { ...start, args: [...start.args, '--client', 'claude-code'] } },
    });
    expect(parse(wanted('vscode'))).toEqual({
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the editor replaces it.
      servers: { colophon: { type: 'stdio', ...start, args: [...start.args, '${workspaceFolder}', '--client', 'vscode'] } },
    });
    expect(parse(wanted('claude-code', 1))).toEqual({
      hooks: {
        UserPromptSubmit: [
          { hooks: [{ type: 'command', command: `${launcher.command} ${launcher.args[0]} hook claude-code`, timeout: 10 }] },
        ],
      },
    });
    expect(parse(wanted('cursor', 0, 'user')).mcpServers['colophon-notes'].args).toContain('/home/ann/notes');
  });

  it.each([
    ['claude-code', 0, /"env": \{\s*"COLOPHON_HOME": "\/srv\/my state"/],
    ['claude-code', 1, /"COLOPHON_HOME='\/srv\/my state' \/opt\/node\/bin\/node \S+ hook claude-code"/],
    ['claude-code', 2, /"COLOPHON_HOME='\/srv\/my state' .* gate --hook claude-code \|\| exit 2"/],
    ['cursor', 0, /"COLOPHON_HOME": "\/srv\/my state"/],
    ['vscode', 0, /"COLOPHON_HOME": "\/srv\/my state"/],
    ['codex', 0, /^env = \{ COLOPHON_HOME = "\/srv\/my state" \}$/m],
  ] as const)('%s, file %i: carries the state folder that the shell names, once, and undo takes it out', (client, index, expected) => {
    const named = wantedFor(client, 'project', { ...place, stateHome: '/srv/my state' }, launcher, true)[index];
    if (named === undefined) throw new Error('no such file');
    const { text } = written(planConnect(named, { text: undefined, done: undefined }));
    expect(text).toMatch(expected);
    expect(connectThenUndo(named, undefined)).toEqual({ action: 'delete' });
    // Disconnected from a shell that does not name it.
    const without = wantedFor(client, 'project', place, launcher, true)[index];
    if (without === undefined) throw new Error('no such file');
    expect(planUndo(without, { text, done: undefined })).toMatchObject({
      action: 'write',
      text: expect.not.stringContaining('COLOPHON_HOME'),
    });
  });

  it('deletes a file that it made, unless somebody added to it', () => {
    const what = wanted('claude-code');
    const { text, done } = written(planConnect(what, { text: undefined, done: undefined }));
    expect(planUndo(what, { text, done })).toEqual({ action: 'delete' });
    const grown = text.replace('"mcpServers": {', '"mcpServers": {\n    "later": { "command": "y" },');
    const plan = planUndo(what, { text: grown, done });
    expect(plan.action === 'write' && JSON.parse(plan.text)).toEqual({ mcpServers: { later: { command: 'y' } } });
  });

  it('takes out its entry alone when the file changed since, with and without the record', () => {
    const what = wanted('claude-code', 1);
    const before =
      '{\n  "hooks": {\n    "UserPromptSubmit": [\n      { "hooks": [{ "type": "command", "command": "date" }] }\n    ]\n  }\n}\n';
    const { text, done } = written(planConnect(what, { text: before, done: undefined }));
    const changed = text.replace('"date"', '"date -u"');
    for (const record of [done, undefined]) {
      const plan = planUndo(what, { text: changed, done: record });
      expect(plan.action === 'write' && JSON.parse(plan.text)).toEqual(JSON.parse(before.replace('"date"', '"date -u"')));
    }
  });

  it('replaces its own older entry, and one undo still leads back to the start', () => {
    const before = JSON_FILES['other server'];
    const first = written(planConnect(wanted('cursor'), { text: before, done: undefined }));
    const newer = wanted('cursor', 0, 'project', launcherFor('npx', { node: '', script: '', platform: 'linux' }));
    const second = written(planConnect(newer, first));
    expect(JSON.parse(second.text).mcpServers.colophon.command).toBe('npx');
    expect(planUndo(newer, second)).toMatchObject({ action: 'write', text: before });
  });

  it('gives a hand-written entry back on undo', () => {
    const before = '{ "mcpServers": { "colophon": { "command": "mine" } } }';
    expect(connectThenUndo(wanted('cursor'), before)).toMatchObject({ action: 'write', text: before });
  });

  it('refuses a malformed file and names the line', () => {
    expect(planConnect(wanted('cursor'), { text: '{\n  "mcpServers": {\n    "a": }\n}', done: undefined })).toEqual({
      action: 'refuse',
      unreadable: { line: 3, reason: expect.stringContaining('not JSON') },
    });
    expect(planConnect(wanted('cursor'), { text: '[]', done: undefined }).action).toBe('refuse');
    expect(planConnect(wanted('cursor'), { text: '{"mcpServers": []}', done: undefined })).toMatchObject({
      action: 'refuse',
      unreadable: { reason: '`mcpServers` is not an object' },
    });
    expect(planConnect(wanted('claude-code', 1), { text: '{"hooks": {"UserPromptSubmit": {}}}', done: undefined }).action).toBe('refuse');
    expect(planUndo(wanted('cursor'), { text: '{', done: undefined }).action).toBe('refuse');
  });

  it('undo on a file without our entry changes nothing', () => {
    expect(planUndo(wanted('cursor'), { text: JSON_FILES['other server'], done: undefined })).toEqual({ action: 'none' });
    expect(planUndo(wanted('cursor'), { text: undefined, done: undefined })).toEqual({ action: 'none' });
  });

  it('round-trips any JSON object in any indentation', () => {
    const value = fc.dictionary(fc.string(), fc.jsonValue()).filter((each) => !('mcpServers' in each));
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 1, 2, 4, '\t'), fc.boolean(), (object, indent, windows) => {
        const plain = JSON.stringify(object, null, indent);
        const text = windows ? plain.replaceAll('\n', '\r\n') : plain;
        const { text: after, done } = written(planConnect(wanted('cursor'), { text, done: undefined }));
        const { mcpServers, ...others } = JSON.parse(after);
        expect(mcpServers.colophon.command).toBe(launcher.command);
        expect(others).toEqual(JSON.parse(text));
        expect(planUndo(wanted('cursor'), { text: after, done })).toMatchObject({ action: 'write', text });
        const structural = planUndo(wanted('cursor'), { text: after, done: { ...done, after: 'changed since' } });
        expect(structural.action === 'write' && JSON.parse(structural.text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 200 },
    );
  });
});

describe('connecting TOML clients', () => {
  const what = wanted('codex', 0, 'user');
  const FILES = {
    empty: '',
    'other tables': '# mine\nmodel = "m"\n\n[mcp_servers.other]\ncommand = "x" # keep\n',
    'no last line end': '[a]\nb = 1',
    'windows lines': '[a]\r\nb = """\r\n[mcp_servers.colophon-notes]\r\n"""\r\n',
  } as const;
  for (const [name, text] of Object.entries(FILES)) {
    it(`adds one table at the end and undoes exactly: ${name}`, () => {
      const { text: after } = written(planConnect(what, { text, done: undefined }));
      expect(after.startsWith(text)).toBe(true);
      expect(after).toContain('[mcp_servers.colophon-notes]');
      expect(connectThenUndo(what, text)).toMatchObject({ action: 'write', text });
    });
  }

  it.each(['codex', 'cursor'] as const)(
    'a second library leaves the first alone in a user’s file, in whatever order they go: %s',
    (client) => {
      const text = client === 'codex' ? '[a]\nb = 1\n' : '{\n  "a": 1\n}\n';
      const entryOf = (root: string): Wanted => {
        const [found] = wantedFor(client, 'user', { ...place, root }, launcher);
        if (found === undefined) throw new Error('no such file');
        return found;
      };
      const [one, two] = [entryOf('/home/ann/notes'), entryOf('/home/ann/Work & docs')];
      const first = written(planConnect(one, { text, done: undefined }));
      const second = written(planConnect(two, { text: first.text, done: undefined }));
      expect(second.text).toContain('colophon-notes');
      expect(second.text).toContain('colophon-work-docs');
      expect(planUndo(two, { text: second.text, done: second.done })).toMatchObject({ action: 'write', text: first.text });
      const without = planUndo(one, { text: second.text, done: first.done });
      if (without.action !== 'write') throw new Error('expected a write');
      expect(without.text).not.toContain('colophon-notes');
      expect(without.text).toContain('colophon-work-docs');
      const none = planUndo(two, { text: without.text, done: second.done });
      expect(none.action === 'write' && none.text).not.toContain('colophon');
    },
  );

  it('takes out its table alone when the file changed since', () => {
    const { text } = written(planConnect(what, { text: '[a]\nb = 1\n', done: undefined }));
    const grown = `${text}\n# later\n[later]\nc = 2\n`;
    const plan = planUndo(what, { text: grown, done: undefined });
    expect(plan.action === 'write' && plan.text).toBe('[a]\nb = 1\n\n# later\n[later]\nc = 2\n');
  });

  it('refuses a malformed file, and a form it cannot add to, and names the line', () => {
    expect(planConnect(what, { text: 'a = 1\nb = \n', done: undefined })).toMatchObject({ action: 'refuse', unreadable: { line: 2 } });
    const inline = planConnect(what, { text: '\nmcp_servers = { other = { command = "x" } }\n', done: undefined });
    expect(inline).toMatchObject({ action: 'refuse', unreadable: { line: 2 } });
  });
});

describe('the launcher', () => {
  it('goes through npx only when it came through npx', () => {
    const running = {
      node: '/n/node',
      script: '/home/a/.npm/_npx/1/node_modules/colophon/dist/interfaces/cli/main.js',
      platform: 'linux' as const,
    };
    expect(launcherFor('auto', running)).toEqual({ command: 'npx', args: ['-y', 'colophon'] });
    expect(launcherFor('node', running).command).toBe('/n/node');
    expect(launcherFor('auto', { ...running, script: '/src/colophon/dist/interfaces/cli/main.js' }).command).toBe('/n/node');
  });

  it('writes a command line that a shell reads as the same words, and knows its own hook again', () => {
    const line = commandLine(['/Program Files/node', "it's", 'hook', 'claude-code'], 'linux');
    expect(line).toBe(`'/Program Files/node' 'it'\\''s' hook claude-code`);
    expect(commandLine(['/srv/a\\b'], 'linux')).toBe("'/srv/a\\b'");
    expect(commandLine(['C:\\node\\node.exe'], 'win32')).toBe('C:\\node\\node.exe');
    expect(isOurHook({ hooks: [{ type: 'command', command: 'npx -y colophon hook claude-code' }] })).toBe(true);
    expect(isOurHook({ hooks: [{ type: 'command', command: 'other hook claude-code' }] })).toBe(false);
  });
});
