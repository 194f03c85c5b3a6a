/**
 * The package ledger: every context package as canonical JSON under its digest, with the attempts it was bound to.
 *
 * Invariant: a package is stored once and never changed; what does not match its digest is `package/altered`, never returned.
 */
import type { ContextPackage, PackageBody } from '../../../domain/context-package.js';
import type { Instant } from '../../../kernel/clock.js';
import { canonicalJson, type Digest, sha256 } from '../../../kernel/digest.js';
import { Fault } from '../../../kernel/errors.js';
import type { PackageBinding, PackageEntry, PackageLedger } from '../../../ports/records.js';
import { asNumber, asText, type Database } from './driver.js';

const DIGEST_PREFIX = /^[0-9a-f]{6,64}$/;

export class SqlitePackageLedger implements PackageLedger {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async store(entry: ContextPackage, binding: PackageBinding): Promise<void> {
    const body = canonicalJson(entry.body);
    if (sha256(body) !== entry.digest) throw new Fault('package/altered', { digest: entry.digest });
    this.#db.transaction(() => {
      this.#db.run('INSERT OR IGNORE INTO package (digest, body) VALUES (?, ?)', entry.digest, body);
      this.#db.run(
        'INSERT INTO binding (digest, attempt, created_at, annex) VALUES (?, ?, ?, ?)',
        entry.digest,
        binding.attempt,
        binding.createdAt,
        JSON.stringify(binding.annex),
      );
    });
  }

  async get(digest: Digest): Promise<{ readonly entry: ContextPackage; readonly bindings: readonly PackageBinding[] } | undefined> {
    const row = this.#db.get('SELECT body FROM package WHERE digest = ?', digest);
    if (row === undefined) return undefined;
    const body = bodyOf(digest, asText(row['body']));
    const bindings = this.#db.all('SELECT attempt, created_at, annex FROM binding WHERE digest = ? ORDER BY seq', digest).map((each) => ({
      attempt: asText(each['attempt']),
      createdAt: asNumber(each['created_at']) as Instant,
      annex: JSON.parse(asText(each['annex'])) as Record<string, string>,
    }));
    return { entry: { digest, body }, bindings };
  }

  async entries({ limit, prefix, before }: Parameters<PackageLedger['entries']>[0]): Promise<readonly PackageEntry[]> {
    if (prefix !== undefined && !DIGEST_PREFIX.test(prefix)) return [];
    const rows = this.#db.all(
      `SELECT seq, digest, created_at FROM binding AS b
       WHERE seq = (SELECT max(seq) FROM binding AS later WHERE later.digest = b.digest)
         AND seq < ? AND digest >= ? AND digest < ?
       ORDER BY seq DESC LIMIT ?`,
      before ?? Number.MAX_SAFE_INTEGER,
      prefix ?? '',
      `${prefix ?? ''}g`,
      limit,
    );
    return rows.map((row) => ({
      seq: asNumber(row['seq']),
      digest: asText(row['digest']) as Digest,
      createdAt: asNumber(row['created_at']) as Instant,
    }));
  }
}

function bodyOf(digest: Digest, text: string): PackageBody {
  if (sha256(text) !== digest) throw new Fault('package/altered', { digest });
  return JSON.parse(text) as PackageBody;
}
