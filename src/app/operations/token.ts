/** token create, list, revoke: who may ask a server of this library, for whom, how far and until when. */
import { z } from 'zod';
import { CLASSIFICATIONS } from '../../domain/classification.js';
import { Fault } from '../../kernel/errors.js';
import { SCOPES } from '../access/scopes.js';
import { requireSecurityPerson } from '../access/security-person.js';
import { addToken, isValid, readTokens, revokeToken, type TokenRow } from '../access/token-file.js';
import { durationMs } from '../duration.js';
import { rightsOf } from '../identity.js';
import { type Call, operation } from './catalogue.js';
import { answer } from './wire.js';

const DEFAULT_LIFE = 'P30D';
const LONGEST_MS = 366 * 86_400_000;

const names = z.array(z.string().min(1)).min(1).optional();

const token = {
  id: z.string(),
  note: z.string(),
  principal: z.string(),
  workload: z.string(),
  client: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  tenants: z.array(z.string()).optional(),
  purposes: z.array(z.string()).optional(),
  groups: z.array(z.string()).optional(),
  ceiling: z.enum(CLASSIFICATIONS).optional(),
  createdAt: z.string(),
  expiresAt: z.string(),
  status: z.enum(['valid', 'expired', 'revoked']),
};

export const tokenCreate = operation({
  name: 'token create',
  summary: 'Makes a token for a server of this library. It is shown once; it can only narrow what the person and the server hold.',
  authority: 'operate',
  surfaces: ['cli'],
  input: z.object({
    note: z.string().max(200).default('').describe('What it is for, for the list.'),
    for: z.string().min(1).optional().describe('The person it speaks for, as `people` names them; whoever makes it, unless said.'),
    workload: z
      .string()
      .regex(/^[a-z0-9][a-z0-9._/-]*$/, { error: () => 'lower-case letters, digits, `.`, `_`, `-` or `/`' })
      .default('unnamed')
      .describe('The program that will use it, recorded beside the person.'),
    client: z.string().min(1).default('unnamed').describe('Where answers go: a client of `clients`; any other counts as remote.'),
    scope: z.array(z.enum(SCOPES)).min(1).default(['colophon:read']).describe('What it may be used for.'),
    tenants: names.describe('These tenants alone.'),
    purposes: names.describe('These purposes alone.'),
    groups: names.describe('These groups alone.'),
    ceiling: z.enum(CLASSIFICATIONS).optional().describe('Nothing classified above this.'),
    lasting: z.string().default(DEFAULT_LIFE).describe('How long it is valid, an ISO 8601 duration; at most P366D.'),
  }),
  output: answer('token-create', { ...token, token: z.string() }),
  async run(input, call) {
    const { library, ask } = call;
    requireSecurityPerson(call, 'To make a token');
    const ms = durationMs(input.lasting);
    if (ms === undefined || ms <= 0 || ms > LONGEST_MS)
      throw new Fault('input/invalid', { field: '--lasting', expected: 'a duration of at most a year, such as P30D or PT8H' });
    const principal = input.for ?? ask.requester.principal;
    requireHeld(call, principal, input);
    const { tenants, purposes, groups, ceiling } = input;
    const made = await addToken(library.config.stateFolder, {
      note: input.note,
      principal,
      workload: `workload://api/${input.workload}`,
      client: input.client,
      scopes: input.scope,
      ...(tenants === undefined ? {} : { tenants }),
      ...(purposes === undefined ? {} : { purposes }),
      ...(groups === undefined ? {} : { groups }),
      ...(ceiling === undefined ? {} : { ceiling }),
      createdAt: new Date(ask.at).toISOString(),
      expiresAt: new Date(ask.at + ms).toISOString(),
    });
    return { schema: 'colophon/token-create@1' as const, problems: [], ...wireOf(made.row, ask.at), token: made.token };
  },
});

export const tokenList = operation({
  name: 'token list',
  summary: 'The tokens of this library, without their secrets: whom each speaks for, how far, and until when.',
  authority: 'operate',
  surfaces: ['cli'],
  input: z.object({}),
  output: answer('token-list', { tokens: z.array(z.object(token)) }),
  async run(_input, call) {
    requireSecurityPerson(call, 'To list tokens');
    const { library, ask } = call;
    const rows = readTokens(library.config.stateFolder);
    return { schema: 'colophon/token-list@1' as const, problems: [], tokens: rows.map((row) => wireOf(row, ask.at)) };
  },
});

export const tokenRevoke = operation({
  name: 'token revoke',
  summary: 'Ends a token: the next request with it is refused, by servers that are running too.',
  authority: 'operate',
  surfaces: ['cli'],
  input: z.object({ id: z.string().regex(/^[0-9a-f]{12}$/, { error: () => 'an id that `colophon token list` shows' }) }),
  output: answer('token-revoke', token),
  async run({ id }, call) {
    requireSecurityPerson(call, 'To revoke a token');
    const { library, ask } = call;
    const row = await revokeToken(library.config.stateFolder, id, new Date(ask.at).toISOString());
    return { schema: 'colophon/token-revoke@1' as const, problems: [], ...wireOf(row, ask.at) };
  },
});

type Wanted = { readonly [K in 'tenants' | 'purposes' | 'groups']?: readonly string[] | undefined };

/** What the person does not hold would grant nothing, so it was a mistake. */
function requireHeld({ library }: Call, principal: string, wanted: Wanted): void {
  const rights = rightsOf(library.config, principal);
  if (rights === undefined)
    throw new Fault('input/invalid', {
      field: `--for ${principal}`,
      expected: `${library.config.identity.principal}, or somebody whom \`people\` names`,
    });
  for (const field of ['tenants', 'purposes', 'groups'] as const) {
    const foreign = wanted[field]?.find((each) => !rights[field].includes(each));
    if (foreign !== undefined) {
      const expected = `one that ${principal} holds here: ${rights[field].join(', ') || 'there is none'}`;
      throw new Fault('input/invalid', { field: `--only-${field.replace(/s$/, '')} ${foreign}`, expected });
    }
  }
}

function wireOf(row: TokenRow, atMs: number) {
  const { digest: _digest, revokedAt, scopes, tenants, purposes, groups, ...plain } = row;
  const status = revokedAt !== undefined ? ('revoked' as const) : isValid(row, atMs) ? ('valid' as const) : ('expired' as const);
  return {
    ...plain,
    scopes: [...scopes],
    ...(tenants === undefined ? {} : { tenants: [...tenants] }),
    ...(purposes === undefined ? {} : { purposes: [...purposes] }),
    ...(groups === undefined ? {} : { groups: [...groups] }),
    status,
  };
}
