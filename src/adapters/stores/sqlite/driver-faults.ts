/**
 * What an SQLite error means to people: one table from result code to fault.
 *
 * Invariant: SQLite's own words never reach a person; the original error stays attached as the cause.
 */
import { Fault } from '../../../kernel/errors.js';

const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IO_ERROR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANNOT_OPEN = 14;
const NOT_A_DATABASE = 26;
const PERMISSION = 3;
/** File may grow no further, no space left, quota used up. */
const NO_SPACE_ERRNOS: ReadonlySet<unknown> = new Set([27, 28, 122]);
/** Growing the shared memory file failed; that file is only ever grown. */
const SHARED_MEMORY_SIZE = 4874;
const MALFORMED = 'database disk image is malformed';
/** The rest of a result code says more about the same thing. */
const PRIMARY_CODE = 0xff;

interface SqliteError {
  readonly code?: unknown;
  readonly sqliteCode?: unknown;
  readonly sqliteExtendedCode?: unknown;
  readonly systemErrno?: unknown;
  readonly message?: unknown;
}

/** The fault to throw; anything that is not SQLite's is handed back as it is. */
export function faultFor(error: unknown, file: string): unknown {
  if (error instanceof Fault || !isSqliteError(error)) return error;
  const options = { cause: error };
  switch (typeof error.sqliteCode === 'number' ? error.sqliteCode & PRIMARY_CODE : undefined) {
    case FULL:
      return new Fault('store/full', { file }, options);
    case IO_ERROR:
      return NO_SPACE_ERRNOS.has(error.systemErrno) || error.sqliteExtendedCode === SHARED_MEMORY_SIZE
        ? new Fault('store/full', { file }, options)
        : new Fault('store/unavailable', { file, reason: 'the disk reported an error' }, options);
    case CORRUPT:
      return new Fault('store/corrupt', { file, reason: 'its pages do not fit together' }, options);
    case NOT_A_DATABASE:
      return new Fault('store/corrupt', { file, reason: 'it is not a Colophon store' }, options);
    case BUSY:
    case LOCKED:
      return new Fault('index/busy', { holder: 'a process that has the file locked' }, options);
    case READONLY:
    case PERMISSION:
      return new Fault('library/unwritable', { path: file, reason: 'the file is read-only' }, options);
    case CANNOT_OPEN:
      return new Fault('store/unavailable', { file, reason: 'the file or its folder cannot be opened' }, options);
    default:
      // The binding names no code for what it meets while it steps through rows.
      if (error.message === MALFORMED) return new Fault('store/corrupt', { file, reason: 'its pages do not fit together' }, options);
      // A missing table or column: the file carries our version number but not our tables.
      return new Fault('store/corrupt', { file, reason: 'it does not have the tables it should' }, options);
  }
}

function isSqliteError(error: unknown): error is SqliteError & Error {
  if (!(error instanceof Error)) return false;
  return (error as SqliteError).code === 'ERR_SQLITE_ERROR' || typeof (error as SqliteError).sqliteCode === 'number';
}
