import { describe, expect, test } from 'vitest';
import { registrationAt } from '../../tests/support/registrations.js';
import { SOURCE_LIFECYCLE, SOURCE_STATES } from '../domain/source.js';
import { next } from '../kernel/lifecycle.js';
import { mayIngest, movesAfter, registrationDigest } from './register.js';

const clean = { walk: 'complete', gapsFree: true } as const;

describe('moves after a run', () => {
  test('SM-S4 an approved source becomes active with its first complete checkpoint and a clean gap scan, not before', () => {
    expect(movesAfter('approved', 'team', clean).map(({ event }) => event)).toEqual(['activate']);
    expect(movesAfter('approved', 'team', { walk: 'partial', gapsFree: true })).toEqual([]);
    expect(movesAfter('approved', 'team', { walk: 'complete', gapsFree: false })).toEqual([]);
  });

  test('SM-S2 a run approves for nobody but the one person of profile personal', () => {
    expect(movesAfter('proposed', 'team', clean)).toEqual([]);
    const moves = movesAfter('proposed', 'personal', clean);
    expect(moves.map(({ event }) => event)).toEqual(['approve', 'activate']);
    expect(moves[0]?.reason).toContain('self-approval');
  });

  test('SM-S6 a degraded source recovers when it has caught up', () => {
    expect(movesAfter('degraded', 'team', clean).map(({ event }) => event)).toEqual(['recover']);
    expect(movesAfter('degraded', 'personal', { walk: 'partial', gapsFree: true })).toEqual([]);
  });

  test('SRC-11 every move is legal from the state it starts in', () => {
    for (const state of SOURCE_STATES) {
      for (const profile of ['personal', 'team'] as const) {
        let at = state;
        for (const { event } of movesAfter(state, profile, clean)) {
          const to = next(SOURCE_LIFECYCLE, at, event);
          expect(to, `${event} from ${at}`).not.toBeNull();
          at = to ?? at;
        }
      }
    }
  });
});

test('SM-S11 retiring, suspended, revoked and deleted sources take in nothing; a proposed one only for its own person', () => {
  expect(SOURCE_STATES.filter((state) => mayIngest(state, 'team'))).toEqual(['approved', 'active', 'degraded']);
  expect(SOURCE_STATES.filter((state) => mayIngest(state, 'personal'))).toEqual(['proposed', 'approved', 'active', 'degraded']);
});

test('SRC-16 a changed declaration has another digest, an absent field and an undefined one the same', () => {
  const one = registrationAt({ path: '/x' });
  expect(registrationDigest({ ...one })).toBe(registrationDigest(one));
  expect(registrationDigest({ ...one, classification: 'restricted' })).not.toBe(registrationDigest(one));
  expect(registrationDigest(registrationAt({ path: '/x', ...({ ref: undefined } as object) }))).toBe(registrationDigest(one));
});
