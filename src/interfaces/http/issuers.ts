/**
 * Tokens of others: is this JWT one that a configured issuer signed for this server, for whom, and how far does it reach (T8.3)?
 *
 * Invariant: the issuer is chosen by what the configuration says of it; nothing in a token names a key, an address or an algorithm that
 * counts. A token made for two audiences, or bound to a key the sender would have to prove, is refused.
 * Invariant: every refusal is the same refusal.
 */
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose';
import type { Grant } from '../../app/access/grant.js';
import { isScope } from '../../app/access/scopes.js';
import type { IssuerConfig } from '../../app/configuration/serve-config.js';
import { sha256 } from '../../kernel/digest.js';
import { Fault } from '../../kernel/errors.js';

const SKEW_SECONDS = 30;
/** A key that an issuer has withdrawn is used no longer than this. */
const KEYS_MS = 300_000;
const KEYS_COOLDOWN_MS = 10_000;
const FETCH_MS = 5_000;
/** A token that was checked is not checked again for so long; its own end comes first. */
const REMEMBERED_MS = 30_000;
const MOST_REMEMBERED = 2_000;
const LONGEST_TOKEN = 8_192;
/** A token for a whole day and more is a password. */
const LONGEST_LIFE_SECONDS = 86_400;

/** Header fields by which a token would bring its own key. */
const OWN_KEYS = ['jku', 'jwk', 'x5u', 'x5c', 'x5t', 'x5t#S256'] as const;

type Keys = ReturnType<typeof createRemoteJWKSet>;

export class Issuers {
  private readonly issuers: ReadonlyMap<string, IssuerConfig & { readonly keys: Keys }>;
  private readonly resource: () => string;
  private readonly now: () => number;
  private readonly remembered = new Map<string, { readonly grant: Grant; readonly untilMs: number }>();

  constructor(issuers: readonly IssuerConfig[], resource: () => string, now: () => number) {
    const options = { cacheMaxAge: KEYS_MS, cooldownDuration: KEYS_COOLDOWN_MS, timeoutDuration: FETCH_MS };
    this.issuers = new Map(issuers.map((each) => [each.issuer, { ...each, keys: createRemoteJWKSet(new URL(each.jwks), options) }]));
    this.resource = resource;
    this.now = now;
  }

  /** Undefined for whatever is no valid token of a configured issuer. Faults when an issuer's keys cannot be had. */
  async grantOf(token: string): Promise<Grant | undefined> {
    if (token.length > LONGEST_TOKEN || this.issuers.size === 0) return undefined;
    const key = sha256(token);
    const known = this.remembered.get(key);
    if (known !== undefined && this.now() < known.untilMs) return known.grant;
    this.remembered.delete(key);
    const verified = await this.verified(token);
    if (verified === undefined) return undefined;
    const grant = grantIn(verified.payload, verified.issuer);
    if (grant === undefined) return undefined;
    if (this.remembered.size >= MOST_REMEMBERED) this.remembered.delete(this.remembered.keys().next().value ?? '');
    const endsMs = (verified.payload.exp ?? 0) * 1_000;
    this.remembered.set(key, { grant, untilMs: Math.min(this.now() + REMEMBERED_MS, endsMs) });
    return grant;
  }

  private async verified(token: string): Promise<{ readonly payload: JWTPayload; readonly issuer: IssuerConfig } | undefined> {
    try {
      const header = decodeProtectedHeader(token);
      const issuer = this.issuers.get(decodeJwt(token).iss ?? '');
      if (issuer === undefined || OWN_KEYS.some((field) => field in header)) return undefined;
      const { payload } = await jwtVerify(token, issuer.keys, {
        issuer: issuer.issuer,
        audience: issuer.audience ?? this.resource(),
        algorithms: [...issuer.algorithms],
        requiredClaims: ['exp', 'sub', 'aud', 'iss'],
        clockTolerance: SKEW_SECONDS,
        currentDate: new Date(this.now()),
      });
      return isForUs(payload, this.now() / 1_000) ? { payload, issuer } : undefined;
    } catch (error) {
      if (isUnreachable(error))
        throw new Fault('store/unavailable', { file: 'The keys of the issuer', reason: 'they could not be fetched' }, { cause: error });
      if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
}

/** The parts that the library leaves to us. */
function isForUs(payload: JWTPayload, nowSeconds: number): boolean {
  const { aud, exp = 0, nbf, iat, cnf } = payload;
  if (typeof aud !== 'string' || cnf !== undefined) return false;
  if (iat !== undefined && (typeof iat !== 'number' || iat > nowSeconds + SKEW_SECONDS)) return false;
  return exp - (iat ?? nbf ?? nowSeconds) <= LONGEST_LIFE_SECONDS;
}

function isUnreachable(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout) return true;
  // What the endpoint answered was no set of keys, or nothing was there to answer.
  if (error instanceof errors.JWKSInvalid) return true;
  if (error instanceof errors.JOSEError) return error.code === 'ERR_JOSE_GENERIC';
  return error instanceof TypeError && error.message === 'fetch failed';
}

function grantIn(payload: JWTPayload, { subjects, prefix, tenants, client }: IssuerConfig): Grant | undefined {
  const { sub, scope, scp, client_id: clientId, azp } = payload as JWTPayload & Readonly<Record<string, unknown>>;
  if (typeof sub !== 'string' || sub === '') return undefined;
  const isMapped = Object.hasOwn(subjects, sub);
  const principal = isMapped ? subjects[sub] : `${prefix}${sub}`;
  if (principal === undefined) return undefined;
  const said = [clientId, azp].find((each) => typeof each === 'string' && /^[\w.:/@-]{1,100}$/.test(each));
  const scopes = (typeof scope === 'string' ? scope.split(' ') : Array.isArray(scp) ? scp : []).filter(
    (each): each is string => typeof each === 'string',
  );
  return {
    principal,
    ...(isMapped ? {} : { onlyListed: true as const }),
    workload: `workload://oauth/${typeof said === 'string' ? said : 'unnamed'}`,
    client,
    scopes: new Set(scopes.filter(isScope)),
    limits: tenants === undefined ? {} : { tenants },
  };
}
