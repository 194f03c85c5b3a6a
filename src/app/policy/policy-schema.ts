/**
 * The shape of the policy files and of the tests beside them: what may stand in them, key by key, with the words an editor shows.
 *
 * schemas/policy.schema.json and schemas/policy-tests.schema.json are generated from these values (scripts/write-schemas.mjs).
 *
 * Invariant: strict; a key that is not named here is refused with its line, never ignored. Only loaded where there are such files.
 */
import { z } from 'zod';
import { CLASSIFICATIONS } from '../../domain/classification.js';
import { DENIALS } from '../../domain/eligibility.js';
import { ROLES } from '../../domain/policy.js';
import { SOURCE_STATES } from '../../domain/source.js';
import { instantIn } from './instant-in.js';

const words = (expected: string) => ({ error: expected });
const name = z.string().regex(/^[a-z0-9][a-z0-9._-]*$/, words('lower-case letters, digits, `.`, `_` or `-`'));
const principal = z
  .string()
  .regex(
    /^(?:person|agent):[a-z0-9][a-z0-9._@-]*$/,
    words('`person:` or `agent:` and a name in lower-case letters, digits, `.`, `_`, `@` or `-`'),
  );
const person = z
  .string()
  .regex(/^person:[a-z0-9][a-z0-9._@-]*$/, words('a person, `person:name`; no agent and no group answers for anything'));
const plain = z.string().min(1).max(200);
const some = z.array(plain).min(1);
const time = z
  .string()
  .refine((text) => instantIn(text) !== undefined, words('a day such as 2026-12-31, or a time such as 2026-12-31T18:00:00Z'));

const grant = z
  .strictObject({
    groups: z.array(name).default([]),
    principals: z.array(principal).default([]).describe('People and agents by name; counts only where they ask for themselves.'),
    tenants: some.describe('For requests in these tenants; no wildcard.'),
    purposes: z.array(name).min(1).describe('For requests with one of these purposes.'),
    from: time.optional().describe('Effective from here on.'),
    to: time.optional().describe('Effective until here, not including it.'),
  })
  .refine(({ groups, principals }) => groups.length + principals.length > 0, words('a grant to somebody: `groups`, `principals` or both'));

const rights = z.strictObject({
  tenants: some.describe('Tenants this principal may ask in.'),
  purposes: z.array(name).min(1),
  ceiling: z.enum(CLASSIFICATIONS).describe('The most sensitive classification it may touch.'),
  keys: z
    .array(z.string().regex(/^[A-Za-z0-9+/]{59}=$/, words('an ed25519 public key: SPKI in base64, 60 characters')))
    .max(5)
    .default([])
    .describe('Public keys that approvals are signed with, as `openssl pkey -pubout` prints them, in one line.'),
});

export const policyFile = z
  .strictObject({
    version: z.literal(1, words('1')),
    purposes: z.record(name, z.string()).optional().describe('Every purpose there is, and what it means.'),
    people: z.record(principal, rights).optional().describe('Every person and agent there is. Whoever is not here is refused.'),
    groups: z.record(name, z.array(principal)).optional().describe('Group → members.'),
    acls: z.record(name, z.array(grant)).optional().describe('Permissions ref → who may read, and when.'),
    roles: z
      .strictObject(
        Object.fromEntries(ROLES.map((role) => [role, z.array(person).optional()])) as Record<
          (typeof ROLES)[number],
          z.ZodOptional<z.ZodArray<typeof person>>
        >,
      )
      .optional()
      .describe('Who bears which of the five responsibilities.'),
    owners: z
      .record(plain, z.array(person).min(1))
      .optional()
      .describe('Owner as sources name it, e.g. `role:docs` → the people it stands for.'),
    retention: z
      .record(
        z.string().regex(/^[a-z0-9._-]+@\d+$/, words('`name@version`, e.g. `keep@1`')),
        z.strictObject({ deletion: z.enum(['on-request', 'never']) }),
      )
      .optional()
      .describe('Retention policies that sources name. `keep@1` is built in: deletion on request.'),
  })
  .describe('Policy of a colophon library: any part may stand in any file of the folder, each thing once.');
export type PolicyFile = z.output<typeof policyFile>;

const policyCase = z.strictObject({
  name: z.string().min(1),
  principal: plain,
  via: plain.optional().describe('Who asks on the principal’s behalf; only what both hold counts.'),
  tenant: plain,
  purpose: plain,
  ceiling: z.enum(CLASSIFICATIONS).optional(),
  client: plain.default('terminal'),
  at: time.optional().describe('When; now unless said.'),
  source: plain,
  path: plain.describe('A page, from the root of its source. It need not exist: its folder’s rules then decide.'),
  state: z.enum(SOURCE_STATES).default('active').describe('The state the source is taken to be in.'),
  expect: z.enum(['allow', 'deny']),
  reason: z
    .enum([...DENIALS, 'not-held'])
    .optional()
    .describe('Why it is denied. `not-held`: the principal is unknown or may not ask like this.'),
});
export type PolicyCase = z.output<typeof policyCase>;

export const policyTests = z
  .strictObject({ version: z.literal(1, words('1')), cases: z.array(policyCase).min(1).max(10_000) })
  .describe('What the policy must decide: run by `colophon policy test`.');
