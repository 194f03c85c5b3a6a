/**
 * Models by name, whole answers: which profile a context is compiled for, what a refresh of the library's own file does to the next
 * question, to what a server remembers and to a replay, and that a question that names no model looks at none of it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ContextCache } from '../../src/app/asking/context-cache.js';
import { resolveConfig } from '../../src/app/configuration/config.js';
import { openContainer } from '../../src/app/container.js';
import { resolveAsk } from '../../src/app/identity.js';
import { learn } from '../../src/app/learning/learn.js';
import type { Library } from '../../src/app/library.js';
import { refreshModels } from '../../src/app/models/refresh.js';
import type { Call } from '../../src/app/operations/catalogue.js';
import { context } from '../../src/app/operations/context.js';
import { modelsList } from '../../src/app/operations/models.js';
import { packageReplay } from '../../src/app/operations/package-export.js';
import type { Instant } from '../../src/kernel/clock.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const NOW = Date.UTC(2026, 10, 30, 12) as Instant;
const OWN = 'contracts/models.yaml';
const SMALL = 20_000;

const folder = temporaryFolder();
let library: Library;

const call = (): Call => ({
  library,
  ask: resolveAsk(library.config, {}, { workload: 'workload://colophon/mcp', defaultClient: 'terminal' }, NOW),
  signal: new AbortController().signal,
  progress: () => undefined,
});
const told = (model?: string) =>
  context.run(context.input.parse({ query: 'driver of the pump vendor', ...(model === undefined ? {} : { model }) }), call());
const first = async (model?: string) => (await told(model)).items[0]?.path;
const refresh = (entries: readonly object[], dryRun = false) => {
  folder.write('list.json', JSON.stringify({ data: entries }));
  return refreshModels(call(), { from: 'list.json', cwd: folder.path, dryRun });
};
const own = () => (existsSync(join(folder.path, OWN)) ? readFileSync(join(folder.path, OWN), 'utf8') : undefined);
const listed = async (name: string) => (await modelsList.run({ name }, call())).models;

beforeAll(async () => {
  const external = (verified: string, more: string) =>
    `---\nscope: external\nverified_at: ${verified}\n---\n# The pump vendor\n\nThe driver of the pump vendor ${more}.\n`;
  // The old page answers a little better.
  folder.write('docs/old.md', external('2024-01-01', 'is driver four of the pump vendor'));
  folder.write('docs/new.md', external('2026-11-01', 'is numbered and comes with a short manual in two languages'));
  for (let at = 0; at < 8; at++) folder.write(`docs/lamp-${at}.md`, `# Lamp ${at}\n\nLamp number ${at} burns until the sun is up.\n`);
  folder.write('colophon.yaml', 'version: 1\nprofile: personal\nsources: [./docs]\nmodels: [{ name: ours, window_tokens: 30000 }]\n');
  const config = await resolveConfig({ env: { COLOPHON_HOME: join(folder.path, 'home') }, cwd: folder.path });
  library = { ...(await openContainer(config, { now: () => NOW })), contexts: new ContextCache() };
  await learn(library);
});
afterAll(async () => {
  await library.close();
  folder.dispose();
});

describe('a model that is named', () => {
  it('RET-15 PIT-20 ranks external pages by the cutoff its vendor states, and pages as they are where none is', async () => {
    expect(await first()).toBe('old.md');
    expect(await first('claude-opus-5-5')).toBe('new.md');
    // Its window is known, its cutoff is not.
    expect(await first('claude-opus-4-8')).toBe('old.md');
  });

  it('and known nowhere is refused with the nearest one that is known; no window is guessed', async () => {
    await expect(told('claude-opus-55')).rejects.toThrow(/known here \(did you mean claude-opus-5-5\?\); `colophon models list`/);
    await expect(told('zzzzzzzzzzzz')).rejects.toMatchObject({ code: 'input/invalid', kind: 'invalid' });
  });

  it('is as the list says after a refresh: shown first, written whole, read for the next question', async () => {
    const entry = { id: 'acme/thinker-9', context_length: SMALL, knowledge_cutoff: null };
    const shown = await refresh([entry], true);
    expect(shown).toMatchObject({ written: false, added: [{ name: 'acme/thinker-9', windowTokens: SMALL }] });
    expect(own()).toBeUndefined();
    await expect(told('acme/thinker-9')).rejects.toThrow(/must be the name of a model/);
    expect(await refresh([entry])).toMatchObject({ written: true, file: OWN, from: 'list.json' });
    // Two in a hundred of its window.
    expect((await told('acme/thinker-9')).budget.ceiling).toBe(SMALL / 50);
    expect((await told('thinker-9')).budget.ceiling).toBe(SMALL / 50);
    expect(own()).not.toContain(folder.path);
  });

  it('PKG-08 PKG-11 of which the list says something else now is compiled anew, and what was told then is still what comes out', async () => {
    const before = await told('acme/thinker-9');
    expect(before.items[0]?.path).toBe('old.md');
    const changed = await refresh([{ id: 'acme/thinker-9', context_length: SMALL * 2, knowledge_cutoff: '2026-10-31' }]);
    expect(changed.changed.map(({ what, before: was, after }) => [what, was, after])).toEqual([
      ['window', '20000', '40000'],
      ['cutoff', 'none', '2026-10-31'],
    ]);
    const after = await told('acme/thinker-9');
    expect([after.items[0]?.path, after.budget.ceiling]).toEqual(['new.md', SMALL / 25]);
    const replayed = await packageReplay.run(packageReplay.input.parse({ package: before.digest }), call());
    expect(replayed).toMatchObject({ verdict: 'same', gaps: [] });
  });

  it('is what colophon.yaml says of it before the own file, and the own file before what is shipped', async () => {
    await refresh([
      { id: 'ours', context_length: 5 },
      { id: 'gpt-5', context_length: 10_000 },
      { id: 'claude', context_length: 5 },
    ]);
    expect((await told('ours')).budget.ceiling).toBe(600);
    expect((await told('gpt-5')).budget.ceiling).toBe(200);
    expect((await listed('ours')).map(({ origin, wins }) => [origin, wins])).toEqual([
      ['colophon.yaml', true],
      ['models file', false],
    ]);
    expect((await listed('gpt-5')).filter(({ name }) => name === 'gpt-5').map(({ origin, wins }) => [origin, wins])).toEqual([
      ['models file', true],
      ['shipped', false],
    ]);
    // A family is declared in colophon.yaml or nowhere.
    expect((await listed('claude')).filter(({ name }) => name === 'claude').map(({ origin }) => origin)).toEqual(['family']);
    expect((await listed('acme')).map(({ name }) => name)).toEqual(['acme/thinker-9']);
  });

  it.each([
    ['a list that is none', 'not json'],
    ['a list of strangers', '{"data":[{"id":"\\u001b[2J"}]}'],
  ])('stays as it was after %s', async (_, text) => {
    const before = own();
    folder.write('bad.json', text);
    await expect(refreshModels(call(), { from: 'bad.json', cwd: folder.path, dryRun: false })).rejects.toMatchObject({
      code: 'models/unusable-list',
    });
    expect(own()).toBe(before);
  });

  it('is never written over a file that is none of models', async () => {
    const before = own() ?? '';
    folder.write(OWN, 'secret: [1, 2]\n');
    await expect(refresh([{ id: 'acme/new', context_length: 5 }])).rejects.toMatchObject({ code: 'config/invalid' });
    expect(own()).toBe('secret: [1, 2]\n');
    // And whoever names no model, or one that is declared, never looks at it.
    expect(await first()).toBe('old.md');
    expect((await told('ours')).status).toBe('frozen');
    await expect(told('gpt-5')).rejects.toMatchObject({ code: 'config/invalid' });
    folder.write(OWN, before);
    expect((await told('gpt-5')).budget.ceiling).toBe(200);
  });
});
