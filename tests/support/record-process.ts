/**
 * Runs in another process, under a recorder of system calls: freezes packages and moves a source, closing the file now and then,
 * and says `ACK N` after each thing that was acknowledged.
 *
 *   FILE OPERATIONS [SYNCHRONOUS]    SYNCHRONOUS stands in for FULL, to prove that the recorder would notice
 */
import { writeSync } from 'node:fs';
import { Database } from '../../src/adapters/stores/sqlite/driver.js';
import { openRecords } from '../../src/adapters/stores/sqlite/records.js';
import type { Instant } from '../../src/kernel/clock.js';
import { sha256 } from '../../src/kernel/digest.js';
import { packageOf } from './durable-library.js';

const [file = '', operations = '0', synchronous = 'FULL'] = process.argv.slice(2);
const original = Database.prototype.exec;
Database.prototype.exec = function exec(sql) {
  original.call(this, sql.replace('synchronous = FULL', `synchronous = ${synchronous}`));
};

const PER_OPENING = 20;
let records = openRecords({ file });
for (let at = 1; at <= Number(operations); at++) {
  if (at % PER_OPENING === 0) {
    await records.close();
    records = openRecords({ file });
  }
  if (at % 5 === 0) {
    const source = { id: `source-${at}`, owner: 'role:docs', initialState: 'active' as const, freshnessSloMs: 1 };
    await records.registry.register({ ...source, registrationDigest: sha256(source.id) }, at as Instant);
  } else {
    await records.packages.store(packageOf(`operation ${at}`), { attempt: `attempt ${at}`, createdAt: at as Instant, annex: {} });
  }
  writeSync(1, `ACK ${at}\n`);
}
