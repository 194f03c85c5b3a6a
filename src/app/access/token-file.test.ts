/** Tokens of a library: what is let in, what is not, and what stands on the disk. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Fault } from '../../kernel/errors.js';
import { type KeyFor, localKey } from './local-key.js';
import { addToken, revokeToken, Tokens } from './token-file.js';

const key: KeyFor = (use) => Buffer.from(use.padEnd(32, '.'));
const NOW = Date.UTC(2026, 10, 30);
const DAY = 86_400_000;
const row = (more: object = {}) => ({
  note: '',
  principal: 'person:ana',
  workload: 'workload://api/test',
  client: 'unnamed',
  scopes: ['colophon:read' as const],
  createdAt: new Date(NOW).toISOString(),
  expiresAt: new Date(NOW + 30 * DAY).toISOString(),
  ...more,
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'colophon-tokens-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('lets in who has the whole token, until it ends or is revoked, in a server that runs already', async () => {
  const tokens = new Tokens(folder, key);
  expect(tokens.hasValid(NOW)).toBe(false);
  const { token, row: made } = await addToken(folder, row({ tenants: ['north'] }), key);
  expect(tokens.grantOf(token, NOW)).toEqual({
    principal: 'person:ana',
    workload: 'workload://api/test',
    client: 'unnamed',
    scopes: new Set(['colophon:read']),
    limits: { tenants: ['north'] },
  });
  expect(tokens.grantOf(token, NOW + 30 * DAY)).toBeUndefined();
  expect(tokens.grantOf(token, NOW - DAY)).toBeUndefined();
  await revokeToken(folder, made.id, new Date(NOW).toISOString());
  expect(tokens.grantOf(token, NOW)).toBeUndefined();
  expect(tokens.hasValid(NOW)).toBe(false);
});

it('refuses every text that differs from a token in one character, and every part of one', async () => {
  const tokens = new Tokens(folder, key);
  const { token } = await addToken(folder, row(), key);
  const { token: other } = await addToken(folder, row(), key);
  const bad = [`${token} `, ` ${token}`, token.toUpperCase(), other.slice(0, 17) + token.slice(17), '', 'cph_', `${token}=`];
  for (let at = 0; at < token.length; at += 1) {
    bad.push(token.slice(0, at));
    bad.push(`${token.slice(0, at)}${token[at] === 'a' ? 'b' : 'a'}${token.slice(at + 1)}`);
  }
  // The last of 43 characters carries four bits: what they do not say must not be said either.
  const let_in = bad.filter((text) => text !== token && tokens.grantOf(text, NOW) !== undefined);
  expect(let_in).toEqual([]);
});

it('keeps no secret on the disk, and a file that others may read is not used', async () => {
  const { token } = await addToken(folder, row(), key);
  const file = join(folder, 'tokens.json');
  expect(readFileSync(file, 'utf8')).not.toContain(token.slice(17));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  chmodSync(file, 0o644);
  expect(() => new Tokens(folder, key).grantOf(token, NOW)).toThrow(Fault);
});

it('grants nothing by a file that was made with another key, such as one that came with a checkout', async () => {
  const { token } = await addToken(folder, row(), (use) => Buffer.from(use.padEnd(32, '!')));
  expect(new Tokens(folder, key).grantOf(token, NOW)).toBeUndefined();
});

it('says so when the file is no list of tokens, and lets nobody in', async () => {
  const { token } = await addToken(folder, row(), key);
  writeFileSync(join(folder, 'tokens.json'), '{"schema":"colophon/tokens@1","tokens":[{"id":"x"}]}');
  expect(() => new Tokens(folder, key).grantOf(token, NOW)).toThrow(/not a list of tokens/);
});

it('the key is made once, for its owner alone, and differs for each use', () => {
  const env = { COLOPHON_HOME: join(folder, 'home') };
  const first = localKey(env);
  expect(localKey(env)('a').equals(first('a'))).toBe(true);
  expect(first('a').equals(first('b'))).toBe(false);
  const file = join(folder, 'home', 'local.key');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  chmodSync(file, 0o640);
  expect(() => localKey(env)).toThrow(/no secret/);
});
