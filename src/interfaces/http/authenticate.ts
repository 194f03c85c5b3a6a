/**
 * Whose request is it? From the `Authorization` header alone, never from the address, the body or another header.
 *
 * Invariant: no token, a wrong one, an expired one and one of another server are the same refusal: 401.
 */
import type { Grant } from '../../app/access/grant.js';
import { SCOPES } from '../../app/access/scopes.js';
import { Fault } from '../../kernel/errors.js';

export type Authenticator = (headers: Headers) => Promise<Grant>;

export interface AuthenticatorNeeds {
  readonly tokens: { grantOf(text: string, nowMs: number): Grant | undefined };
  readonly issuers: { grantOf(text: string): Promise<Grant | undefined> };
  readonly anonymous: boolean;
  readonly now: () => number;
}

const BEARER = /^Bearer ([A-Za-z0-9._~+/-]+=*)$/i;

/** Whoever started the server with `--anonymous`: the launch identity, to read. */
const LAUNCH: Grant = {
  workload: 'workload://colophon/http',
  client: 'unnamed',
  scopes: new Set(SCOPES.filter((scope) => scope === 'colophon:read')),
  limits: {},
};

export function authenticator({ tokens, issuers, anonymous, now }: AuthenticatorNeeds): Authenticator {
  return async (headers) => {
    const sent = headers.get('authorization');
    if (sent === null) {
      if (anonymous) return LAUNCH;
      throw new Fault('access/unauthenticated', {});
    }
    const token = BEARER.exec(sent)?.[1];
    const grant = token === undefined ? undefined : (tokens.grantOf(token, now()) ?? (await issuers.grantOf(token)));
    if (grant === undefined) throw new Fault('access/unauthenticated', {});
    return grant;
  };
}
