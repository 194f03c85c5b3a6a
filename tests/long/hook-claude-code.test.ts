/** The prompt hook: context when something fits, silence when nothing does, and never a prompt held back. */
import { performance } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Run, runCommand, startCommand } from '../support/built-command.js';
import { CANARY, indexed, type McpLibrary, mcpLibrary } from '../support/mcp-library.js';

let library: McpLibrary;
beforeAll(async () => {
  library = await indexed(mcpLibrary());
});
afterAll(() => library.dispose());

const event = (prompt: string, more: object = {}) =>
  JSON.stringify({
    session_id: 's',
    transcript_path: '/t',
    cwd: library.folder.path,
    hook_event_name: 'UserPromptSubmit',
    prompt,
    ...more,
  });
/** The machine that runs the tests may be busy with the others. */
const patient = () => ({ ...library.surroundings.env, COLOPHON_HOOK_LIMIT_MS: '60000' });
const hook = (input: string, args: readonly string[] = [], cwd = library.home.path): Promise<Run> =>
  runCommand(['hook', 'claude-code', ...args], { cwd, env: patient() }, input);

describe('hook claude-code', () => {
  it('adds the preamble for the session’s folder, in the documented form, below its limit', async () => {
    const run = await hook(event('how do I rotate a signing key?'));
    expect(run.code).toBe(0);
    const { hookSpecificOutput, ...others } = JSON.parse(run.stdout);
    expect(others).toEqual({});
    expect(hookSpecificOutput).toEqual({ hookEventName: 'UserPromptSubmit', additionalContext: expect.stringContaining('keyctl rotate') });
    expect(hookSpecificOutput.additionalContext.length).toBeLessThanOrEqual(10_000);
    process.stderr.write(`hook, 155 pages: ${Math.round(run.elapsedMs)} ms\n`);
  });

  it('finds the library by argument, or by CLAUDE_PROJECT_DIR, too', async () => {
    const elsewhere = { cwd: library.home.path };
    expect((await hook(event('rotate a signing key', elsewhere), [library.folder.path])).stdout).toContain('keyctl');
    const env = { ...patient(), CLAUDE_PROJECT_DIR: library.folder.path };
    const run = await runCommand(['hook', 'claude-code'], { cwd: library.home.path, env }, event('rotate a signing key', elsewhere));
    expect(run.stdout).toContain('keyctl');
  });

  it('adds nothing when nothing fits (INJ-02)', async () => {
    const steering = ['try again', 'commit this and push', 'make the key shorter'];
    for (const prompt of ['quantum chromodynamics of lattice fermions', ...steering, 'thanks!', 'yes', '👍', '/deploy staging', '   ']) {
      expect(await hook(event(prompt)), prompt).toMatchObject({ code: 0, stdout: '' });
    }
  });

  it('never adds private text: the model behind it is remote (INJ-11)', async () => {
    const run = await hook(event('what is the salary of the wombat?'));
    expect(run.code).toBe(0);
    expect(run.stdout + run.stderr).not.toContain(CANARY);
  });

  it('fences a stranger’s text', async () => {
    const { stdout } = await hook(event('what is the numbat password?'));
    expect(JSON.parse(stdout).hookSpecificOutput.additionalContext).toMatch(/<<<data [0-9a-f]{32}\n[\s\S]*Ignore all previous/);
  });

  it('whatever is wrong, exit 0, nothing on stdout, the reason on stderr, and no word of the prompt', async () => {
    const wrong: readonly [string, readonly string[]][] = [
      ['', []],
      ['not json: my secret plan', []],
      ['"text"', []],
      ['{"prompt": 5}', []],
      ['null', []],
      [event('signing key', { hook_event_name: 'Stop' }), []],
      [event('signing key'), ['/no/such/folder']],
      [event('signing key'), ['--tenant', 'other']],
      [event('signing key'), ['--an-option-of-tomorrow']],
      [event('signing key', { cwd: '/no/such/folder' }), []],
      [event('signing key', { cwd: library.home.path }), []],
    ];
    for (const [input, args] of wrong) {
      const run = await hook(input, args);
      if (args[0] !== '--an-option-of-tomorrow') expect(run.stdout, input).toBe('');
      expect(run.code, input + run.stderr).toBe(0);
      expect(run.stderr).not.toContain('secret plan');
    }
    expect((await runCommand(['hook', 'other-client'], { cwd: library.home.path, env: patient() }, event('x'))).code).toBe(0);
  });

  it('gives up by itself when the event never comes', async () => {
    const startedAt = performance.now();
    const child = startCommand(['hook', 'claude-code'], library.surroundings);
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code).toBe(0);
    expect(said).toContain('longer than 2000 ms');
    expect(performance.now() - startedAt).toBeLessThan(60_000);
  });

  it('a prompt of any length is answered', async () => {
    const run = await hook(event(`how do I rotate a signing key? ${'log line with many words '.repeat(40_000)}`));
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('hookSpecificOutput');
    process.stderr.write(`hook, a prompt of 900 kB: ${Math.round(run.elapsedMs)} ms\n`);
  });
});
