/** Appends to an audit log as one of several processes: `node … FOLDER NAME COUNT`. */
import { AuditLog } from '../../src/app/audit/audit-log.js';

const [folder = '', name = '', count = '0'] = process.argv.slice(2);
const key = (use: string) => Buffer.from(use.padEnd(32, '.'));
const log = new AuditLog({ stateFolder: folder, auditFileBytes: 20_000, flushMs: 0, key });
const who = { principal: name, workload: 'workload://api/test', tenant: 't', purpose: 'p', policy: '' };
for (let at = 0; at < Number(count); at += 1) log.add({ ...who, surface: 'http', verb: `${at}`, outcome: 'allowed' });
