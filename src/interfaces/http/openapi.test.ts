/** The description of the routes is one that tools for OpenAPI 3.1 accept, and it is the same every time. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, it } from 'vitest';
import { OPERATIONS } from '../../app/operations/all.js';
import { openApi } from './openapi.js';
import { routesOf } from './routes.js';

const routes = [...routesOf(OPERATIONS).values()];
const described = () => openApi(routes, '1.2.3', 'https://kb.example.org') as Record<string, unknown>;

it('is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(described()));
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
  expect(validator.version).toBe('3.1');
  const broken = { ...described(), info: { title: 1 } };
  expect((await new Validator().validate(broken)).valid).toBe(false);
});

it('describes each operation that is served, with the scope it needs, and no input that names a file here', () => {
  const { paths } = described() as { paths: Record<string, { post: { operationId: string; description: string } }> };
  const served = OPERATIONS.filter(({ surfaces }) => surfaces.includes('http'));
  expect(Object.keys(paths)).toHaveLength(served.length);
  for (const { name, authority } of served)
    expect(paths[`/v1/${name.replaceAll(' ', '-')}`]?.post.description).toBe(`Needs the scope \`colophon:${authority}\`.`);
  expect(JSON.stringify(described())).not.toMatch(/"(?:before|after)?[bB]undle":/);
});

it('every operation id is there once, and the same catalogue gives the same bytes', () => {
  const text = JSON.stringify(described());
  expect(JSON.stringify(described())).toBe(text);
  const ids = [...text.matchAll(/"operationId":"([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
});
