/**
 * API tokens of one library: `tokens.json` in its state folder, each as a keyed digest with what it grants and until when.
 *
 * Not in records.db: a token is looked up for every request of a server, and who may come in must be told where the store is damaged.
 *
 * Invariant: the secret of a token is shown once, when it is made, and stands nowhere; its digest is under a key of this user, so that
 * a file that came from elsewhere grants nothing.
 * Invariant: written whole or not at all, for its owner alone; what is revoked stays listed.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { CLASSIFICATIONS } from '../../domain/classification.js';
import { Fault } from '../../kernel/errors.js';
import { withLock } from '../file-lock.js';
import { prepareStateFolder } from '../state-folder.js';
import type { Grant } from './grant.js';
import { type KeyFor, localKey } from './local-key.js';
import { readPrivateFile } from './private-file.js';
import { SCOPES } from './scopes.js';

export const TOKEN_FILE = 'tokens.json';
/** `cph_` and the id and the secret, so that scanners for leaked secrets can tell one, and people which it is. */
const TOKEN = /^cph_([0-9a-f]{12})_([A-Za-z0-9_-]{43})$/;

const list = z.array(z.string().min(1)).readonly();

const tokenRow = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{12}$/),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  note: z.string(),
  principal: z.string().min(1),
  /** Never one of this program's own: those are trusted with more. */
  workload: z.string().regex(/^workload:\/\/api\//),
  client: z.string().min(1),
  scopes: z.array(z.enum(SCOPES)).readonly(),
  tenants: list.optional(),
  purposes: list.optional(),
  groups: list.optional(),
  ceiling: z.enum(CLASSIFICATIONS).optional(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  revokedAt: z.iso.datetime().optional(),
});
export type TokenRow = z.output<typeof tokenRow>;
const tokenFile = z.strictObject({ schema: z.literal('colophon/tokens@1'), tokens: z.array(tokenRow) });

export function readTokens(stateFolder: string): readonly TokenRow[] {
  const file = join(stateFolder, TOKEN_FILE);
  const text = readPrivateFile(file)?.toString('utf8');
  if (text === undefined) return [];
  const parsed = tokenFile.safeParse(jsonOr(text));
  if (!parsed.success) throw new Fault('config/unreadable', { file, reason: 'it is not a list of tokens of this version' });
  return parsed.data.tokens;
}

/** The token itself, which nobody can be shown again. */
export async function addToken(
  stateFolder: string,
  row: Omit<TokenRow, 'id' | 'digest'>,
  keyFor: KeyFor = localKey(),
): Promise<{ readonly row: TokenRow; readonly token: string }> {
  const id = randomBytes(6).toString('hex');
  const secret = randomBytes(32).toString('base64url');
  const made = { id, digest: digestOf(secret, keyFor).toString('hex'), ...row };
  await write(stateFolder, (before) => [...before, made]);
  return { row: made, token: `cph_${id}_${secret}` };
}

export async function revokeToken(stateFolder: string, id: string, at: string): Promise<TokenRow> {
  let revoked: TokenRow | undefined;
  await write(stateFolder, (before) =>
    before.map((row) => {
      if (row.id !== id) return row;
      revoked = { ...row, revokedAt: row.revokedAt ?? at };
      return revoked;
    }),
  );
  if (revoked === undefined) throw new Fault('token/unknown', { id });
  return revoked;
}

/** The tokens of a library as a server asks for them: the file is read again as soon as it has changed. */
export class Tokens {
  private readonly file: string;
  private readonly stateFolder: string;
  private readonly keyFor: KeyFor;
  private rows: ReadonlyMap<string, TokenRow> = new Map();
  private stamp = '';

  constructor(stateFolder: string, keyFor: KeyFor = localKey()) {
    this.stateFolder = stateFolder;
    this.file = join(stateFolder, TOKEN_FILE);
    this.keyFor = keyFor;
  }

  /** Undefined for whatever is not the whole text of a token that is valid now. */
  grantOf(text: string, nowMs: number): Grant | undefined {
    const [, id = '', secret = ''] = TOKEN.exec(text) ?? [];
    if (id === '') return undefined;
    const row = this.current().get(id);
    // The digest is worked out for an unknown id too: how long it takes says nothing of which ids there are.
    const isIt = timingSafeEqual(digestOf(secret, this.keyFor), Buffer.from(row?.digest ?? '0'.repeat(64), 'hex'));
    return row !== undefined && isIt && isValid(row, nowMs) ? grantIn(row) : undefined;
  }

  hasValid(nowMs: number): boolean {
    return [...this.current().values()].some((row) => isValid(row, nowMs));
  }

  private current(): ReadonlyMap<string, TokenRow> {
    const entry = statSync(this.file, { throwIfNoEntry: false, bigint: true });
    const stamp = entry === undefined ? '' : `${entry.ino} ${entry.size} ${entry.mtimeNs} ${entry.ctimeNs}`;
    if (stamp !== this.stamp) {
      this.rows = new Map(readTokens(this.stateFolder).map((row) => [row.id, row]));
      this.stamp = stamp;
    }
    return this.rows;
  }
}

export function isValid({ createdAt, expiresAt, revokedAt }: TokenRow, nowMs: number): boolean {
  return revokedAt === undefined && Date.parse(createdAt) <= nowMs + SKEW_MS && nowMs < Date.parse(expiresAt);
}

/** A clock that was set back a little makes no token invalid. */
const SKEW_MS = 60_000;

function grantIn({ principal, workload, client, scopes, tenants, purposes, groups, ceiling }: TokenRow): Grant {
  return {
    principal,
    workload,
    client,
    scopes: new Set(scopes),
    limits: {
      ...(tenants === undefined ? {} : { tenants }),
      ...(purposes === undefined ? {} : { purposes }),
      ...(groups === undefined ? {} : { groups }),
      ...(ceiling === undefined ? {} : { ceiling }),
    },
  };
}

/** A secret of 256 random bits cannot be guessed however fast its digest is; the key makes the file useless without it. */
function digestOf(secret: string, keyFor: KeyFor): Buffer {
  return createHmac('sha256', keyFor('api token')).update(secret).digest();
}

async function write(stateFolder: string, change: (before: readonly TokenRow[]) => readonly TokenRow[]): Promise<void> {
  await prepareStateFolder(stateFolder);
  const file = join(stateFolder, TOKEN_FILE);
  withLock(`${file}.lock`, () => {
    const tokens = change(readTokens(stateFolder));
    writeForOwner(file, `${JSON.stringify({ schema: 'colophon/tokens@1', tokens }, null, 2)}\n`);
  });
}

function writeForOwner(file: string, text: string): void {
  const fresh = `${file}.${process.pid}.new`;
  try {
    const handle = openSync(fresh, 'wx', 0o600);
    try {
      writeFileSync(handle, text);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw new Fault('file/unwritable', { file, reason: codeOf(error) }, { cause: error });
  }
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
