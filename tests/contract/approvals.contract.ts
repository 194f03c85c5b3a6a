/** What every approval ledger must do: events are added only, a call is exactly its five fields, the last use is used once. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callKey, type Ruling, type ToolCall } from '../../src/domain/approval.js';
import type { Instant } from '../../src/kernel/clock.js';
import { sha256 } from '../../src/kernel/digest.js';
import type { ApprovalLedger } from '../../src/ports/approvals.js';

export interface ApprovalsUnderTest {
  readonly approvals: ApprovalLedger;
  /** A second connection to the same ledger, as another process has one. */
  readonly other: ApprovalLedger;
  reopen(): Promise<ApprovalLedger>;
  dispose(): Promise<void>;
}

const at = (ms: number) => ms as Instant;
const CALL: ToolCall = { tenant: 'local', attempt: 's1', tool: 'WebFetch', destination: 'https://a.example', payload: sha256('p') };
const yes = (more: Partial<Ruling> = {}): Ruling => ({
  kind: 'approved',
  at: at(10),
  by: 'person:ada',
  reason: '',
  expiresAt: at(100),
  uses: 1,
  ...more,
});

export function approvalsContract(name: string, open: () => Promise<ApprovalsUnderTest>): void {
  describe(`approvals: ${name}`, () => {
    let store: ApprovalsUnderTest;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.dispose());
    const settled = async (call: ToolCall, ms: number, from: ApprovalLedger = store.approvals) =>
      (await from.settle(call, 'shown', at(ms))).status;

    it('is open until a person rules, then lasts for its uses and no longer (INJ-07)', async () => {
      expect(await settled(CALL, 1)).toBe('open');
      expect(await store.approvals.rule(callKey(CALL), yes({ uses: 2 }))).toBe(true);
      expect([await settled(CALL, 20), await settled(CALL, 21), await settled(CALL, 22)]).toEqual(['approved', 'approved', 'open']);
    });

    it('ends at its expiry, and does not begin before it was given', async () => {
      await settled(CALL, 1);
      await store.approvals.rule(callKey(CALL), yes({ uses: 9 }));
      expect([await settled(CALL, 9), await settled(CALL, 10), await settled(CALL, 99), await settled(CALL, 100)]).toEqual([
        'open',
        'approved',
        'approved',
        'open',
      ]);
    });

    it('is for no call that differs in a field', async () => {
      await settled(CALL, 1);
      await store.approvals.rule(callKey(CALL), yes({ uses: 9 }));
      const others: Partial<ToolCall>[] = [
        { tenant: 'acme' },
        { attempt: 's2' },
        { tool: 'Bash' },
        { destination: 'https://b.example' },
        { payload: sha256('q') },
      ];
      for (const other of others) expect(await settled({ ...CALL, ...other }, 20), JSON.stringify(other)).toBe('open');
      expect(await settled(CALL, 20)).toBe('approved');
    });

    it('the last word counts', async () => {
      await settled(CALL, 1);
      await store.approvals.rule(callKey(CALL), yes({ uses: 9 }));
      await store.approvals.rule(callKey(CALL), yes({ kind: 'refused', at: at(11), uses: 0, expiresAt: at(50) }));
      expect([await settled(CALL, 20), await settled(CALL, 60)]).toEqual(['refused', 'open']);
      await store.approvals.rule(callKey(CALL), yes({ at: at(61) }));
      expect([await settled(CALL, 62), await settled(CALL, 63)]).toEqual(['approved', 'open']);
    });

    it('cannot be given for a call that nobody asked for', async () => {
      expect(await store.approvals.rule(callKey(CALL), yes())).toBe(false);
      expect(await settled(CALL, 20)).toBe('open');
    });

    it('spends the last use once, whoever comes', async () => {
      await settled(CALL, 1);
      await store.approvals.rule(callKey(CALL), yes({ uses: 3 }));
      const all = await Promise.all(
        Array.from({ length: 12 }, (_, turn) => settled(CALL, 20, turn % 2 === 0 ? store.approvals : store.other)),
      );
      expect(all.filter((each) => each === 'approved')).toHaveLength(3);
    });

    it('remembers what was asked, said and used, in order, also after it was closed', async () => {
      await settled(CALL, 1);
      await settled(CALL, 2);
      await store.approvals.rule(callKey(CALL), yes());
      await settled(CALL, 20);
      const again = await store.reopen();
      const [asked, ...more] = await again.find(callKey(CALL).slice(0, 6));
      expect(more).toEqual([]);
      expect(asked).toEqual({
        key: callKey(CALL),
        call: CALL,
        shown: 'shown',
        events: [{ kind: 'asked', at: 1 }, yes(), { kind: 'used', at: 20 }],
      });
      expect(await again.find(callKey(CALL).slice(0, 5))).toEqual([]);
      expect(await again.find("' OR 1=1 --")).toEqual([]);
    });

    it('tells what was asked last first, each call once', async () => {
      const calls = Array.from({ length: 150 }, (_, turn) => ({ ...CALL, attempt: `s${turn}` }));
      for (const [turn, call] of calls.entries()) await settled(call, turn);
      const told = await store.approvals.asked({ limit: 100 });
      expect(told.map(({ call }) => call.attempt)).toEqual(
        calls
          .slice(-100)
          .map(({ attempt }) => attempt)
          .reverse(),
      );
    });

    it('remembers a taint once by each cause, of that attempt alone', async () => {
      expect(await store.approvals.taintsOf('s1')).toEqual([]);
      for (const by of ['kb_search', 'kb_get', 'kb_search']) await store.approvals.taint('s1', by, at(1));
      expect(await (await store.reopen()).taintsOf('s1')).toEqual(['kb_search', 'kb_get']);
      expect(await store.other.taintsOf('s2')).toEqual([]);
    });
  });
}
