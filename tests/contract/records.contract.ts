/** What every record store must do: registry moves are legal and recorded, packages are stored once and never change. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ContextPackage, PackageBody } from '../../src/domain/context-package.js';
import { SOURCE_LIFECYCLE, SOURCE_STATES, type SourceEvent } from '../../src/domain/source.js';
import type { Day, Instant } from '../../src/kernel/clock.js';
import { type Digest, digestOf, sha256 } from '../../src/kernel/digest.js';
import { Fault } from '../../src/kernel/errors.js';
import type { Records } from '../../src/ports/records.js';

export interface RecordsUnderTest {
  readonly records: Records;
  /** Closes and opens again, as another process would. */
  reopen(): Promise<Records>;
  /** Changes a stored package behind the store's back. */
  alter(digest: Digest): Promise<void>;
  dispose(): Promise<void>;
}

const at = (ms: number) => ms as Instant;
const source = {
  id: 'handbook',
  owner: 'role:docs',
  initialState: 'active' as const,
  freshnessSloMs: 86_400_000,
  registrationDigest: sha256('registration'),
};
const by = { actor: 'person:ada', reason: 'a leak' };

function packageOf(text: string): ContextPackage {
  const body: PackageBody = {
    format: 'colophon/package@1',
    status: 'no_context',
    reason: 'nothing fits',
    request: {
      text,
      profile: 'preamble',
      requester: 'person:ada',
      workload: 'workload://test',
      tenant: 'acme',
      purpose: 'assist',
      groups: ['staff'],
      ceiling: 'internal',
      client: 'test',
      locality: 'local',
      model: 'generic',
      scope: {},
      asOf: '2026-06-15' as Day,
    },
    versions: {
      compiler: 'compiler@1',
      analyzer: 'analyzer@1',
      rankingPolicy: sha256('r'),
      contextPolicy: sha256('c'),
      manifest: sha256('m'),
    },
    budget: { ceiling: 1500, used: 0, classes: {} },
    items: [],
    excluded: [],
    gaps: [],
    conflicts: [],
    taint: false,
    classification: 'public',
    expires: '2026-06-22' as Day,
  };
  return { digest: digestOf(body), body };
}

async function codeOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return 'none';
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}

export function recordsContract(name: string, open: () => Promise<RecordsUnderTest>): void {
  describe(`records: ${name}`, () => {
    let store: RecordsUnderTest;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.dispose());

    it('registers a source once; a change of its declared side keeps its state (SRC-02)', async () => {
      const { registry } = store.records;
      await registry.register(source, at(1));
      await registry.move('handbook', 'suspend', by, at(2));
      await registry.register({ ...source, owner: 'role:legal' }, at(3));
      expect(await registry.standings()).toEqual([{ id: 'handbook', state: 'suspended', owner: 'role:legal', freshnessSloMs: 86_400_000 }]);
    });

    it('confirms a source, and refuses one it does not know', async () => {
      const { registry } = store.records;
      await registry.register(source, at(1));
      await registry.confirm('handbook', at(5));
      expect((await registry.standings())[0]?.confirmedAt).toBe(5);
      expect(await codeOf(() => registry.confirm('unknown', at(5)))).toBe('source/unknown');
    });

    it('makes every legal move of the lifecycle and refuses every other, leaving the state alone', async () => {
      const { registry } = store.records;
      for (const state of SOURCE_STATES) {
        for (const [event, to] of Object.entries(SOURCE_LIFECYCLE[state])) {
          const id = `${state}-${event}`;
          await registry.register({ ...source, id, initialState: state }, at(1));
          const move = () => registry.move(id, event as SourceEvent, by, at(2));
          if (to === null) expect(await codeOf(move)).toBe('input/invalid');
          else expect(await move()).toBe(to);
          expect((await registry.standings()).find((each) => each.id === id)?.state).toBe(to ?? state);
        }
      }
      expect(await codeOf(() => registry.move('unknown', 'suspend', by, at(2)))).toBe('source/unknown');
    });

    it('SRC-16 keeps every declaration of a source, says what changed, and counts its versions', async () => {
      const { registry } = store.records;
      const declared = { authorityClass: 'reference', classification: 'internal' };
      const who = { actor: 'person:ada', reason: 'merged', workload: 'workload://test', policy: sha256('policy') };
      await registry.register({ ...source, declared }, at(1), who);
      await registry.register({ ...source, declared }, at(2), who);
      const later = { ...declared, authorityClass: 'governing' };
      await registry.register({ ...source, registrationDigest: sha256('later'), declared: later }, at(3), who);
      const reopened = await store.reopen();
      expect((await reopened.registry.registrations('handbook')).map((each) => [each.declared, each.at])).toEqual([
        [declared, 1],
        [later, 3],
      ]);
      expect(await reopened.registry.records()).toMatchObject([
        { version: 2, proposer: 'person:ada', registrationDigest: sha256('later'), registeredAt: 3 },
      ]);
      expect(await reopened.registry.history('handbook')).toMatchObject([
        { event: 'register', outcome: 'made', detail: { changed: [] } },
        { event: 'register', outcome: 'made', ...who, detail: { changed: ['authorityClass'] } },
      ]);
      expect(await reopened.registry.registrations('unknown')).toEqual([]);
    });

    it('SRC-11 judges an order and records what came of it in one step; the same order again does nothing', async () => {
      const { registry } = store.records;
      await registry.register(source, at(1));
      const order = { source: 'handbook', event: 'suspend', by, at: at(2), key: 'k1', expectedVersion: 1, terms: { note: 'x' } } as const;
      const yes = () => ({ made: true, to: 'suspended', detail: { row: 'SM-S7' } }) as const;
      const made = await registry.command(order, yes);
      expect(made).toMatchObject({
        seq: 1,
        outcome: 'made',
        from: 'active',
        to: 'suspended',
        key: 'k1',
        expectedVersion: 1,
        detail: { row: 'SM-S7' },
      });
      expect(await registry.command({ ...order, at: at(9) }, () => ({ made: false, detail: {} }))).toEqual(made);
      expect(await codeOf(() => registry.command({ ...order, terms: { note: 'y' } }, yes))).toBe('input/invalid');
      expect(await codeOf(() => registry.command({ ...order, source: 'unknown' }, yes))).toBe('source/unknown');
      const behind = await registry.command({ ...order, event: 'revoke', key: 'k2' }, yes);
      expect(behind).toMatchObject({
        outcome: 'refused',
        to: 'suspended',
        detail: { why: 'version', said: 'the source is at version 2, not 1' },
      });
      expect((await registry.history('handbook')).map(({ outcome }) => outcome)).toEqual(['made', 'refused']);
    });

    it('records a refusal and leaves the state; makes no move that the table has not, whatever the judge says', async () => {
      const { registry } = store.records;
      await registry.register(source, at(1));
      const order = { source: 'handbook', event: 'approve', by, at: at(2), terms: {} } as const;
      expect(await registry.command(order, () => ({ made: false, detail: { why: 'role' } }))).toMatchObject({
        outcome: 'refused',
        from: 'active',
        to: 'active',
      });
      await expect(registry.command(order, () => ({ made: true, to: 'approved', detail: {} }))).rejects.toThrow('no move approve');
      expect(await registry.records()).toMatchObject([{ state: 'active', version: 1 }]);
      expect(await registry.history('handbook')).toHaveLength(1);
    });

    it('remembers until when a retiring source answers, and forgets it when it is kept', async () => {
      const { registry } = store.records;
      await registry.register(source, at(1));
      const order = { source: 'handbook', by, at: at(2), terms: {} } as const;
      await registry.command({ ...order, event: 'retire' }, () => ({ made: true, to: 'retiring', retiresAt: at(99), detail: {} }));
      expect((await registry.standings())[0]?.retiresAt).toBe(99);
      await registry.command({ ...order, event: 'keep' }, () => ({ made: true, to: 'active', detail: {} }));
      expect((await registry.standings())[0]).not.toHaveProperty('retiresAt');
      await registry.note('handbook', 'profile', by, at(5), { documents: 3 });
      expect((await registry.history('handbook')).at(-1)).toMatchObject({
        event: 'profile',
        from: 'active',
        to: 'active',
        detail: { documents: 3 },
      });
    });

    it('stores a package once, under its digest, with every binding', async () => {
      const { packages } = store.records;
      const entry = packageOf('how do I rotate a key');
      await packages.store(entry, { attempt: 'a1', createdAt: at(1), annex: { commit: 'abc' } });
      await packages.store(entry, { attempt: 'a2', createdAt: at(2), annex: {} });
      const reopened = await store.reopen();
      expect(await reopened.packages.get(entry.digest)).toEqual({
        entry,
        bindings: [
          { attempt: 'a1', createdAt: 1, annex: { commit: 'abc' } },
          { attempt: 'a2', createdAt: 2, annex: {} },
        ],
      });
      expect((await reopened.packages.entries({ limit: 10 })).map(({ createdAt }) => createdAt)).toEqual([2]);
      expect(await reopened.packages.get(sha256('another'))).toBeUndefined();
    });

    it('tells of packages a page at a time, the last bound first, and of those with a prefix', async () => {
      const { packages } = store.records;
      const told = async (page: Parameters<typeof packages.entries>[0]) => (await packages.entries(page)).map(({ digest }) => digest);
      expect(await told({ limit: 1 })).toEqual([]);
      const entries = [packageOf('first'), packageOf('second'), packageOf('third')];
      const [first, second, third] = entries as [ContextPackage, ContextPackage, ContextPackage];
      for (const [order, entry] of [...entries, first].entries())
        await packages.store(entry, { attempt: 'a', createdAt: at(order), annex: {} });
      const page = await packages.entries({ limit: 2 });
      expect(page.map(({ digest, createdAt }) => ({ digest, createdAt }))).toEqual([
        { digest: first.digest, createdAt: 3 },
        { digest: third.digest, createdAt: 2 },
      ]);
      expect(await told({ limit: 2, before: page.at(-1)?.seq ?? 0 })).toEqual([second.digest]);
      expect(await told({ limit: 9, prefix: second.digest })).toEqual([second.digest]);
      expect(await told({ limit: 9, prefix: second.digest.slice(0, 8) })).toEqual([second.digest]);
      expect(await told({ limit: 9, prefix: second.digest.slice(0, 5) })).toEqual([]);
      expect(await told({ limit: 9, prefix: "' OR 1=1 --" })).toEqual([]);
    });

    it('ATH-06 lists the packages of one owner, by page, prefix and attempt', async () => {
      const { packages } = store.records;
      const [mine, yours] = [sha256('mine'), sha256('yours')];
      const entries = ['first', 'second', 'third', 'fourth'].map(packageOf) as [
        ContextPackage,
        ContextPackage,
        ContextPackage,
        ContextPackage,
      ];
      for (const [order, entry] of entries.entries())
        await packages.store(entry, { attempt: 'a', createdAt: at(order), annex: { owner: order % 2 === 0 ? mine : yours } });
      await packages.store(entries[0], { attempt: 'b', createdAt: at(9), annex: { owner: mine } });
      const told = async (page: Parameters<typeof packages.entries>[0]) => (await packages.entries(page)).map(({ digest }) => digest);
      expect(await told({ limit: 9, owner: mine })).toEqual([entries[0].digest, entries[2].digest]);
      expect(await told({ limit: 1, owner: mine })).toEqual([entries[0].digest]);
      const [latest] = await packages.entries({ limit: 1, owner: mine });
      expect(await told({ limit: 9, owner: mine, before: latest?.seq ?? 0 })).toEqual([entries[2].digest]);
      expect(await told({ limit: 9, owner: mine, prefix: entries[2].digest.slice(0, 9) })).toEqual([entries[2].digest]);
      expect(await told({ limit: 9, owner: mine, prefix: entries[1].digest })).toEqual([]);
      expect((await packages.bindingsOf('a', yours)).map(({ digest }) => digest)).toEqual([entries[1].digest, entries[3].digest]);
      expect(await packages.bindingsOf('b', yours)).toEqual([]);
    });

    it('keeps all that is stored at once, and what is wrong with one of them is not told to the others', async () => {
      const { packages } = store.records;
      const entries = Array.from({ length: 20 }, (_, order) => packageOf(`question ${order}`));
      const forged = { ...packageOf('another'), digest: sha256('forged') };
      const stored = [...entries, forged].map((entry, order) =>
        packages.store(entry, { attempt: `a${order}`, createdAt: at(order), annex: {} }),
      );
      const done = await Promise.allSettled(stored);
      expect(done.map(({ status }) => status)).toEqual([...entries.map(() => 'fulfilled'), 'rejected']);
      const reopened = await store.reopen();
      expect((await reopened.packages.entries({ limit: 99 })).map(({ digest }) => digest)).toEqual(
        entries.map(({ digest }) => digest).reverse(),
      );
    });

    it('tells the last bindings of a package alone, and finds one by its id, of one owner where one is named', async () => {
      const { packages } = store.records;
      const [mine, yours] = [sha256('mine'), sha256('yours')];
      const [one, two] = [packageOf('one'), packageOf('two')];
      for (const order of [0, 1, 2])
        await packages.store(one, { attempt: `a${order}`, createdAt: at(order), annex: { owner: mine, id: `kp_aa${order}` } });
      await packages.store(two, { attempt: 'b', createdAt: at(9), annex: { owner: yours, id: 'kp_ab0' } });
      expect((await packages.get(one.digest, 2))?.bindings.map(({ attempt }) => attempt)).toEqual(['a1', 'a2']);
      expect((await packages.get(one.digest, 9))?.bindings.map(({ attempt }) => attempt)).toEqual(['a0', 'a1', 'a2']);
      const found = async (wanted: Parameters<typeof packages.identified>[0]) =>
        (await packages.identified(wanted)).found.map(({ binding }) => binding.attempt).sort();
      expect(await found({ prefix: 'kp_aa1', limit: 9 })).toEqual(['a1']);
      expect(await found({ prefix: 'kp_a', limit: 9 })).toEqual(['a0', 'a1', 'a2', 'b']);
      expect(await found({ prefix: 'kp_a', owner: yours, limit: 9 })).toEqual(['b']);
      expect(await found({ prefix: 'kp_a', owner: mine, limit: 2 })).toHaveLength(2);
      expect(await found({ prefix: 'kp_ac', limit: 9 })).toEqual([]);
      expect((await packages.identified({ prefix: 'kp_a', limit: 9 })).isComplete).toBe(true);
      await packages.store(two, { attempt: 'c', createdAt: at(10), annex: { owner: yours } });
      expect((await packages.identified({ prefix: 'kp_a', limit: 9 })).isComplete).toBe(false);
    });

    it('refuses a package that is not its digest, before and after storing', async () => {
      const { packages } = store.records;
      const entry = packageOf('how');
      const binding = { attempt: 'a', createdAt: at(1), annex: {} };
      expect(await codeOf(() => packages.store({ ...entry, digest: sha256('forged') }, binding))).toBe('package/altered');
      expect(await packages.entries({ limit: 10 })).toEqual([]);
      await packages.store(entry, binding);
      await store.alter(entry.digest);
      expect(await codeOf(() => packages.get(entry.digest))).toBe('package/altered');
    });

    it('says that it is whole', async () => {
      expect(await store.records.integrity()).toEqual({ ok: true, detail: 'ok' });
    });
  });
}
