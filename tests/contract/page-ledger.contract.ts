/** What every ledger of orders about pages must do: judge once, record what is refused, and make no move that the table has not. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ARTIFACT_LIFECYCLE, ARTIFACT_STATES, type ArtifactEvent } from '../../src/domain/artifact-state.js';
import type { Instant } from '../../src/kernel/clock.js';
import { sha256 } from '../../src/kernel/digest.js';
import { Fault } from '../../src/kernel/errors.js';
import type { PageOrder } from '../../src/ports/page-ledger.js';
import type { RecordsUnderTest } from './records.contract.js';

const at = (ms: number) => ms as Instant;
const by = { actor: 'person:ada', reason: 'a signal' };
const source = {
  id: 'handbook',
  owner: 'role:docs',
  initialState: 'active' as const,
  freshnessSloMs: 86_400_000,
  registrationDigest: sha256('registration'),
};

async function codeOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return 'none';
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}

export function pageLedgerContract(name: string, open: () => Promise<Omit<RecordsUnderTest, 'alter'>>): void {
  describe(`orders about pages: ${name}`, () => {
    let store: Omit<RecordsUnderTest, 'alter'>;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.dispose());

    it('SM-A4 keeps orders about pages: judged once, by key and version; what is withheld stands with its source', async () => {
      const { registry, pages } = store.records;
      await registry.register(source, at(1));
      const order: PageOrder = {
        source: 'handbook',
        path: 'a.md',
        event: 'quarantine',
        by,
        at: at(2),
        texts: ['b1'],
        key: 'k1',
        expectedVersion: 0,
        terms: { note: 'x' },
      };
      const yes = () => ({ made: true, from: 'indexed', to: 'quarantined', detail: { row: 'SM-A4' } }) as const;
      const made = await pages.command(order, yes);
      expect(made).toMatchObject({
        seq: 1,
        outcome: 'made',
        from: 'indexed',
        to: 'quarantined',
        key: 'k1',
        detail: { row: 'SM-A4', texts: ['b1'] },
      });
      expect(await pages.command({ ...order, at: at(9) }, () => ({ made: false, from: 'stale', detail: {} }))).toEqual(made);
      expect(await codeOf(() => pages.command({ ...order, terms: { note: 'y' } }, yes))).toBe('input/invalid');
      const behind = await pages.command({ ...order, key: 'k2' }, yes);
      expect(behind).toMatchObject({ outcome: 'refused', detail: { why: 'version' } });
      const confirm = { ...order, event: 'confirm', key: 'k3', expectedVersion: 1, texts: ['b2'], at: at(4) } satisfies PageOrder;
      const withheld = async () => (await (await store.reopen()).registry.standings())[0]?.withheld;
      expect(await withheld()).toEqual([{ source: 'handbook', path: 'a.md' }]);
      const reopened = await store.reopen();
      await reopened.pages.command(confirm, (held) => {
        expect(held).toEqual({
          source: 'handbook',
          path: 'a.md',
          state: 'quarantined',
          texts: ['b1'],
          barred: ['b1'],
          version: 1,
          since: 2,
        });
        return { made: true, from: 'quarantined', to: 'invalid', detail: {} };
      });
      expect(await withheld()).toEqual(['b1', 'b2'].map((blob) => ({ source: 'handbook', path: 'a.md', blob })));
      const now = await store.reopen();
      expect((await now.pages.history('handbook', 'a.md')).map(({ event, outcome }) => [event, outcome])).toEqual([
        ['quarantine', 'made'],
        ['quarantine', 'refused'],
        ['confirm', 'made'],
      ]);
      expect([await now.pages.history('handbook', 'b.md'), await now.pages.standings('wiki')]).toEqual([[], []]);
    });

    it('SM-A12 moves no page by another way than the table has, whatever the judge says', async () => {
      const { registry, pages } = store.records;
      await registry.register(source, at(1));
      for (const from of ARTIFACT_STATES) {
        for (const [event, to] of Object.entries(ARTIFACT_LIFECYCLE[from]) as [ArtifactEvent, string | null][]) {
          const order = { source: 'handbook', path: `${from}-${event}.md`, event, by, at: at(2), texts: [], terms: {} };
          for (const claimed of ARTIFACT_STATES) {
            const ordered = pages.command(order, () => ({ made: true, from, to: claimed, detail: {} }));
            if (claimed === to) expect(await ordered).toMatchObject({ outcome: 'made', from, to });
            else await expect(ordered).rejects.toThrow(`no move ${event} to ${claimed}`);
          }
        }
      }
    });
  });
}
