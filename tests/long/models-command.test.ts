/** `colophon models`, as people run it: a list from a server, shown before it is written, and every way in which there may be none. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Run, runCommand } from '../support/built-command.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';

let place: TemporaryFolder;
let server: Server | undefined;
beforeEach(() => {
  place = temporaryFolder();
  place.write('colophon.yaml', 'version: 1\nprofile: personal\nsources: [./docs]\n');
  place.write('docs/keys.md', '# Keys\n\nThe signing key is rotated in March.\n');
});
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  place.dispose();
});

const run = (...args: string[]): Promise<Run> =>
  runCommand(args, { cwd: place.path, env: { PATH: process.env['PATH'] ?? '', HOME: place.path } });
async function serving(listener: RequestListener): Promise<string> {
  const listening = createServer(listener);
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}/api/v1/models`;
}
const FILE = 'contracts/models.yaml';
const own = () => readFileSync(join(place.path, FILE), 'utf8');
const entry = (id: string, context_length: number, knowledge_cutoff: string | null = null) => ({
  id,
  canonical_slug: id,
  name: 'A name\u001b[31m nobody reads',
  context_length,
  knowledge_cutoff,
  architecture: { modality: 'text->text' },
});

it('shows, writes, shows again what changed, and compiles for what is written', async () => {
  let data = [entry('acme/thinker-9', 20_000), entry('acme/\u202eevil', 5)];
  const address = await serving((_, answer) => answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data })));
  const shown = await run('models', 'refresh', '--from', address, '--dry-run');
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toContain('added acme/thinker-9: 20000 tokens\nleft out entry 2 of the list: its name');
  expect(shown.stdout).toContain('Nothing was written.');
  expect(existsSync(join(place.path, FILE))).toBe(false);
  expect((await run('models', 'refresh', '--from', address)).stdout).toContain(`${FILE} is written: 1 added, 0 changed.`);
  expect(own()).toContain(`# List: ${address}, read 2`);
  data = [entry('acme/thinker-9', 40_000, '2025-01-31')];
  const changed = await run('models', 'refresh', '--from', address);
  expect(changed.stdout).toContain('changed acme/thinker-9: window 20000 → 40000\nchanged acme/thinker-9: cutoff none → 2025-01-31\n');
  const before = own();
  expect((await run('models', 'refresh', '--from', address)).stdout).toBe(`Nothing changed in ${FILE}.\n`);
  expect(own()).toBe(before);
  const told = await run('context', 'when is the signing key rotated', '--model', 'thinker-9', '--json', '--client', 'terminal');
  expect(JSON.parse(told.stdout).budget.ceiling).toBe(800);
  expect((await run('models', 'list', 'thinker')).stdout).toMatch(
    /^acme\/thinker-9 +40000 tokens {2}knows until 2025-01-31 {2}models file\n$/,
  );
  expect(readdirSync(join(place.path, 'contracts'))).toEqual(['models.yaml']);
});

it('leaves everything as it was where there is no list, says why in one sentence, and what to do', async () => {
  const listeners: readonly (readonly [RequestListener, RegExp])[] = [
    [(_, answer) => answer.writeHead(302, { location: 'https://models.example/' }).end(), /sends elsewhere, and is not followed/],
    [(_, answer) => answer.writeHead(500).end(), /status 500/],
    [(_, answer) => answer.writeHead(200, { 'content-type': 'text/html' }).end('<html>'), /not sent as JSON/],
    [(_, answer) => answer.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[{'), /not JSON/],
    [(_, answer) => answer.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[{"id":7}]}'), /names no text model/],
    [(request) => request.socket.destroy(), /was not had/],
  ];
  for (const [listener, words] of listeners) {
    const address = await serving(listener);
    const done = await run('models', 'refresh', '--from', address);
    expect(done.stderr).toMatch(words);
    expect(done).toMatchObject({ code: 4, stdout: '' });
    expect(done.stderr.trimEnd().split('\n')).toHaveLength(2);
    expect(existsSync(join(place.path, 'contracts'))).toBe(false);
    server?.close();
  }
  expect((await run('models', 'refresh', '--from', 'http://models.example/')).code).toBe(2);
  expect((await run('models', 'refresh', '--from', 'gone.json')).code).toBe(2);
  const asked = await run('context', 'when is the signing key rotated', '--model', 'claude-opus-55');
  expect(asked.stderr).toContain('did you mean claude-opus-5-5?');
  expect(asked.code).toBe(2);
}, 120_000);
