/** The published JSON Schemas of policy files and policy tests, which give editors completion; made from the schemas that check them. */
import { z } from 'zod';
import { policyFile, policyTests } from './policy-schema.js';

/** Where each is published: read by scripts/write-schemas.mjs.
 * @public */
export const POLICY_SCHEMAS = {
  'schemas/policy.schema.json': () => published(policyFile, 'Policy of a colophon library'),
  'schemas/policy-tests.schema.json': () => published(policyTests, 'Tests of a policy'),
};

function published(schema: z.ZodType, title: string): string {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return `${JSON.stringify({ $schema, title, ...rest }, undefined, 2)}\n`;
}
