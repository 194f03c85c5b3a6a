/** Who may read the audit log and make tokens, and which days and times a look into the log may name. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.js';
import { Fault } from '../../kernel/errors.js';
import { AuditLog } from '../audit/audit-log.js';
import { resolveConfig } from '../configuration/config.js';
import { openContainer } from '../container.js';
import { type Narrowing, resolveAsk } from '../identity.js';
import type { Library } from '../library.js';
import { auditQuery, auditVerify } from './audit.js';
import type { Call } from './catalogue.js';
import { init } from './init.js';
import { tokenCreate, tokenList, tokenRevoke } from './token.js';

let folder: TemporaryFolder;
let library: Library;
beforeEach(async () => {
  folder = temporaryFolder();
  await init({ folder: folder.path, team: true, print: false, force: false });
  library = await openContainer(await resolveConfig({ env: {}, cwd: folder.path }));
});
afterEach(async () => {
  await library.close();
  folder.dispose();
});

function callAs(narrowing: Narrowing = {}, held = library): Call {
  const caller = { workload: 'workload://test', defaultClient: 'terminal' };
  const ask = resolveAsk(held.config, narrowing, caller, held.clock.now());
  return { library: held, ask, signal: new AbortController().signal, progress: () => undefined };
}
async function faultOf(work: Promise<unknown>) {
  try {
    await work;
  } catch (error) {
    if (error instanceof Fault) return { code: error.code, kind: error.kind, said: error.message, hint: error.hint };
    throw error;
  }
  return undefined;
}

describe('audit query', () => {
  it('takes days and times: a day from its first moment to its last', async () => {
    const times = ['2026-11-29T23:59:59.999Z', '2026-11-30T00:00:00.000Z', '2026-11-30T23:59:59.999Z', '2026-12-01T00:00:00.000Z'];
    for (const at of times) {
      const log = new AuditLog({ stateFolder: library.config.stateFolder, flushMs: 0, now: () => Date.parse(at) });
      const who = { principal: 'person:me', workload: 'workload://test', tenant: 'main', purpose: 'answer' };
      log.add({ ...who, surface: 'cli', verb: 'get', outcome: 'allowed', policy: '0' });
    }
    const found = async (given: object) =>
      (await auditQuery.run(auditQuery.input.parse(given), callAs())).lines.map(({ seq }) => seq).sort();
    expect(await found({ since: '2026-11-30' })).toEqual([2, 3, 4]);
    expect(await found({ until: '2026-11-30' })).toEqual([1, 2, 3]);
    expect(await found({ since: '2026-11-30', until: '2026-11-30' })).toEqual([2, 3]);
    expect(await found({ since: '2026-11-30T23:59:59.999Z' })).toEqual([3, 4]);
    expect(await found({ until: '2026-11-30T01:00:00+01:00' })).toEqual([1, 2]);
  });
});

describe('who may read the log and hand out tokens', () => {
  const each = (call: Call) => [
    tokenCreate.run(tokenCreate.input.parse({}), call),
    tokenList.run({}, call),
    tokenRevoke.run({ id: '0'.repeat(12) }, call),
    auditQuery.run(auditQuery.input.parse({}), call),
    auditVerify.run({}, call),
  ];

  it('without a policy that names anybody: the identity of the library, and nobody who asks as another', async () => {
    for (const work of each(callAs({ as: 'person:guest' })))
      expect(await faultOf(work)).toMatchObject({
        code: 'access/role-needed',
        kind: 'denied',
        said: expect.stringMatching(
          /^To (?:make a token|list tokens|revoke a token|read the audit log) is for the identity this library answers as/,
        ),
        hint: expect.stringContaining('roles.security'),
      });
    expect(await faultOf(auditVerify.run({}, callAs()))).toBeUndefined();
  });

  it('under one that does: whoever it names, and not the identity of the library', async () => {
    const policy = { roles: { security: ['person:guest'] } } as unknown as NonNullable<Library['config']['policy']>;
    const held = { ...library, config: { ...library.config, policy } };
    for (const work of each(callAs({}, held)))
      expect(await faultOf(work)).toMatchObject({
        code: 'access/role-needed',
        said: expect.stringMatching(/takes the role `security`, which you do not bear\.$/),
        hint: expect.stringMatching(/^The policy names who bears it, under `roles.security`/),
      });
    expect(await faultOf(auditVerify.run({}, callAs({ as: 'person:guest' }, held)))).toBeUndefined();
  });

  it('a token for nobody, or for more than the person holds, is a mistake of the command', async () => {
    const make = (given: object) => faultOf(tokenCreate.run(tokenCreate.input.parse(given), callAs()));
    expect(await make({ for: 'person:zed' })).toMatchObject({
      code: 'input/invalid',
      said: '--for person:zed must be person:me, or somebody whom `people` names.',
    });
    expect(await make({ for: 'person:guest', groups: ['leads'] })).toMatchObject({
      code: 'input/invalid',
      said: '--only-group leads must be one that person:guest holds here: staff.',
    });
  });
});
