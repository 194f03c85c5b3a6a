/** What the whole index holds, for operators; its content digest is worked out once per generation and kept by the writer. */

import { createHash } from 'node:crypto';
import type { IndexTotals } from '../../../domain/index-manifest.js';
import type { Digest } from '../../../kernel/digest.js';
import { asBytes, asNumber, asText, type Database } from './driver.js';

export function readTotals(db: Database): IndexTotals {
  const counts = db.get('SELECT coalesce(sum(pages), 0) AS pages, coalesce(sum(artifacts), 0) AS artifacts FROM compartment');
  return {
    documents: asNumber(counts?.['pages']),
    artifacts: asNumber(counts?.['artifacts']),
    contentDigest: storedDigest(db) ?? contentDigest(db),
  };
}

/** Keeps the digest for this generation, so that readers need not work it out. Inside the caller's transaction. */
export function keepContentDigest(db: Database): void {
  if (storedDigest(db) !== undefined) return;
  db.run('UPDATE manifest SET digest = ?, digest_generation = generation WHERE one = 1', contentDigest(db));
}

function storedDigest(db: Database): Digest | undefined {
  const row = db.get('SELECT digest FROM manifest WHERE one = 1 AND digest_generation = generation');
  return row === undefined ? undefined : (asText(row['digest']) as Digest);
}

/** SHA-256 over lines `artifact id, text digest, compartment key`, sorted by artifact id. */
function contentDigest(db: Database): Digest {
  const keys = new Map(db.all('SELECT row, key FROM compartment').map((row) => [asNumber(row['row']), asText(row['key'])]));
  const hash = createHash('sha256');
  let after: Uint8Array = new Uint8Array(0);
  for (;;) {
    const rows = db.all('SELECT id, digest, compartment FROM artifact WHERE id > ? ORDER BY id LIMIT 4096', after);
    for (const row of rows) {
      after = asBytes(row['id']);
      hash.update(`ka_${hex(after)} ${hex(asBytes(row['digest']))} ${keys.get(asNumber(row['compartment'])) ?? ''}\n`);
    }
    if (rows.length < 4096) return hash.digest('hex') as Digest;
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
