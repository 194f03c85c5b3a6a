/**
 * An issuer of tokens for trying things out, on this machine alone: makes a key, gives its public half to whoever asks, prints a token
 * for each subject, and forgets everything when it ends. `node local-issuer.mjs SUBJECT…`
 *
 * In earnest this is the company's own identity provider; all that Colophon knows of it stands under `serve.issuers` in colophon.yaml.
 */
import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';

const PORT = 7349;
const ISSUER = `http://127.0.0.1:${PORT}`;
const AUDIENCE = 'http://127.0.0.1:7350';
const HOUR_SECONDS = 3_600;

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'today', alg: 'EdDSA', use: 'sig' }];

const encoded = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

function tokenFor(subject) {
  const now = Math.floor(Date.now() / 1_000);
  const claims = { iss: ISSUER, aud: AUDIENCE, sub: subject, iat: now, exp: now + HOUR_SECONDS, scope: 'colophon:read', client_id: 'trial' };
  const signed = `${encoded({ alg: 'EdDSA', kid: 'today', typ: 'at+jwt' })}.${encoded(claims)}`;
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
}

const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys }));
});
server.listen(PORT, '127.0.0.1', () => {
  for (const subject of process.argv.slice(2)) process.stdout.write(`${subject} ${tokenFor(subject)}\n`);
});
