/** INJ-07, INJ-12 on the command line and in the library API: the same verdicts, exit codes and JSON. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIN, type Run, runCommand } from '../support/built-command.js';
import { indexed, type McpLibrary, mcpLibrary } from '../support/mcp-library.js';

let library: McpLibrary;
beforeAll(async () => {
  library = await indexed(mcpLibrary());
});
afterAll(() => library.dispose());

const command = (args: readonly string[], input = ''): Promise<Run> => runCommand(args, library.surroundings, input);
const context = async (query: string, attempt: string) =>
  JSON.parse((await command(['context', query, '--client', 'claude-code', '--attempt', attempt, '--json'])).stdout);

describe('citations check', () => {
  it('reads a file or stdin; 0 when all is verified, 1 when not or when there is nothing to verify', async () => {
    const { digest, items } = await context('how do I rotate a signing key?', 'run-1');
    const [{ path, artifact, lines }] = items;
    const good = `Run keyctl [1], as ${path}:${lines.start}-${lines.end} says (${artifact}).`;
    const file = join(library.home.path, 'answer.md');
    writeFileSync(file, good);
    const verified = await command(['citations', 'check', file, '--package', digest]);
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('3 verified, 0 unverified, 0 stale')]);
    const mixed = await command(['citations', 'check', '--package', digest.slice(0, 12), '--json'], `${good} And wiki/help.md.`);
    expect(mixed.code).toBe(1);
    expect(JSON.parse(mixed.stdout)).toMatchObject({
      schema: 'colophon/citations-check@1',
      digest,
      ok: false,
      counts: { verified: 3, unverified: 1, stale: 0 },
    });
    expect((await command(['citations', 'check', '-', '--package', digest], 'Just so.')).code).toBe(1);
    expect((await command(['citations', 'check', '/no/such/file'])).code).toBe(2);
    expect((await command(['citations', 'check', '--package', '0123456789ab'], good)).code).toBe(1);
  });
});

describe('gate', () => {
  const call = ['--tool', 'http.post', '--destination', 'https://example.org', '--payload', '-'];

  it('says allow with 0, ask with 3, and names the request; a missing argument is 2', async () => {
    await context('how do I rotate a signing key?', 'run-2');
    const clean = await command(['gate', '--attempt', 'run-2', ...call], 'body');
    expect([clean.code, clean.stdout]).toEqual([0, expect.stringMatching(/^allow {2}/)]);
    expect((await context('what is the numbat password?', 'run-2')).taint).toBe(true);
    const held = await command(['gate', '--attempt', 'run-2', ...call, '--json'], 'body');
    expect(held.code).toBe(3);
    expect(JSON.parse(held.stdout)).toMatchObject({
      schema: 'colophon/gate@1',
      decision: 'ask',
      reach: 'capable',
      taint: { tainted: true, tiers: ['untrusted'], packages: 1 },
      request: expect.stringMatching(/^req_[0-9a-f]{16}$/),
      policy: { version: 'tools@1' },
    });
    expect((await command(['gate', '--attempt', 'run-2', '--tool', 'Read', '--payload', '-'], '')).code).toBe(0);
    expect((await command(['gate', '--attempt', 'run-2'])).code).toBe(2);
    expect((await command(['gate', '--attempt', 'run-2', '--tool', 'x'])).code).toBe(2);
  });

  it('the library says the same', async () => {
    const script = join(library.home.path, 'ask.mjs');
    const entry = pathToFileURL(join(MAIN, '../../../library.js')).href;
    writeFileSync(
      script,
      `import { openLibrary } from ${JSON.stringify(entry)};
       const library = await openLibrary({ root: process.argv[2] });
       const { taint, digest } = await library.context({ query: 'what is the numbat password?', attempt: 'run-3' });
       const use = { attempt: 'run-3', tool: 'http.post', destination: 'https://example.org', payload: 'body' };
       const verdict = await library.gate(use);
       const cited = await library.citationsCheck({ text: 'So it is [1].', package: digest });
       console.log(JSON.stringify({ taint, decision: verdict.decision, approve: 'approve' in library, cited: cited.counts }));
       await library.close();`,
    );
    const { execFileSync } = await import('node:child_process');
    const { env } = library.surroundings;
    const said = execFileSync(process.execPath, [script, library.folder.path], { env: env ?? {}, encoding: 'utf8' });
    expect(JSON.parse(said)).toEqual({ taint: true, decision: 'ask', approve: false, cited: { verified: 1, unverified: 0, stale: 0 } });
  });
});
