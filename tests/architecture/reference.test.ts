/**
 * docs/reference/verbs.md is a projection of the catalogue. To write it again:
 * `COLOPHON_UPDATE_CONTRACTS=1 npx vitest run tests/architecture/reference`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { OPERATIONS } from '../../src/app/operations/all.js';
import type { Operation } from '../../src/app/operations/catalogue.js';

const PAGE = 'docs/reference/verbs.md';

const HEAD = `---
title: "Verbs"
description: "Every operation: what it does, where it can be called, and what it takes. Written from the catalogue."
status: current
owner: role:maintainers
verified_at: 2026-11-30
review_by: 2027-05-31
tags: [reference, cli, mcp]
---

# Verbs

Written from the catalogue in \`src/app/operations/\`; a test fails when the two differ. Every verb also takes the narrowing flags
\`--as\`, \`--tenant\`, \`--purpose\`, \`--ceiling\`, \`--group\` and \`--client\`. \`colophon <verb> --help\` shows the flags of the command line.
`;

interface Field {
  readonly type?: string | string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Field[];
  readonly items?: Field;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
}

const typeOf = (field: Field): string => {
  if (field.enum !== undefined) return field.enum.join(', ');
  if (field.const !== undefined) return String(field.const);
  if (field.anyOf !== undefined) return field.anyOf.map(typeOf).join(' or ');
  const type = Array.isArray(field.type) ? field.type.join(' or ') : (field.type ?? 'any');
  if (type === 'array') return `list of ${typeOf(field.items ?? {})}`;
  return field.maximum !== undefined && field.maximum < 1e9 ? `${type}, ${field.minimum ?? 0} to ${field.maximum}` : type;
};

function section(operation: Operation): string {
  const schema = z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' }) as {
    properties?: Record<string, Field>;
    required?: string[];
  };
  const rows = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const given = schema.required?.includes(name) ? 'required' : field.default === undefined ? '' : JSON.stringify(field.default);
    return `| \`${name}\` | ${typeOf(field)} | ${given} | ${field.description ?? ''} |`.replaceAll('  |', ' |');
  });
  const table = rows.length === 0 ? [] : ['', '| input | type | default | |', '|---|---|---|---|', ...rows];
  return [
    `## ${operation.name}`,
    '',
    operation.summary,
    '',
    `Needs: ${operation.authority}. On: ${operation.surfaces.join(', ')}.`,
    ...table,
  ].join('\n');
}

it('the page of verbs is the catalogue', () => {
  const page = `${HEAD}\n${OPERATIONS.map(section).join('\n\n')}\n`;
  if (process.env['COLOPHON_UPDATE_CONTRACTS'] === '1') writeFileSync(PAGE, page);
  expect(readFileSync(PAGE, 'utf8')).toBe(page);
});
