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

/** Whether the digest need not be worked out, which reads what no question reads. */
export function isDigestKept(db: Database): boolean {
  return storedDigest(db) !== undefined;
}

function storedDigest(db: Database): Digest | undefined {
  const row = db.get('SELECT digest FROM manifest WHERE one = 1 AND digest_generation = generation');
  return row === undefined ? undefined : (asText(row['digest']) as Digest);
}

const LINES_AT_ONCE = 8192;

/** SHA-256 over lines `artifact id, text digest, compartment key`, sorted by artifact id. SQLite writes the lines: it is the quickest. */
function contentDigest(db: Database): Digest {
  const hash = createHash('sha256');
  let after: Uint8Array = new Uint8Array(0);
  for (;;) {
    const part = db.get(
      `SELECT count(*) AS lines, max(id) AS last, group_concat('ka_' || lower(hex(id)) || ' ' || lower(hex(digest)) || ' ' || key, char(10)) AS text
       FROM (SELECT a.id AS id, a.digest AS digest, c.key AS key FROM artifact AS a JOIN compartment AS c ON c.row = a.compartment
             WHERE a.id > ? ORDER BY a.id LIMIT ${LINES_AT_ONCE})`,
      after,
    );
    const lines = asNumber(part?.['lines']);
    if (lines > 0) hash.update(`${asText(part?.['text'])}\n`);
    if (lines < LINES_AT_ONCE) return hash.digest('hex') as Digest;
    after = asBytes(part?.['last']);
  }
}
