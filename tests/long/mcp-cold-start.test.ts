/** A folder nobody has indexed: the greeting waits for nothing, and answers come from what is there. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environment } from '../support/built-command.js';
import { RawMcp } from '../support/raw-mcp.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';

const PAGES = 1_500;
let folder: TemporaryFolder;
let home: TemporaryFolder;
beforeAll(() => {
  folder = temporaryFolder();
  home = temporaryFolder();
  for (let page = 0; page < PAGES; page += 1) {
    const text = `Tide table ${page}. High water at ${page % 24} o'clock, low water six hours later. `.repeat(20);
    folder.write(`tides/page-${page}.md`, `# Tides of day ${page}\n\n${text}\n`);
  }
});
afterAll(() => {
  folder.dispose();
  home.dispose();
});

const start = () => new RawMcp([], { cwd: folder.path, env: environment(home.path) });

describe('a cold start', () => {
  it('greets, lists and answers at once, says that the index is being built, and is whole later', async () => {
    const startedAt = performance.now();
    const server = start();
    await server.greet();
    const greetedMs = performance.now() - startedAt;
    await server.ask('tools', 'tools/list');
    const progress = server.next((frame) => frame.method === 'notifications/progress');
    const first = await server.ask(1, 'tools/call', { name: 'kb_search', arguments: { query: 'tides' }, _meta: { progressToken: 'p' } });
    const answeredMs = performance.now() - startedAt;
    process.stderr.write(
      `cold start, ${PAGES} pages: greeting after ${Math.round(greetedMs)} ms, first answer after ${Math.round(answeredMs)} ms\n`,
    );
    expect(greetedMs).toBeLessThan(30_000);
    expect(answeredMs).toBeLessThan(20_000);
    expect((await progress).params).toMatchObject({ progressToken: 'p', progress: expect.any(Number) });
    const said = JSON.stringify(first.result);
    const whole = !said.includes('index/building');
    if (!whole) expect(said).toContain('may be partial');
    for (let waited = 0; waited < 120; waited += 1) {
      const { result } = await server.call(`again-${waited}`, 'kb_search', { query: 'tides' });
      if (!JSON.stringify(result).includes('index/building')) break;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    const { result } = await server.call('last', 'kb_search', { query: 'tides' });
    expect(result).toMatchObject({ structuredContent: { hits: Array.from({ length: 10 }, () => expect.anything()) } });
    expect(await server.close()).toBe(0);
  });

  it('the end of input during indexing ends it, and the next one can index', async () => {
    const fresh = temporaryFolder();
    const server = new RawMcp([], { cwd: folder.path, env: environment(fresh.path) });
    await server.greet();
    await new Promise((resolve) => setTimeout(resolve, 400));
    const startedAt = performance.now();
    expect(await server.close()).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    const next = new RawMcp([], { cwd: folder.path, env: environment(fresh.path) });
    await next.greet();
    const { result } = await next.call(1, 'kb_status');
    expect(result?.['isError']).not.toBe(true);
    await next.close();
    fresh.dispose();
  });

  it('--watch: a page written during the conversation is found in it', async () => {
    const small = temporaryFolder();
    const state = temporaryFolder();
    small.write('a.md', '# First\n\nThe bandicoot sleeps.\n');
    const server = new RawMcp(['--watch'], { cwd: small.path, env: environment(state.path) });
    await server.greet();
    const paths = async (id: string, query: string) => {
      const { result } = await server.call(id, 'kb_search', { query });
      return JSON.stringify(result);
    };
    expect(await paths('before', 'bandicoot')).toContain('a.md');
    small.write('b.md', '# Second\n\nThe potoroo digs.\n');
    let found = '';
    for (let waited = 0; waited < 60 && !found.includes('b.md:'); waited += 1) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      found = await paths(`watch-${waited}`, 'potoroo');
    }
    expect(found).toContain('b.md:');
    expect(await server.close()).toBe(0);
    small.dispose();
    state.dispose();
  });
});
