/**
 * The package ledger: every context package as canonical JSON under its digest, with the attempts it was bound to.
 *
 * Invariant: a package is stored once and never changed; what does not match its digest is `package/altered`, never returned.
 * Invariant: `store` is done when it is on the disk; what came together goes there together.
 * Invariant: a package or a binding that the disk lost is `store/corrupt`, never taken for one that never was.
 */
import type { ContextPackage, PackageBody } from '../../../domain/context-package.js';
import type { Instant } from '../../../kernel/clock.js';
import { canonicalJson, type Digest, sha256 } from '../../../kernel/digest.js';
import { Fault } from '../../../kernel/errors.js';
import type { PackageBinding, PackageEntry, PackageLedger } from '../../../ports/records.js';
import { asNumber, asText, type Database, type Row } from './driver.js';
import {
  allHaveIds,
  attemptKey,
  attemptsOwned,
  bindingAt,
  bindingsBefore,
  bindingsOwned,
  bindingsUnder,
  bindingsWithId,
  boundBeside,
  boundOfBinding,
  boundTo,
  lastBindings,
  PACKAGE_BUCKETS,
  packageKey,
  putBinding,
  putPackage,
} from './package-rows.js';
import { damagedRecords, readTally } from './tally.js';

const DIGEST_PREFIX = /^[0-9a-f]{6,64}$/;
const BINDINGS_AT_ONCE = 64;

interface Waiting {
  readonly digest: Digest;
  readonly body: string;
  readonly binding: PackageBinding;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class SqlitePackageLedger implements PackageLedger {
  readonly #db: Database;
  #waiting: Waiting[] = [];

  constructor(db: Database) {
    this.#db = db;
  }

  async store({ digest, body: given }: ContextPackage, binding: PackageBinding): Promise<void> {
    const body = canonicalJson(given);
    if (sha256(body) !== digest) throw new Fault('package/altered', { digest });
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ digest, body, binding, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#write());
    });
  }

  /** What came in one turn of the process is synced to the disk once. Whoever waits is told when it is there. */
  #write(): void {
    const together = this.#waiting;
    this.#waiting = [];
    try {
      this.#put(together);
      for (const { resolve } of together) resolve();
    } catch (error) {
      // Nothing of it is there. What is wrong with one of them is not told to the others.
      if (together.length === 1) together[0]?.reject(error);
      else for (const each of together) this.#writeAlone(each);
    }
  }

  #writeAlone(each: Waiting): void {
    try {
      this.#put([each]);
      each.resolve();
    } catch (error) {
      each.reject(error);
    }
  }

  #put(entries: readonly Waiting[]): void {
    this.#db.transaction(() => {
      for (const { digest, body, binding } of entries) {
        putPackage(this.#db, digest, body);
        const { attempt, createdAt, annex } = binding;
        putBinding(this.#db, { digest, attempt, created_at: createdAt, annex: JSON.stringify(annex) });
      }
    });
  }

  async get(
    digest: Digest,
    most?: number,
  ): Promise<{ readonly entry: ContextPackage; readonly bindings: readonly PackageBinding[] } | undefined> {
    return this.#db.reading(() => {
      const bound = boundTo(this.#db, packageKey(digest));
      if (bound === undefined) return undefined;
      const body = this.#bodyOf(digest);
      const rows = most === undefined ? bindingsUnder(this.#db, 'digest', digest, bound) : lastBindings(this.#db, digest, bound, most);
      return { entry: { digest, body }, bindings: rows.map(bindingOf) };
    });
  }

  async identified({ prefix, owner, limit }: Parameters<PackageLedger['identified']>[0]): ReturnType<PackageLedger['identified']> {
    return this.#db.reading(() => ({
      found: bindingsWithId(this.#db, prefix, owner, limit).map((row) => ({
        digest: asText(row['digest']) as Digest,
        binding: bindingOf(row),
      })),
      isComplete: allHaveIds(this.#db),
    }));
  }

  async bindingsOf(attempt: string, owner?: Digest): Promise<readonly { readonly digest: Digest; readonly binding: PackageBinding }[]> {
    return this.#db.reading(() => {
      const rows = owner === undefined ? this.#attemptRows(attempt) : attemptsOwned(this.#db, owner, attempt);
      return rows.map((row) => ({
        digest: asText(row['digest']) as Digest,
        binding: bindingOf(row),
      }));
    });
  }

  async entries({ limit, prefix, before, owner }: Parameters<PackageLedger['entries']>[0]): Promise<readonly PackageEntry[]> {
    if (prefix !== undefined && !DIGEST_PREFIX.test(prefix)) return [];
    return this.#db.reading(() => {
      if (owner !== undefined) return this.#owned(owner, prefix ?? '', limit, before ?? Number.MAX_SAFE_INTEGER);
      const end = Math.min(before ?? Number.MAX_SAFE_INTEGER, readTally(this.#db, 'binding').members + 1);
      return prefix === undefined ? this.#latest(limit, end) : this.#withPrefix(prefix, limit, end);
    });
  }

  #attemptRows(attempt: string): readonly Row[] {
    const bound = boundTo(this.#db, attemptKey(attempt));
    return bound === undefined ? [] : bindingsUnder(this.#db, 'attempt', attempt, bound);
  }

  #latest(limit: number, before: number): PackageEntry[] {
    const found: PackageEntry[] = [];
    for (let end = before; end > 1 && found.length < limit; end -= BINDINGS_AT_ONCE) {
      for (const row of bindingsBefore(this.#db, end, BINDINGS_AT_ONCE)) {
        if (boundOfBinding(this.#db, row).last === row['seq'] && found.length < limit) found.push(entryOf(row));
      }
    }
    return found;
  }

  #owned(owner: Digest, prefix: string, limit: number, before: number): PackageEntry[] {
    const found: PackageEntry[] = [];
    for (let end = before; found.length < limit; ) {
      const rows = bindingsOwned(this.#db, owner, end, BINDINGS_AT_ONCE);
      for (const row of rows) {
        const isLatest =
          found.length < limit && asText(row['digest']).startsWith(prefix) && boundOfBinding(this.#db, row).last === row['seq'];
        if (isLatest) found.push(entryOf(row));
      }
      if (rows.length < BINDINGS_AT_ONCE) break;
      end = asNumber(rows.at(-1)?.['seq']);
    }
    return found;
  }

  #withPrefix(prefix: string, limit: number, before: number): PackageEntry[] {
    return boundBeside(this.#db, packageKey(prefix))
      .filter(({ key, last }) => key.startsWith(packageKey(prefix)) && last < before)
      .sort((a, b) => b.last - a.last)
      .slice(0, limit)
      .map(({ last }) => entryOf(bindingAt(this.#db, last)));
  }

  /** Reads every package and binding, throwing at the first that is damaged. */
  verify(): void {
    this.#db.reading(() => {
      let bindings = 0;
      for (const bound of PACKAGE_BUCKETS.flatMap((bucket) => boundBeside(this.#db, bucket))) {
        const digest = bound.key.slice(1) as Digest;
        this.#bodyOf(digest);
        const rows = bindingsUnder(this.#db, 'digest', digest, bound);
        bindings += rows.length;
        for (const attempt of new Set(rows.map((row) => asText(row['attempt'])))) this.#requireAttempt(attempt);
      }
      if (bindings !== readTally(this.#db, 'binding').members) throw damagedRecords(this.#db, 'the list of bindings');
    });
  }

  #requireAttempt(attempt: string): void {
    const bound = boundTo(this.#db, attemptKey(attempt));
    if (bound === undefined) throw damagedRecords(this.#db, 'the list of attempts');
    bindingsUnder(this.#db, 'attempt', attempt, bound);
  }

  #bodyOf(digest: Digest): PackageBody {
    const body = asText(this.#db.get('SELECT body FROM package WHERE digest = ?', digest)?.['body']);
    if (sha256(body) !== digest) throw new Fault('package/altered', { digest });
    return JSON.parse(body) as PackageBody;
  }
}

function bindingOf(row: Row): PackageBinding {
  return {
    attempt: asText(row['attempt']),
    createdAt: asNumber(row['created_at']) as Instant,
    annex: JSON.parse(asText(row['annex'])) as Record<string, string>,
  };
}

function entryOf(row: Row): PackageEntry {
  return { seq: asNumber(row['seq']), digest: asText(row['digest']) as Digest, createdAt: asNumber(row['created_at']) as Instant };
}
