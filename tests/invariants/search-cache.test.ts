/**
 * T1.4 for searches: the same question of the same asker and state is ranked once, and every answer is what a library without memory
 * gives. With anything another it is ranked again.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SearchCache } from '../../src/app/asking/context-cache.js';
import { resolveConfig } from '../../src/app/configuration/config.js';
import { openContainer } from '../../src/app/container.js';
import { type Narrowing, resolveAsk } from '../../src/app/identity.js';
import { learn } from '../../src/app/learning/learn.js';
import type { Library } from '../../src/app/library.js';
import { search } from '../../src/app/operations/search.js';
import type { Instant } from '../../src/kernel/clock.js';
import { sha256 } from '../../src/kernel/digest.js';
import { counting, NOW, page, rankedSince, sourceText } from '../support/asked-contexts.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';

const CONFIG = `version: 1
profile: team
identity: { principal: person:ada, tenants: [north, south], purposes: [assist, audit], groups: [staff, directors], ceiling: restricted }
permissions: { everyone: [staff, directors], board: [directors] }
sources:
${sourceText('open', 'everyone')}${sourceText('minutes', 'board')}`;

const QUERY = 'how is the lower gate drained';
const ADA: Narrowing = { tenant: 'north', purpose: 'audit', client: 'terminal' };
const STAFF: Narrowing = { ...ADA, groups: ['staff'] };

let folder: TemporaryFolder;
let library: Library;
let server: Library & { readonly searches: SearchCache };

beforeAll(async () => {
  folder = temporaryFolder();
  folder.write('colophon.yaml', CONFIG);
  for (const id of ['open', 'minutes']) {
    mkdirSync(join(folder.path, id));
    for (let n = 0; n < 5; n += 1) folder.write(`${id}/p${n}.md`, page(n, `Of ${id}.`));
  }
  library = await openAnew();
  await learn(library);
});
beforeEach(() => {
  server = { ...library, reader: counting(library.reader), searches: new SearchCache() };
});
afterAll(async () => {
  await library.close();
  folder.dispose();
});

interface Asked {
  readonly who?: Narrowing;
  readonly at?: number;
  readonly more?: object;
}

/** The answer as bytes, and how often something was ranked for it. */
async function ask(asker: Library, { who = ADA, at = NOW, more = {} }: Asked = {}) {
  const identity = resolveAsk(asker.config, who, { workload: 'workload://colophon/library', defaultClient: 'agent' }, at as Instant);
  const call = { library: asker, ask: identity, signal: new AbortController().signal, progress: () => undefined };
  const ranked = rankedSince();
  const answer = JSON.stringify(await search.run(search.input.parse({ query: QUERY, ...more }), call));
  return { answer, ranked: ranked() };
}

/** By a library that remembers nothing. */
async function askAnew(asked: Asked = {}): Promise<string> {
  const cold = await openAnew();
  try {
    return (await ask(cold, asked)).answer;
  } finally {
    await cold.close();
  }
}

async function openAnew(): Promise<Library> {
  return openContainer(await resolveConfig({ env: {}, cwd: folder.path }), { now: () => NOW as Instant });
}

describe('T1.4 PKG-08: a search is ranked once for one question of one asker and state', () => {
  it('answers again with the same bytes, and without ranking', async () => {
    const [first, again] = [await ask(server), await ask(server)];
    expect([first.ranked, again.ranked]).toEqual([1, 0]);
    expect(again.answer).toBe(first.answer);
    expect(first.answer).toBe(await askAnew());
  });

  it.each<readonly [string, Asked]>([
    ['tenant', { who: { ...ADA, tenant: 'south' } }],
    ['purpose', { who: { ...ADA, purpose: 'assist' } }],
    ['ceiling', { who: { ...ADA, ceiling: 'public' } }],
    ['set of groups', { who: STAFF }],
    ['client', { who: { ...ADA, client: 'agent' } }],
    ['day', { at: NOW + 86_400_000 }],
    ['question', { more: { query: 'how is the upper gate drained' } }],
    ['limit', { more: { limit: 3 } }],
    ['mode', { more: { mode: 'lexical' } }],
    ['source', { more: { source: ['open'] } }],
    ['path', { more: { path: ['p1.md'] } }],
  ])('another %s is ranked, and answered as if nothing were remembered', async (_, other) => {
    await ask(server);
    const { answer, ranked } = await ask(server, other);
    expect(ranked).toBe(1);
    expect(answer).toBe(await askAnew(other));
  });

  it('PKG-09: whoever may see less is answered from that', async () => {
    expect((await ask(server)).answer).toContain('Of minutes.');
    for (let round = 0; round < 2; round += 1) expect((await ask(server, { who: STAFF })).answer).not.toContain('minutes');
  });

  it('can fail: one key for all would give whoever may see less what they may not see', async () => {
    const wrong = { ...server, searches: new SearchCache({ keyOf: () => sha256('one for all') }) };
    await ask(wrong);
    const leaked = (await ask(wrong, { who: STAFF })).answer;
    expect(leaked).toContain('Of minutes.');
    expect(leaked).not.toBe(await askAnew({ who: STAFF }));
  });

  it('PKG-10: a change of a source or page is seen by the next question, and costs nothing where it is hidden', async () => {
    await ask(server);
    await ask(server, { who: STAFF });
    folder.write('minutes/p1.md', page(1, 'Another minute.'));
    await learn(server);
    expect((await ask(server, { who: STAFF })).ranked).toBe(0);
    const learnt = await ask(server);
    expect([learnt.ranked, learnt.answer]).toEqual([1, await askAnew()]);
    const by = { actor: 'person:ada', reason: 'test' };
    await server.records.registry.move('minutes', 'suspend', by, NOW as Instant);
    const suspended = await ask(server);
    expect([suspended.ranked, suspended.answer]).toEqual([1, await askAnew()]);
    expect(suspended.answer).not.toContain('minutes');
  });

  it('is not believed about the files: one that was edited or went since says so', async () => {
    await ask(server);
    folder.write('open/p1.md', page(1, 'Edited since.'));
    const edited = await ask(server);
    expect([edited.ranked, edited.answer]).toEqual([0, await askAnew()]);
    expect(edited.answer).toContain('page/changed');
  });
});
