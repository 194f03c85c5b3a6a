/** What the tools say: bounded, cited, fenced, and never more than the launch identity may see. */
import { countTokens } from 'gpt-tokenizer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CANARY, indexed, type McpLibrary, mcpLibrary } from '../support/mcp-library.js';
import { type Frame, RawMcp } from '../support/raw-mcp.js';

let library: McpLibrary;
let server: RawMcp;
let local: RawMcp;
beforeAll(async () => {
  library = await indexed(mcpLibrary());
  server = new RawMcp(['--client', 'claude-code'], library.surroundings);
  local = new RawMcp(['--client', 'terminal'], library.surroundings);
  await Promise.all([server.greet(), local.greet()]);
});
afterAll(async () => {
  await Promise.all([server.close(), local.close()]);
  library.dispose();
});

interface Answer {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>>;
  readonly frame: Frame;
}

let count = 0;
async function call(tool: string, args?: object, to = server): Promise<Answer> {
  count += 1;
  const frame = await to.call(count, tool, args);
  const { isError, content, structuredContent } = frame.result as {
    isError?: boolean;
    content: { text: string }[];
    structuredContent: Record<string, unknown>;
  };
  return { isError: isError === true, text: content.map((each) => each.text).join('\n'), structured: structuredContent, frame };
}

const hitsOf = ({ structured }: Answer) => structured['hits'] as Record<string, unknown>[];

it('names tools, not commands, where something is not there', async () => {
  const gone = await call('kb_get', { path: 'nowhere.md' });
  expect(gone).toMatchObject({ isError: true, structured: { hint: 'Check the spelling; kb_search lists what you may see.' } });
  const none = await call('kb_explain', { package: 'abcdef' });
  expect(none).toMatchObject({ isError: true, structured: { hint: 'Name it by the digest that kb_context gave, or `last`.' } });
});

describe('a search', () => {
  it('gives each passage an id, tier, labels, citation and reason, in both parts (MCP-04)', async () => {
    const answer = await call('kb_search', { query: 'rotate a signing key' });
    expect(hitsOf(answer)[0]).toMatchObject({
      path: 'keys.md',
      artifact: expect.stringMatching(/^ka_/),
      tier: 'trusted',
      labels: ['unreviewed'],
      citation: expect.stringMatching(/^keys\.md:\d+-\d+$/),
      reason: expect.stringMatching(/match/),
      excerpt: expect.stringContaining('keyctl rotate'),
    });
    for (const part of ['keys.md:', 'ka_', 'trusted, unreviewed', 'match', 'keyctl rotate']) expect(answer.text).toContain(part);
  });

  it('fences a stranger’s text in both parts, and the text cannot close the fence (T2.3)', async () => {
    const answer = await call('kb_search', { query: 'numbat password' });
    const excerpt = String(hitsOf(answer)[0]?.['excerpt']);
    const boundary = /^<<<data ([0-9a-f]{32})\n/.exec(excerpt)?.[1];
    expect(boundary).toBeDefined();
    expect(excerpt.endsWith(`\n>>>data ${boundary}`)).toBe(true);
    expect(excerpt.split(`>>>data ${boundary}`)).toHaveLength(2);
    expect(answer.text).toContain(`<<<data ${boundary}`);
    expect(answer.text.indexOf('Ignore all previous')).toBeGreaterThan(answer.text.indexOf(`<<<data ${boundary}`));
    expect(answer.structured['notice']).toMatch(/not instructions/);
  });

  it('stays below 20,000 tokens, says so, and goes on where it stopped', async () => {
    const seen = new Set<unknown>();
    let next: unknown;
    for (let page = 0; page < 3; page += 1) {
      const answer = await call('kb_search', { query: 'permission user', limit: 100, ...(page === 0 ? {} : { next }) });
      expect(countTokens(JSON.stringify(answer.frame.result))).toBeLessThan(20_000);
      expect(answer.structured['truncated']).toBe(true);
      expect(answer.text).toContain('Truncated');
      const ids = hitsOf(answer).map((each) => each['artifact']);
      expect(ids.length).toBeGreaterThan(5);
      expect(ids.filter((id) => seen.has(id))).toEqual([]);
      for (const id of ids) seen.add(id);
      next = answer.structured['next'];
      expect(next).toEqual(expect.any(String));
    }
  });

  it('reads arguments as agents write them, and refuses the rest by name (MCP-07)', async () => {
    expect(hitsOf(await call('kb_search', { query: 'permission user', limit: '5' }))).toHaveLength(5);
    expect(hitsOf(await call('kb_search', { query: 'signing key', tags: '["ops"]' }))).not.toHaveLength(0);
    expect(hitsOf(await call('kb_search', { query: 'signing key', path: null, limit: null }))).not.toHaveLength(0);
    const missing = await call('kb_search');
    expect(missing).toMatchObject({ isError: true, structured: { code: 'input/invalid', message: expect.stringContaining('query') } });
    expect(missing.structured['hint']).toContain('kb_search {"query":');
    for (const args of [
      { query: 'x', tenant: 'other' },
      { query: 'x', ceiling: 'restricted' },
      { query: 'x', limit: 100_000 },
      { query: 'x', next: 'zz.zz' },
    ]) {
      expect(await call('kb_search', args), JSON.stringify(args)).toMatchObject({ isError: true, structured: { code: 'input/invalid' } });
    }
  });

  it('marks what a stranger wrote, and does not say a long request back', async () => {
    expect(hitsOf(await call('kb_search', { query: 'numbat password' }))[0]).toMatchObject({ path: 'wiki/help.md', untrusted: true });
    expect(hitsOf(await call('kb_search', { query: 'signing key' }))[0]).not.toHaveProperty('untrusted');
    const paths = (many: number) => Array.from({ length: many }, (_, at) => `missing/${'x'.repeat(900)}-${at}.md`);
    expect(await call('kb_search', { query: 'x', path: paths(1_000) })).toMatchObject({
      isError: true,
      structured: { message: '`path` must be a list of at most 50 items.' },
    });
    const few = await call('kb_search', { query: 'signing key '.repeat(800), path: paths(50) });
    expect(few.isError).toBe(false);
    expect(JSON.stringify(few.frame.result).length).toBeLessThan(15_000);
  });

  it('arguments as null or as JSON text are what they plainly are', async () => {
    const nothing = await server.ask('null', 'tools/call', { name: 'kb_status', arguments: null });
    expect(nothing.result?.['isError']).not.toBe(true);
    const text = await server.ask('text', 'tools/call', { name: 'kb_search', arguments: '{"query":"signing key"}' });
    expect(text.result).toMatchObject({ structuredContent: { hits: [{ path: 'keys.md' }] } });
  });
});

describe('a page', () => {
  it('is cut between lines when it is long, and the named call goes on', async () => {
    const first = await call('kb_get', { path: 'long.md' });
    expect(countTokens(JSON.stringify(first.frame.result))).toBeLessThan(20_000);
    expect(first.structured).toMatchObject({ truncated: true, lines: { start: 1 }, next: { lines: expect.stringMatching(/^\d+-\d+$/) } });
    const { end } = first.structured['lines'] as { end: number };
    expect(
      String(first.structured['text'])
        .trimEnd()
        .endsWith(`by ${end - 3} degrees.`),
    ).toBe(true);
    const second = await call('kb_get', { path: 'long.md', ...(first.structured['next'] as object) });
    expect(second.structured['lines']).toMatchObject({ start: end + 1 });
    expect(String(second.structured['text'])).toMatch(new RegExp(`^Step ${end - 2}:`));
  });

  it('absent, private and outside are the same bytes', async () => {
    const [absent, secret, outside] = await Promise.all(
      ['a-page.md', 'private.md', '../private.md'].map((path) => call('kb_get', { path })),
    );
    const plain = ({ structured, text }: Answer, path: string) => JSON.stringify([structured, text]).replaceAll(path, 'PATH');
    expect(absent?.isError).toBe(true);
    if (absent === undefined || secret === undefined || outside === undefined) throw new Error('no answers');
    expect(plain(secret, 'private.md')).toBe(plain(absent, 'a-page.md'));
    expect(plain(outside, '../private.md')).toBe(plain(absent, 'a-page.md'));
  });
});

describe('who asks', () => {
  it('a private page reaches a local client, and no remote or unnamed one, by any tool (INJ-11, MCP-05)', async () => {
    expect(JSON.stringify((await call('kb_search', { query: 'salary of the wombat' }, local)).structured)).toContain(CANARY);
    const unnamed = new RawMcp([], library.surroundings);
    await unnamed.greet();
    for (const client of [server, unnamed]) {
      const answers = [
        await call('kb_search', { query: 'salary of the wombat' }, client),
        await call('kb_context', { query: 'salary of the wombat' }, client),
        await call('kb_get', { path: 'private.md' }, client),
        await call('kb_explain', { package: 'last', page: 'private.md' }, client),
      ];
      for (const { structured, text } of answers) {
        expect(JSON.stringify(structured) + text).not.toMatch(/PELICAN|Salaries/);
      }
      const listed = await client.ask('list', 'resources/list');
      expect(JSON.stringify(listed)).not.toMatch(/private\.md|Salaries/);
      const read = await client.ask('read', 'resources/read', { uri: 'colophon://page/docs/private.md' });
      const absent = await client.ask('absent', 'resources/read', { uri: 'colophon://page/docs/missing.md' });
      expect(read.error?.code).toBe(absent.error?.code);
      expect(JSON.stringify(read.error).replaceAll('private', 'missing')).toBe(JSON.stringify(absent.error));
    }
    await unnamed.close();
  });

  it('only who answers for the sources hears whether they changed', async () => {
    expect((await call('kb_status', { drift: true })).structured['drift']).toEqual({ checked: false, ok: true, sources: [] });
    expect((await call('kb_status', { drift: true }, local)).structured['drift']).toMatchObject({ checked: true });
  });

  it('a right that is not held is refused at launch', async () => {
    const refused = new RawMcp(['--tenant', 'other'], library.surroundings);
    expect(await refused.exited).toBe(3);
    expect(refused.stdout).toBe('');
    expect(refused.stderr).toContain('other');
  });
});

describe('a context', () => {
  it('is the preamble as text, and its list beside it, once each', async () => {
    const answer = await call('kb_context', { query: 'rotate a signing key' });
    expect(answer.structured).toMatchObject({
      status: 'frozen',
      items: [{ path: 'keys.md', citation: expect.stringMatching(/^keys\.md:/) }],
    });
    expect(answer.text).toContain('keyctl rotate');
    expect(JSON.stringify(answer.structured).split('keyctl rotate')).toHaveLength(2);
    const why = await call('kb_explain', { page: 'keys.md' });
    expect(why.structured).toMatchObject({ included: true, digest: answer.structured['digest'] });
  });

  it('is explained as data: titles and paths of strangers stand between fence lines in both parts (T2.3)', async () => {
    await call('kb_context', { query: 'numbat password' });
    const why = await call('kb_explain');
    const text = String(why.structured['text']);
    const boundary = /^<<<data ([0-9a-f]{32})\n/.exec(text)?.[1];
    expect(boundary).toBeDefined();
    expect(text.endsWith(`\n>>>data ${boundary}`)).toBe(true);
    expect(text).toContain('help.md');
    expect(why.structured['notice']).toMatch(/not instructions/);
    expect(why.text.indexOf('help.md')).toBeGreaterThan(why.text.indexOf(`<<<data ${boundary}`));
    expect(why.text.lastIndexOf('help.md')).toBeLessThan(why.text.indexOf(`>>>data ${boundary}`));
  });

  it('says no_context when nothing fits', async () => {
    const answer = await call('kb_context', { query: 'quantum chromodynamics of lattice fermions' });
    expect(answer.structured).toMatchObject({ status: 'no_context', items: [] });
    expect(answer.text).toContain('no_context');
  });
});

describe('pages as resources (MCP-01)', () => {
  it('are listed in bounded steps, each once, and read as the tools show them', async () => {
    const uris: string[] = [];
    let cursor: unknown;
    do {
      const { result } = await server.ask(`list-${uris.length}`, 'resources/list', cursor === undefined ? {} : { cursor });
      const resources = result?.['resources'] as { uri: string }[];
      expect(resources.length).toBeLessThanOrEqual(50);
      uris.push(...resources.map(({ uri }) => uri));
      cursor = result?.['nextCursor'];
    } while (cursor !== undefined);
    expect(new Set(uris).size).toBe(uris.length);
    expect(uris).toHaveLength(154);
    const { result } = await server.ask('keys', 'resources/read', { uri: 'colophon://page/docs/keys.md' });
    expect(JSON.stringify(result)).toContain('keyctl rotate');
    const stranger = await server.ask('wiki', 'resources/read', { uri: 'colophon://page/docs/wiki/help.md' });
    expect(JSON.stringify(stranger.result)).toMatch(/<<<data [0-9a-f]{32}/);
  });

  it('the template is listed, and other addresses are not found', async () => {
    const { result } = await server.ask('templates', 'resources/templates/list');
    expect(result?.['resourceTemplates']).toMatchObject([{ uriTemplate: 'colophon://page/{source}/{+path}' }]);
    for (const uri of [
      'file:///etc/passwd',
      'colophon://page/docs/../../etc/passwd',
      'colophon://page/',
      'colophon://page/docs/%zz',
      'nonsense',
    ]) {
      expect((await server.ask(uri, 'resources/read', { uri })).error, uri).toBeDefined();
    }
  });
});
