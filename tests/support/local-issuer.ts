/** An issuer of tokens on this machine: keys of its own, an endpoint that gives them out, and every way a token can be wrong. */
import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { base64url, exportJWK, exportSPKI, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';

type Claims = { readonly [K in keyof JWTPayload]?: JWTPayload[K] | undefined };

export interface LocalIssuer {
  readonly issuer: string;
  readonly jwks: string;
  readonly fetched: () => number;
  /** What is undefined is left out. */
  sign(claims?: Claims, header?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Name of the fault → a token that has it. */
  mutations(): Promise<ReadonlyMap<string, string>>;
  close(): Promise<void>;
}

export async function localIssuer(audience: string): Promise<LocalIssuer> {
  const ours = await generateKeyPair('ES256', { extractable: true });
  const other = await generateKeyPair('Ed25519', { extractable: true });
  const foreign = await generateKeyPair('ES256', { extractable: true });
  const [jwk, otherJwk, foreignJwk] = await Promise.all([
    exportJWK(ours.publicKey),
    exportJWK(other.publicKey),
    exportJWK(foreign.publicKey),
  ]);
  const keys = {
    keys: [
      { ...jwk, kid: 'one', alg: 'ES256', use: 'sig' },
      { ...otherJwk, kid: 'other', alg: 'Ed25519', use: 'sig' },
    ],
  };
  let fetched = 0;
  const server: Server = createServer((_request, response) => {
    fetched += 1;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(keys));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = `${base}/realm`;
  const now = () => Math.floor(Date.now() / 1_000);
  const good = (): JWTPayload => ({
    iss: issuer,
    aud: audience,
    sub: 'reader',
    iat: now(),
    nbf: now(),
    exp: now() + 600,
    scope: 'openid colophon:read',
    client_id: 'editor',
  });
  const signWith = (key: typeof ours.privateKey, claims: Claims, header: Readonly<Record<string, unknown>>) => {
    const defined = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
    return new SignJWT(defined)
      .setProtectedHeader({ alg: 'ES256', kid: 'one', ...header } as JWTHeaderParameters)
      .sign(key, { crit: { exp2: true } });
  };
  const sign: LocalIssuer['sign'] = (claims = {}, header = {}) => signWith(ours.privateKey, { ...good(), ...claims }, header);
  const raw = (header: object, claims: object, signature: string) =>
    [base64url.encode(JSON.stringify(header)), base64url.encode(JSON.stringify(claims)), signature].join('.');
  const keyedBy = (secret: string) => {
    const head = { alg: 'HS256', kid: 'one' };
    const signed = raw(head, good(), '').slice(0, -1);
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
  };

  async function mutations(): Promise<ReadonlyMap<string, string>> {
    const token = await sign();
    const [head = '', body = '', signature = ''] = token.split('.');
    const pem = await exportSPKI(ours.publicKey);
    const made: [string, string | Promise<string>][] = [
      ['no signature', `${head}.${body}.`],
      ['two parts', `${head}.${body}`],
      ['four parts', `${token}.x`],
      ['alg none', raw({ alg: 'none' }, good(), '')],
      ['alg None', raw({ alg: 'None', kid: 'one' }, good(), signature)],
      ['alg missing', raw({ kid: 'one' }, good(), signature)],
      ['HMAC by the public key', keyedBy(pem)],
      ['HMAC by the key as JSON', keyedBy(JSON.stringify(jwk))],
      ['HMAC by nothing', keyedBy('')],
      ['signature cut', `${head}.${body}.${signature.slice(0, -4)}`],
      ['signature of another', `${head}.${body}.${(await sign({ sub: 'other' })).split('.')[2]}`],
      ['claims exchanged', `${head}.${base64url.encode(JSON.stringify({ ...good(), sub: 'board' }))}.${signature}`],
      ['another key under our name', signWith(foreign.privateKey, good(), {})],
      ['another key under its own name', signWith(foreign.privateKey, good(), { kid: 'two' })],
      ['a key in the header', signWith(foreign.privateKey, good(), { jwk: foreignJwk })],
      ['an address of keys in the header', signWith(foreign.privateKey, good(), { jku: `${base}/evil` })],
      ['our key and an address of keys', sign({}, { jku: `${base}/jwks` })],
      ['a certificate in the header', sign({}, { x5c: ['AAAA'] })],
      ['an address of a certificate', sign({}, { x5u: `${base}/cert` })],
      ['kid as a path', signWith(foreign.privateKey, good(), { kid: '../../../../dev/null' })],
      ['kid as a question', signWith(foreign.privateKey, good(), { kid: "one' OR '1'='1" })],
      ['kid of another algorithm', sign({}, { kid: 'other' })],
      ['an unknown extension is critical', sign({}, { crit: ['exp2'], exp2: 1 })],
      ['another issuer', sign({ iss: 'https://issuer.example' })],
      ['the issuer with a slash', sign({ iss: `${issuer}/` })],
      ['the issuer in capitals', sign({ iss: issuer.toUpperCase() })],
      ['no issuer', sign({ iss: undefined })],
      ['another audience', sign({ aud: 'https://another.example' })],
      ['the audience with a slash', sign({ aud: `${audience}/` })],
      ['the audience in capitals', sign({ aud: audience.toUpperCase() })],
      ['a longer audience', sign({ aud: `${audience}/admin` })],
      ['two audiences', sign({ aud: [audience, 'https://another.example'] })],
      ['no audience', sign({ aud: undefined })],
      ['expired', sign({ exp: now() - 120 })],
      ['no expiry', sign({ exp: undefined })],
      ['expiry as text', sign({ exp: String(now() + 600) as unknown as number })],
      ['not yet', sign({ nbf: now() + 3_600 })],
      ['issued in the future', sign({ iat: now() + 3_600 })],
      ['for ten years', sign({ exp: now() + 315_360_000 })],
      ['bound to a key it does not show', sign({ cnf: { jkt: 'a'.repeat(43) } })],
      ['no subject', sign({ sub: undefined })],
      ['an empty subject', sign({ sub: '' })],
      ['encrypted, not signed', [base64url.encode('{"alg":"dir","enc":"A256GCM"}'), '', 'x', 'x', 'x'].join('.')],
      ['longer than any', `${head}.${base64url.encode('x'.repeat(20_000))}.${signature}`],
      ['no token at all', 'undefined'],
    ];
    return new Map(await Promise.all(made.map(async ([name, text]) => [name, await text] as const)));
  }

  return {
    issuer,
    jwks: `${base}/jwks`,
    fetched: () => fetched,
    sign,
    mutations,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
