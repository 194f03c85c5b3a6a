/**
 * The SQLite driver: the one file that knows which binding is underneath.
 *
 * Statements are prepared once per connection. Invariant: whatever SQLite throws leaves here as a Fault (driver-faults.ts).
 */
import { pathToFileURL } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';
import { faultFor } from './driver-faults.js';

type Connection = InstanceType<typeof DatabaseSync>;

export type Cell = string | number | Uint8Array | null;
export type Row = Readonly<Record<string, Cell>>;
type Statement = ReturnType<Connection['prepare']>;

export interface OpenOptions {
  readonly readOnly: boolean;
  /** How long to wait for another process before giving up. */
  readonly busyTimeoutMs: number;
  /** Nobody writes the file while it is open: it is read without locks and without its log. */
  readonly unchanging?: boolean;
}

export class Database {
  readonly file: string;
  readonly #connection: Connection;
  readonly #statements = new Map<string, Statement>();

  private constructor(file: string, connection: Connection) {
    this.file = file;
    this.#connection = connection;
  }

  static open(file: string, options: OpenOptions): Database {
    try {
      return new Database(
        file,
        new DatabaseSync(options.unchanging === true ? `${pathToFileURL(file).href}?immutable=1` : file, {
          readOnly: options.readOnly,
          timeout: options.busyTimeoutMs,
        }),
      );
    } catch (error) {
      throw faultFor(error, file);
    }
  }

  all(sql: string, ...values: readonly Cell[]): Row[] {
    return this.#guard(() => this.#statement(sql).all(...values) as Row[]);
  }

  get(sql: string, ...values: readonly Cell[]): Row | undefined {
    return this.#guard(() => this.#statement(sql).get(...values) as Row | undefined);
  }

  run(sql: string, ...values: readonly Cell[]): { readonly changes: number; readonly lastRow: number } {
    return this.#guard(() => {
      const done = this.#statement(sql).run(...values);
      return { changes: Number(done.changes), lastRow: Number(done.lastInsertRowid) };
    });
  }

  exec(sql: string): void {
    this.#guard(() => this.#connection.exec(sql));
  }

  /** Runs the work in a transaction that holds the write lock from the start; all of it happens, or none. */
  transaction<T>(work: () => T): T {
    this.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.exec('COMMIT');
      return result;
    } catch (error) {
      // A full disk ends the transaction by itself.
      if (this.#connection.isTransaction) this.exec('ROLLBACK');
      throw error;
    }
  }

  /** Runs the work on one state of the file, whatever others write meanwhile. */
  reading<T>(work: () => T): T {
    this.exec('BEGIN');
    try {
      return work();
    } finally {
      if (this.#connection.isTransaction) this.exec('COMMIT');
    }
  }

  /** Another text as soon as anything in the file is another, whoever wrote it; to look costs next to nothing. */
  mark(): string {
    const others = asNumber(this.get('PRAGMA data_version')?.['data_version']);
    return `${others} ${asNumber(this.get('SELECT total_changes() AS own')?.['own'])}`;
  }

  /**
   * Moves what was written from the log into the file, as far as readers allow without waiting. The binding keeps a closed
   * connection until its statements are collected, so SQLite itself would do this late or never. What it does then goes by the
   * file's path and inode: no disk may be mounted over the file's folder while a process lives that had it open.
   */
  settle(): void {
    this.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)');
  }

  close(): void {
    this.#statements.clear();
    if (this.#connection.isOpen) this.#guard(() => this.#connection.close());
  }

  #statement(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const fresh = this.#connection.prepare(sql);
    this.#statements.set(sql, fresh);
    return fresh;
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw faultFor(error, this.file);
    }
  }
}

export function asText(cell: Cell | undefined): string {
  return typeof cell === 'string' ? cell : '';
}

export function asNumber(cell: Cell | undefined): number {
  return typeof cell === 'number' ? cell : 0;
}

export function asBytes(cell: Cell | undefined): Uint8Array {
  return cell instanceof Uint8Array ? cell : new Uint8Array(0);
}
