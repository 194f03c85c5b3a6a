/**
 * A stored package is shown by today's rights: it is absent for whoever may not see a page it names now, whatever the operation.
 *
 * The libraries are made from files by the real path: connector, ingest, index, operations.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { answersForAll } from '../../src/app/answers-for-all.js';
import { resolveConfig } from '../../src/app/configuration/config.js';
import { openContainer } from '../../src/app/container.js';
import { type Narrowing, resolveAsk } from '../../src/app/identity.js';
import { learn } from '../../src/app/learning/learn.js';
import type { Library } from '../../src/app/library.js';
import type { Call, Operation } from '../../src/app/operations/catalogue.js';
import { type ContextAnswer, context } from '../../src/app/operations/context.js';
import { explain, why, whyNotPage } from '../../src/app/operations/explain.js';
import { packageExport, packageReplay } from '../../src/app/operations/package-export.js';
import { packageBind, packageList, packageShow } from '../../src/app/operations/package-ledger.js';
import { packageCheck, packageDiff, packageVerify } from '../../src/app/operations/package-verify.js';
import type { PackageBody } from '../../src/domain/context-package.js';
import type { Day, Instant } from '../../src/kernel/clock.js';
import { digestOf, sha256 } from '../../src/kernel/digest.js';
import { Fault } from '../../src/kernel/errors.js';
import { teamSource } from '../support/team-source.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const NOW = Date.UTC(2026, 10, 30, 12) as Instant;
const folder = temporaryFolder();
afterAll(() => folder.dispose());
const root = join(folder.path, 'library');

const CONFIG = (permissions: string) => `version: 1
profile: team
identity: { principal: person:ada, tenants: [north], purposes: [assist], groups: [staff, crew, owner:role:docs], ceiling: restricted }
permissions: { everyone: [${permissions}] }
sources:
${teamSource('docs', { classification: 'public', tenant_scope: '[north]', allowed_purposes: '[assist]' })}`;

/** Reads all that is public or internal, as one of the staff. */
const STAFF: Narrowing = { groups: ['staff'], ceiling: 'internal' };
const OPERATOR: Narrowing = { client: 'terminal' };

function lay(path: string, text: string): void {
  writeFileSync(join(root, 'docs', path), text);
}

async function opened<T>(body: (library: Library) => Promise<T>, permissions = 'staff'): Promise<T> {
  writeFileSync(join(root, 'colophon.yaml'), CONFIG(permissions));
  const library = await openContainer(await resolveConfig({ env: {}, cwd: root }), { now: () => NOW });
  try {
    await learn(library);
    return await body(library);
  } finally {
    await library.close();
  }
}

function callAs(library: Library, narrowing: Narrowing): Call {
  const ask = resolveAsk(library.config, narrowing, { workload: 'workload://colophon/cli', defaultClient: 'terminal' }, NOW);
  return { library, ask, signal: new AbortController().signal, progress: () => undefined };
}

async function told(operation: Operation, input: object, call: Call): Promise<Record<string, unknown>> {
  try {
    return JSON.parse(JSON.stringify(await operation.run(operation.input.parse(input), call)));
  } catch (error) {
    if (error instanceof Fault) return { code: error.code, message: error.message, hint: error.hint };
    throw error;
  }
}

async function compiled(call: Call, query = 'drain valve'): Promise<ContextAnswer> {
  return context.run(context.input.parse({ query }), call);
}

/** All that shows something of a stored package. */
async function everyShowing(call: Call, name: string): Promise<string[]> {
  const answers = [
    await told(packageShow, { name }, call),
    await told(packageVerify, { name }, call),
    await told(explain, { package: name }, call),
    await told(why, { package: name }, call),
    await told(whyNotPage, { package: name, page: 'valve.md' }, call),
    await told(packageDiff, { before: name, after: name }, call),
    await told(packageExport, { name }, call),
    await told(packageExport, { name, as: 'bill-of-materials' }, call),
    await told(packageReplay, { name }, call),
  ];
  // An operator is told why one of theirs may not be used any more; for all others it never was.
  if (!answersForAll(call)) answers.push(await told(packageCheck, { name }, call), await told(packageBind, { name }, call));
  return answers.map((each) => JSON.stringify(each).replaceAll(name, 'NAME'));
}

const ABSENT = 'a'.repeat(64);

/** The same bytes as for a package that never was; and neither the list nor `last` has it. */
async function expectAbsent(call: Call, digest: string): Promise<void> {
  expect(await everyShowing(call, digest)).toEqual(await everyShowing(call, ABSENT));
  expect(await told(packageShow, { name: digest.slice(0, 12) }, call)).toMatchObject({ code: 'not-found' });
  expect((await told(packageList, {}, call))['packages']).toEqual([]);
  expect(await told(packageShow, { name: 'last' }, call)).toMatchObject({ code: 'not-found' });
}

beforeEach(() => {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(join(root, 'docs'), { recursive: true });
  lay('valve.md', '# Drain valve\n\nOpen the drain valve before the winter.\n');
  lay('old.md', '---\nsuperseded_by: valve.md\n---\n\n# Old drain valve\n\nThe drain valve was left shut.\n');
});

describe('T1.1 a stored package, by the rights of today', () => {
  it('is shown as long as everything it names may be seen', async () => {
    await opened(async (library) => {
      const call = callAs(library, STAFF);
      const { digest, excluded } = await compiled(call);
      expect(excluded.map(({ path }) => path)).toEqual(['old.md']);
      expect(await told(packageShow, { name: digest.slice(0, 8) }, call)).toMatchObject({ digest, problems: [] });
      expect(await told(packageShow, {}, call)).toMatchObject({ digest });
      lay('valve.md', '# Drain valve\n\nOpen the drain valve before the autumn.\n');
      await learn(library);
      expect(await told(packageShow, { name: digest }, call)).toMatchObject({ digest, problems: [] });
    });
  });

  it.each([
    ['a page it quotes', 'valve.md', '---\nclassification: restricted\n---\n\n# Drain valve\n\nOpen the drain valve before the winter.\n'],
    [
      'a page it left out',
      'old.md',
      '---\nclassification: restricted\nsuperseded_by: valve.md\n---\n\n# Old\n\nThe drain valve was shut.\n',
    ],
  ])('is absent once %s was raised', async (_, path, text) => {
    await opened(async (library) => {
      const { digest } = await compiled(callAs(library, STAFF));
      lay(path, text);
      await learn(library);
      await expectAbsent(callAs(library, STAFF), digest);
      expect(await told(packageShow, { name: digest }, callAs(library, OPERATOR))).toMatchObject({ digest, problems: [] });
    });
  });

  it('is absent once a duplicate it names was raised', async () => {
    const text = '# Crane\n\nThe crane is greased every second week by the night shift of the harbour.\n';
    lay('crane.md', text);
    lay('crane-copy.md', text);
    await opened(async (library) => {
      const call = callAs(library, STAFF);
      const { digest, items } = await compiled(call, 'who greases the crane');
      const named = [items[0]?.path, ...(items[0]?.duplicates ?? []).map(({ path }) => path)].sort();
      expect(named).toEqual(['crane-copy.md', 'crane.md']);
      const copy = items[0]?.duplicates[0]?.path ?? '';
      lay(copy, `---\nclassification: restricted\n---\n\n${text}`);
      await learn(library);
      await expectAbsent(call, digest);
    });
  });

  it('is absent once the group lost its grant, also for an operator who has none', async () => {
    const digest = await opened(async (library) => (await compiled(callAs(library, STAFF))).digest);
    await opened(async (library) => {
      await expectAbsent(callAs(library, STAFF), digest);
      await expectAbsent(callAs(library, { groups: ['staff', 'owner:role:docs'] }), digest);
      expect(await told(packageShow, { name: digest }, callAs(library, OPERATOR))).toMatchObject({ digest });
    }, 'crew');
  });

  it('is absent while its source does not serve, for everyone', async () => {
    await opened(async (library) => {
      const { digest } = await compiled(callAs(library, STAFF));
      await library.records.registry.move('docs', 'suspend', { actor: 'person:ada', reason: 'a leak' }, NOW);
      for (const asker of [STAFF, OPERATOR]) await expectAbsent(callAs(library, asker), digest);
      const judged = await told(packageCheck, { name: digest }, callAs(library, OPERATOR));
      expect(judged).toMatchObject({ verdict: 'unusable', reasons: [{ code: 'source-not-serving', weight: 'blocks', source: 'docs' }] });
      expect(JSON.stringify(judged)).not.toContain('winter');
    });
  });

  it('of a page that is gone is shown to who answers for all sources, with a problem, and absent for others', async () => {
    await opened(async (library) => {
      const { digest } = await compiled(callAs(library, STAFF));
      rmSync(join(root, 'docs', 'valve.md'));
      await learn(library);
      await expectAbsent(callAs(library, STAFF), digest);
      const gone = [{ code: 'page/gone', source: 'docs', path: 'valve.md' }];
      for (const operation of [packageShow, packageVerify])
        expect(await told(operation, { name: digest }, callAs(library, OPERATOR))).toMatchObject({ digest, problems: gone });
      for (const operation of [explain, why])
        expect(await told(operation, { package: digest }, callAs(library, OPERATOR))).toMatchObject({ digest, problems: gone });
    });
  });

  it('counts what it left out in its classification', async () => {
    lay('old.md', '---\nclassification: internal\nsuperseded_by: valve.md\n---\n\n# Old\n\nThe drain valve was shut.\n');
    await opened(async (library) => {
      const { digest, items } = await compiled(callAs(library, STAFF));
      expect(items.map(({ path }) => path)).toEqual(['valve.md']);
      expect(await told(packageShow, { name: digest }, callAs(library, STAFF))).toMatchObject({ body: { classification: 'internal' } });
      await expectAbsent(callAs(library, { ...STAFF, ceiling: 'public' }), digest);
    });
  });

  it('tells commits and generations to operators only', async () => {
    await opened(async (library) => {
      const { digest } = await compiled(callAs(library, STAFF));
      const annexOf = async (asker: Narrowing) => {
        const shown = packageShow.output.parse(await told(packageShow, { name: digest }, callAs(library, asker)));
        return shown.bindings.map(({ annex }) => Object.keys(annex));
      };
      expect(await annexOf(STAFF)).toEqual([[]]);
      expect(await annexOf(OPERATOR)).toEqual([
        ['generation', 'schema', 'segmenter', 'embedder', 'permissions', 'model', 'registration:docs', 'state:docs', 'owner', 'id'],
      ]);
    });
  });
});

describe('what would tell of other pages', () => {
  it('a recording of rules and commits is exported by who answers for all sources, and by nobody else', async () => {
    await opened(async (library) => {
      const { digest } = await compiled(callAs(library, STAFF));
      const of = async (asker: Narrowing) => told(packageExport, { name: digest }, callAs(library, asker));
      expect(await of(OPERATOR)).toMatchObject({ replayable: true });
      const staff = await of(STAFF);
      expect(staff).toMatchObject({ replayable: false });
      expect(JSON.stringify(staff)).not.toMatch(/registration|generation|connectorIdentity/);
      expect(await told(packageReplay, { name: digest }, callAs(library, STAFF))).toMatchObject({ code: 'access/denied' });
    });
  });

  it('a list goes on by what it showed, and its token is the same whatever others had compiled in between', async () => {
    const tokenAfter = async (others: number) =>
      opened(async (library) => {
        const call = callAs(library, STAFF);
        await compiled(call, 'drain valve');
        for (let n = 0; n < others; n += 1) await compiled(callAs(library, OPERATOR), `drain valve ${n}`);
        await compiled(call, 'open valve');
        const first = packageList.output.parse(await told(packageList, { limit: 1 }, call));
        const rest = packageList.output.parse(await told(packageList, { limit: 1, next: first.next }, call));
        expect([first, rest].map(({ packages }) => packages.map(({ text }) => text))).toEqual([['open valve'], ['drain valve']]);
        expect(rest.next).toBeNull();
        expect(await told(packageList, { limit: 1, next: first.next, status: 'frozen' }, call)).toMatchObject({ code: 'input/invalid' });
        rmSync(join(root, '.colophon'), { recursive: true, force: true });
        return first.next;
      });
    expect(await tokenAfter(3)).toBe(await tokenAfter(0));
  });
});

describe('packages of others', () => {
  function bodyOf(text: string): PackageBody {
    return {
      format: 'colophon/package@1',
      status: 'no_context',
      reason: 'nothing fits',
      request: {
        text,
        profile: 'preamble',
        requester: 'person:eve',
        workload: 'workload://test',
        tenant: 'north',
        purpose: 'assist',
        groups: ['board'],
        ceiling: 'internal',
        client: 'terminal',
        locality: 'local',
        model: 'generic',
        scope: {},
        asOf: '2026-11-30' as Day,
      },
      versions: { compiler: 'c', analyzer: 'a', rankingPolicy: sha256('r'), contextPolicy: sha256('c'), manifest: sha256('m') },
      budget: { ceiling: 1500, used: 0, classes: {} },
      items: [],
      excluded: [],
      gaps: [],
      conflicts: [],
      taint: false,
      classification: 'public',
      expires: '2026-12-07' as Day,
    };
  }
  const binding = { attempt: 'a', createdAt: NOW, annex: {} };

  it('take no place in the list, and do not hide the last one, however many there are', async () => {
    await opened(async (library) => {
      const call = callAs(library, STAFF);
      const { digest } = await compiled(call);
      for (let n = 0; n < 230; n++) {
        const body = bodyOf(`question ${n}`);
        await library.records.packages.store({ digest: digestOf(body), body }, binding);
      }
      expect(await told(packageList, { limit: 1 }, call)).toMatchObject({ packages: [{ digest }] });
      expect(await told(packageShow, { name: 'last' }, call)).toMatchObject({ digest });
    });
  });

  it('do not make a prefix ambiguous', async () => {
    await opened(async (library) => {
      const call = callAs(library, STAFF);
      const { digest } = await compiled(call);
      const theirs = bodyOf('theirs');
      const entry = { digest: digestOf(theirs), body: theirs };
      await library.records.packages.store(entry, binding);
      const { entries } = library.records.packages;
      // A true collision of six digits takes millions of tries: the ledger is made to report one.
      const colliding: Library = {
        ...library,
        records: {
          ...library.records,
          packages: { ...library.records.packages, entries: ({ prefix, ...page }) => entries(prefix === undefined ? page : { ...page }) },
        },
      };
      expect(await told(packageShow, { name: digest.slice(0, 6) }, { ...call, library: colliding })).toMatchObject({ digest });
    });
  });
});
