/**
 * The single writer's lease: who may change index.db now.
 *
 * A lease ends when it is given back, when its holder failed to and is done, when the holder's process is gone from this machine,
 * or when it was not renewed for LEASE_MS. Each taking raises the fencing token; every write checks it in its own transaction.
 *
 * Invariant: a writer whose lease was taken over changes nothing any more. A killed process leaves nothing locked.
 */
import { hostname } from 'node:os';
import type { Clock } from '../../../kernel/clock.js';
import { Fault } from '../../../kernel/errors.js';
import { asNumber, asText, type Database } from './driver.js';

const LEASE_MS = 120_000;

export interface Lease {
  readonly token: number;
}

/** Leases this thread is done with, though a full or failing disk did not let it write so: file and token. */
const abandoned = new Set<string>();

/** After a failure: the writer is gone, whatever the file says. */
export function abandonLease(db: Database, { token }: Lease): void {
  abandoned.add(`${db.file} ${token}`);
}

/** Takes the lease or refuses with `index/busy`. Inside the caller's transaction. */
export function takeLease(db: Database, clock: Clock, holder: string): Lease {
  const row = db.get('SELECT token, holder, host, pid, expires_at FROM lease WHERE one = 1');
  const isAbandoned = abandoned.has(`${db.file} ${asNumber(row?.['token'])}`);
  if (
    row !== undefined &&
    !isAbandoned &&
    isHeld(row['holder'], asText(row['host']), asNumber(row['pid']), asNumber(row['expires_at']), clock)
  ) {
    throw new Fault('index/busy', { holder: `${asText(row['holder'])}, process ${asNumber(row['pid'])}` });
  }
  const token = asNumber(row?.['token']) + 1;
  db.run(
    'UPDATE lease SET token = ?, holder = ?, host = ?, pid = ?, expires_at = ? WHERE one = 1',
    token,
    holder,
    hostname(),
    process.pid,
    clock.now() + LEASE_MS,
  );
  return { token };
}

/** Refuses when the lease is no longer ours; renews it otherwise. Inside the caller's transaction. */
export function holdLease(db: Database, clock: Clock, lease: Lease): void {
  checkLease(db, lease);
  db.run('UPDATE lease SET expires_at = ? WHERE one = 1', clock.now() + LEASE_MS);
}

/** The token of whoever took the lease last. */
export function lastToken(db: Database): number {
  return asNumber(db.get('SELECT token FROM lease WHERE one = 1')?.['token']);
}

/** Refuses when somebody took the lease since that token. */
export function checkUntaken(db: Database, token: number): void {
  if (lastToken(db) !== token) throw new Fault('index/busy', { holder: 'another process, which changed the index meanwhile' });
}

export function checkLease(db: Database, lease: Lease): void {
  const row = db.get('SELECT token, holder FROM lease WHERE one = 1');
  if (asNumber(row?.['token']) === lease.token && row?.['holder'] !== null) return;
  throw new Fault('index/busy', { holder: asText(row?.['holder']) || 'it took over from this one' });
}

export function giveBackLease(db: Database, lease: Lease): void {
  db.run('UPDATE lease SET holder = NULL, host = NULL, pid = NULL, expires_at = NULL WHERE one = 1 AND token = ?', lease.token);
}

function isHeld(holder: unknown, host: string, pid: number, expiresAt: number, clock: Clock): boolean {
  if (typeof holder !== 'string' || expiresAt <= clock.now()) return false;
  return host !== hostname() || isRunning(pid);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as someone else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
