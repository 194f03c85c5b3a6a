/**
 * The list of what was read from the stores while some work ran: every statement with what it was bound to, how many rows came
 * back and what they held.
 *
 * Taken where statements reach the driver, so nothing that is read through it can be missing.
 */
import { basename } from 'node:path';
import { type Cell, Database, type Row } from '../../src/adapters/stores/sqlite/driver.js';
import { sha256 } from '../../src/kernel/digest.js';

export interface StorageRead {
  readonly store: string;
  readonly sql: string;
  readonly values: readonly string[];
  readonly rows: number;
  /** Digest of the rows. */
  readonly content: string;
}

/** Methods of the driver that give no rows. Any other is watched, one that is added later too. */
const WRITING: ReadonlySet<string> = new Set(['constructor', 'run', 'exec', 'transaction', 'settle', 'close']);

/** `asked` is what the work was asked about: it is taken out of what statements were bound to, and nothing else is. */
export async function storageReads(asked: readonly string[], work: () => Promise<unknown>): Promise<readonly StorageRead[]> {
  const reads: StorageRead[] = [];
  const neutral = (text: string) => asked.reduce((left, each) => left.replaceAll(each, '<asked>'), text);
  const real = Object.getOwnPropertyDescriptors(Database.prototype) as Record<string, PropertyDescriptor>;
  for (const [name, { value: method }] of Object.entries(real)) {
    if (WRITING.has(name) || typeof method !== 'function') continue;
    const watched = function (this: Database, sql: unknown, ...values: Cell[]): unknown {
      const found: unknown = method.call(this, sql, ...values);
      // A method that runs some work comes back here with each statement of it.
      if (typeof sql !== 'string') return found;
      const rows = (Array.isArray(found) ? found : found === undefined ? [] : [found]) as Row[];
      reads.push({
        store: basename(this.file),
        sql: sql.replace(/\s+/g, ' '),
        values: values.map((value) => neutral(written(value))),
        rows: rows.length,
        content: sha256(neutral(JSON.stringify(rows.map((row) => Object.values(row).map(written))))),
      });
      return found;
    };
    Object.defineProperty(Database.prototype, name, { ...real[name], value: watched });
  }
  try {
    await work();
  } finally {
    Object.defineProperties(Database.prototype, real);
  }
  return reads;
}

function written(value: Cell | undefined): string {
  return value instanceof Uint8Array ? `bytes:${Buffer.from(value).toString('hex')}` : `${typeof value}:${value}`;
}
