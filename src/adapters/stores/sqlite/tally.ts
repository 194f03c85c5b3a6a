/**
 * Seals and tallies: how records.db notices that the disk changed what it holds.
 *
 * Every row carries the digest of its values; a tally keeps the number and the summed seals of a set of rows, and is sealed too.
 * Invariant: a changed row does not match its seal, and one that went missing, came back or was doubled does not match its tally.
 */
import { addMember, EMPTY_SUM, removeMember } from '../../../engine/multiset-hash.js';
import { sha256 } from '../../../kernel/digest.js';
import { Fault } from '../../../kernel/errors.js';
import { asNumber, asText, type Cell, type Database } from './driver.js';

export const TALLY_TABLE = `
CREATE TABLE tally (name TEXT PRIMARY KEY, members INTEGER NOT NULL, sum TEXT NOT NULL, seal TEXT NOT NULL) WITHOUT ROWID;
`;

const SEAL = /^[0-9a-f]{64}$/;

export interface Tally {
  readonly members: number;
  readonly sum: string;
}

/** Of the values as SQLite gives them back: a lone surrogate is U+FFFD on both sides. */
export function sealOf(table: string, values: readonly (Cell | undefined)[]): string {
  return sha256([table, ...values.map(written)].join('\n'));
}

function written(value: Cell | undefined): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return `text ${value.length} ${value}`;
  return typeof value === 'number' ? `number ${value}` : `bytes ${Buffer.from(value).toString('hex')}`;
}

export function damagedRecords(db: Database, what: string): Fault {
  return new Fault('store/corrupt', { file: db.file, reason: `${what} does not match its seal` });
}

/** Begins an empty tally. */
export function beginTally(db: Database, name: string): void {
  putTally(db, name, { members: 0, sum: EMPTY_SUM });
}

export function readTally(db: Database, name: string): Tally {
  const row = db.get('SELECT members, sum, seal FROM tally WHERE name = ?', name);
  if (row === undefined || row['seal'] !== sealOf('tally', [name, row['members'], row['sum']]))
    throw damagedRecords(db, `the tally ${name}`);
  return { members: asNumber(row['members']), sum: asText(row['sum']) };
}

/** Takes in a new row, or one in place of another. Inside the caller's transaction; says how many there are now. */
export function countIn(db: Database, name: string, seal: string, before?: string): number {
  const held = readTally(db, name);
  const members = before === undefined ? held.members + 1 : held.members;
  const sum = before === undefined ? held.sum : removeMember(held.sum, before);
  putTally(db, name, { members, sum: addMember(sum, seal) });
  return members;
}

/** Refuses when these are not all the rows there ought to be. */
export function requireAll(db: Database, name: string, seals: readonly string[]): void {
  const { members, sum } = readTally(db, name);
  if (seals.length !== members || !seals.every((seal) => SEAL.test(seal)) || seals.reduce(addMember, EMPTY_SUM) !== sum)
    throw damagedRecords(db, `the list of ${name}`);
}

function putTally(db: Database, name: string, { members, sum }: Tally): void {
  db.run(
    'INSERT INTO tally (name, members, sum, seal) VALUES (?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET members = excluded.members, sum = excluded.sum, seal = excluded.seal',
    name,
    members,
    sum,
    sealOf('tally', [name, members, sum]),
  );
}
