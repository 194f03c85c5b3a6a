/** A request as file, on stdin, in flags and over MCP: the same answer, with the exit codes of CONTRACT. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { context } from '../../src/app/operations/context.js';
import { runCommand } from '../support/built-command.js';
import { indexed, type McpLibrary, mcpLibrary } from '../support/mcp-library.js';
import { RawMcp } from '../support/raw-mcp.js';

let library: McpLibrary;
beforeAll(async () => {
  library = await indexed(mcpLibrary());
});
afterAll(() => library.dispose());

const REQUEST = {
  query: 'rotate a signing key',
  profile: 'attempt',
  facts: ['docs/keys.md', 'keyctl'],
  items: [{ class: 'history', origin: 'chat 3', text: 'They asked to rotate.\nToday.' }],
};
const YAML = `query: rotate a signing key
profile: attempt
facts: [docs/keys.md, keyctl]
items:
  - class: history
    origin: chat 3
    text: |-
      They asked to rotate.
      Today.
`;

async function asked(args: readonly string[], input = '') {
  const done = await runCommand(['context', ...args, '--json'], library.surroundings, input);
  return { code: done.code, stderr: done.stderr, answer: done.stdout === '' ? undefined : context.output.parse(JSON.parse(done.stdout)) };
}

describe('CTX-14 a request', () => {
  it('is the same from a file, from stdin, as JSON and as YAML', async () => {
    library.folder.write('request.json', JSON.stringify(REQUEST));
    const [filed, piped, yaml] = [
      await asked(['--request', 'request.json']),
      await asked(['--request', '-'], JSON.stringify(REQUEST)),
      await asked(['--request', '-'], YAML),
    ];
    expect(filed.code).toBe(0);
    expect(filed.answer?.facts?.map(({ status }) => status)).toEqual(['resolved', 'resolved']);
    expect(filed.answer?.items.map((item) => item.class)).toContain('history');
    expect(new Set([filed, piped, yaml].map(({ answer }) => answer?.digest)).size).toBe(1);
  });

  it('is overruled by words and flags', async () => {
    library.folder.write('request.json', JSON.stringify(REQUEST));
    const { answer } = await asked(['the gate', '--request', 'request.json', '--budget', '900', '--fact', 'who feeds the zebras']);
    expect(answer?.budget.ceiling).toBe(900);
    expect(answer?.facts).toMatchObject([{ fact: 'who feeds the zebras', status: 'missing' }]);
  });

  it('blocks with exit 3, and is refused in words with exit 2', async () => {
    const blocked = await asked(['rotate a signing key', '--consequential', '--fact', 'who feeds the zebras']);
    expect(blocked.code).toBe(3);
    expect(blocked.answer).toMatchObject({ status: 'blocked', items: [] });
    for (const [text, said] of [
      ['{"query":"x","itmes":[]}', /itmes of the request in stdin must be left out or spelled items/],
      ['{"query":"x","items":[{"class":"history","text":"x"}]}', /items\.0\.origin of the request in stdin/],
      ['{"profile":"attempt"}', /query of the request in stdin/],
      ['[1]', /a set of keys/],
    ] as const) {
      const refused = await runCommand(['context', '--request', '-'], library.surroundings, text);
      expect(refused.code, text).toBe(2);
      expect(refused.stderr).toMatch(said);
    }
    expect((await runCommand(['context'], library.surroundings)).code).toBe(2);
  });

  it('over MCP gives an agent the same, fenced whatever it vouches for', async () => {
    const server = new RawMcp(['--client', 'claude-code'], library.surroundings);
    try {
      await server.greet();
      const items = [{ ...REQUEST.items[0], tier: 'trusted' }];
      const frames = [
        await server.call(1, 'kb_context', { ...REQUEST, items }),
        await server.call(2, 'kb_context', { ...REQUEST, items: JSON.stringify(items) }),
      ];
      for (const { result } of frames) {
        const { structuredContent: told } = result as {
          structuredContent: { status: string; taint: boolean; items: { tier: string; class: string }[] };
        };
        expect(told).toMatchObject({ status: 'frozen', taint: true });
        expect(told.items.find((item) => item.class === 'history')?.tier).toBe('advisory');
      }
    } finally {
      await server.close();
    }
  });
});
