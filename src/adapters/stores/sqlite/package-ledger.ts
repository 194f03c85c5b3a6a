/**
 * The package ledger: every context package as canonical JSON under its digest, with the attempts it was bound to.
 *
 * Invariant: a package is stored once and never changed; what does not match its digest is `package/altered`, never returned.
 */
import type { ContextPackage, PackageBody } from '../../../domain/context-package.js';
import type { Instant } from '../../../kernel/clock.js';
import { canonicalJson, type Digest, sha256 } from '../../../kernel/digest.js';
import { Fault } from '../../../kernel/errors.js';
import type { PackageBinding, PackageLedger } from '../../../ports/records.js';
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

  async find(name: string): Promise<Digest | undefined> {
    if (name === 'last') {
      const row = this.#db.get('SELECT digest FROM binding ORDER BY seq DESC LIMIT 1');
      return row === undefined ? undefined : (asText(row['digest']) as Digest);
    }
    if (!DIGEST_PREFIX.test(name)) return undefined;
    const rows = this.#db.all('SELECT digest FROM package WHERE digest >= ? AND digest < ? LIMIT 2', name, `${name}g`);
    const [only, another] = rows.map((row) => asText(row['digest']) as Digest);
    return another === undefined ? only : undefined;
  }

  async list(
    limit: number,
  ): Promise<readonly { readonly digest: Digest; readonly createdAt: Instant; readonly text: string; readonly status: string }[]> {
    const rows = this.#db.all(
      `SELECT b.digest AS digest, b.created_at AS created_at, p.body AS body FROM binding AS b
       JOIN package AS p ON p.digest = b.digest
       WHERE b.seq = (SELECT max(seq) FROM binding AS later WHERE later.digest = b.digest)
       ORDER BY b.seq DESC LIMIT ?`,
      limit,
    );
    return rows.map((row) => {
      const digest = asText(row['digest']) as Digest;
      const body = bodyOf(digest, asText(row['body']));
      return { digest, createdAt: asNumber(row['created_at']) as Instant, text: body.request.text, status: body.status };
    });
  }
}

function bodyOf(digest: Digest, text: string): PackageBody {
  if (sha256(text) !== digest) throw new Fault('package/altered', { digest });
  return JSON.parse(text) as PackageBody;
}
