/**
 * The OpenAPI 3.1 description of the routes, written from the same entries that answer them.
 *
 * Invariant: same catalogue, same bytes; nothing of a library is in it.
 */
import { z } from 'zod';
import type { JsonSchema } from '../../app/input-bounds.js';
import { NARROWING_HEADERS } from './narrowing-headers.js';
import type { Route } from './routes.js';

const FAULT = {
  type: 'object',
  properties: {
    schema: { const: 'colophon/fault@1' },
    problems: { type: 'array' },
    code: { type: 'string', description: 'Stable, `area/what`.' },
    message: { type: 'string' },
    hint: { type: 'string', description: 'What to do about it.' },
  },
  required: ['schema', 'code', 'message', 'hint'],
} as const;

const REFUSALS = {
  '400': 'The request is not valid.',
  '401': 'There is no valid token.',
  '403': 'The token does not reach this, or a header asks for more than it holds.',
  '404': 'There is no such thing, or it is not for you.',
  '413': 'The request is too large.',
  '429': 'Too many requests; `Retry-After` says when to ask again.',
  '503': 'The library cannot answer at present.',
} as const;

export function openApi(routes: readonly Route[], version: string, server: string): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Colophon',
      version,
      description:
        'Every verb of the catalogue that is served over a network. Who asks is told by the token alone; headers may only narrow it.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: server }],
    security: [{ bearer: [] }],
    paths: Object.fromEntries(routes.map((route) => [route.path, pathItem(route)])),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'A token of this server, or one of its issuers.' } },
      schemas: { fault: FAULT },
      parameters: Object.fromEntries(NARROWING_HEADERS.map((name) => [name, header(name)])),
      responses: Object.fromEntries(
        Object.entries(REFUSALS).map(([status, description]) => [
          `fault-${status}`,
          { description, content: { 'application/json': { schema: { $ref: '#/components/schemas/fault' } } } },
        ]),
      ),
    },
  };
}

function header(name: string) {
  const schema = name === 'colophon-freshness-critical' ? { type: 'string', enum: ['true', 'false'] } : { type: 'string' };
  return { name, in: 'header', required: false, description: 'Narrows what the token holds.', schema };
}

function pathItem({ operation, methods, input, scope }: Route) {
  const { name, summary } = operation;
  const id = name.replaceAll(' ', '-');
  const narrowing = NARROWING_HEADERS.map((each) => ({ $ref: `#/components/parameters/${each}` }));
  const responses = {
    '200': { description: 'The answer.', content: { 'application/json': { schema: answerSchema(operation.output) } } },
    ...Object.fromEntries(Object.keys(REFUSALS).map((status) => [status, { $ref: `#/components/responses/fault-${status}` }])),
  };
  const common = { summary, description: `Needs the scope \`${scope}\`.`, security: [{ bearer: [] }] };
  const post = {
    ...common,
    operationId: id,
    parameters: narrowing,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { type: 'object', properties: input.properties, required: input.required, additionalProperties: false },
        },
      },
    },
    responses,
  };
  if (!methods.includes('GET')) return { post };
  const fields = Object.entries(input.properties).map(([field, schema]) => queryParameter(field, schema, input.required.includes(field)));
  return { get: { ...common, operationId: `${id}-get`, parameters: [...fields, ...narrowing], responses }, post };
}

function queryParameter(name: string, { description, ...schema }: JsonSchema, required: boolean) {
  return { name, in: 'query', required, ...(typeof description === 'string' ? { description } : {}), schema };
}

function answerSchema(output: z.ZodType) {
  const { $schema: _, ...schema } = z.toJSONSchema(output, { io: 'output', unrepresentable: 'any' });
  return schema;
}
