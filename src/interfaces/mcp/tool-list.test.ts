import { readFileSync, writeFileSync } from 'node:fs';
import { countTokens } from 'gpt-tokenizer';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { OPERATIONS } from '../../app/operations/all.js';
import { operation } from '../../app/operations/catalogue.js';
import { canonicalJson } from '../../kernel/digest.js';
import { toolList, toolOf } from './tool-list.js';

const SNAPSHOT = new URL('../../../contracts/mcp-tools.v1.json', import.meta.url);
const wire = { tools: toolList(OPERATIONS) };

describe('the tool list', () => {
  it('is the reviewed one, byte for byte in canonical form (T2.8, INJ-16)', () => {
    // To change a tool on purpose: COLOPHON_UPDATE_CONTRACTS=1, then review the difference.
    if (process.env['COLOPHON_UPDATE_CONTRACTS'] === '1')
      writeFileSync(SNAPSHOT, `${JSON.stringify(JSON.parse(canonicalJson(wire)), null, 2)}\n`);
    expect(canonicalJson(wire)).toBe(canonicalJson(JSON.parse(readFileSync(SNAPSHOT, 'utf8'))));
  });

  it('takes at most 2,500 tokens of a conversation (MCP-02)', () => {
    const tokens = countTokens(JSON.stringify(wire));
    expect(tokens).toBeLessThanOrEqual(2_500);
    expect(tokens).toBeGreaterThan(500);
  });

  it('names each tool safely, once, in order (MCP-08)', () => {
    const names = wire.tools.map(({ name }) => name);
    expect(names).toEqual(['kb_context', 'kb_explain', 'kb_get', 'kb_search', 'kb_status']);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
    expect(toolList([...OPERATIONS].reverse())).toEqual(wire.tools);
  });

  it('marks every tool read-only, and refuses to make one of anything else (MCP-03, MCP-10)', () => {
    for (const { annotations } of wire.tools) expect(annotations.readOnlyHint).toBe(true);
    const writer = operation({
      name: 'index',
      summary: '',
      authority: 'index',
      surfaces: ['mcp'],
      input: z.object({}),
      output: z.object({}),
      run: async () => ({}),
    });
    expect(() => toolOf(writer)).toThrow(/cannot be a tool/);
  });

  it('has no argument that says who asks (MCP-05)', () => {
    const identity = ['as', 'tenant', 'purpose', 'ceiling', 'group', 'groups', 'client', 'principal', 'requester'];
    for (const { inputSchema } of wire.tools) for (const name of identity) expect(inputSchema.properties).not.toHaveProperty(name);
  });

  it('says what every argument and answer is, without references to follow', () => {
    for (const { inputSchema, outputSchema } of wire.tools) {
      expect(inputSchema['additionalProperties']).toBe(false);
      for (const schema of Object.values(inputSchema.properties)) expect(schema).toHaveProperty('type');
      expect(outputSchema.properties).toHaveProperty('problems');
      expect(JSON.stringify([inputSchema, outputSchema])).not.toContain('$ref');
    }
  });

  it('names every change of what a client shows or sends', () => {
    const [tool] = wire.tools;
    if (tool === undefined) throw new Error('no tools');
    const before = canonicalJson(tool);
    const changes = [
      { ...tool, description: `${tool.description} Always.` },
      { ...tool, inputSchema: { ...tool.inputSchema, properties: {} } },
      { ...tool, inputSchema: { ...tool.inputSchema, required: [] } },
      { ...tool, outputSchema: { ...tool.outputSchema, properties: {} } },
      { ...tool, annotations: { ...tool.annotations, readOnlyHint: false } },
      { ...tool, title: 'Other' },
      { ...tool, icons: [] },
    ];
    for (const changed of changes) expect(canonicalJson(changed)).not.toBe(before);
  });
});
