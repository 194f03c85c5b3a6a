import { describe, expect, it } from 'vitest';
import type { Day } from '../kernel/clock.js';
import { baselineOf, measuredOf } from './baseline-of.js';
import { type Baseline, checkLoosening, checkRatchet, exceptionsFile, holds, type RatchetException, tightened } from './ratchet.js';

const today = '2026-12-01' as Day;
const baseline: Baseline = {
  schema: 'colophon/baseline@1',
  set: 's',
  questionsDigest: 'd',
  questions: 40,
  measures: { 'dev.retrieval.nDCG@10': { value: 0.8, slack: 0.02 }, 'dev.delivered.leaked': { value: 0, slack: 0 } },
};
const measured = (ndcg: number, leaked = 0, questionsDigest = 'd') => ({
  questionsDigest,
  questions: 40,
  measures: new Map([
    ['dev.retrieval.nDCG@10', ndcg],
    ['dev.delivered.leaked', leaked],
  ]),
});
const exception: RatchetException = {
  set: 's',
  measure: 'dev.retrieval.nDCG@10',
  worst: 0.7,
  reason: 'the new segmenter splits tables; being worked on',
  approvedBy: 'role:maintainers',
  expires: '2026-12-31',
};
const kinds = (findings: readonly { readonly kind: string }[]) => findings.map(({ kind }) => kind);

describe('ratchet (EVL-05, GAT-05)', () => {
  it('holds at the value and within the slack, and says when it could be tighter', () => {
    expect(checkRatchet(baseline, measured(0.8), [], today)).toEqual([]);
    expect(checkRatchet(baseline, measured(0.78), [], today)).toEqual([]);
    expect(kinds(checkRatchet(baseline, measured(0.9), [], today))).toEqual(['better']);
  });

  it('fails on what is worse, in the direction of each measure', () => {
    const worse = checkRatchet(baseline, measured(0.77), [], today);
    expect(kinds(worse)).toEqual(['worse']);
    expect(holds(worse)).toBe(false);
    expect(kinds(checkRatchet(baseline, measured(0.8, 0.01), [], today))).toEqual(['worse']);
    expect(kinds(checkRatchet(baseline, measured(0.8, -0.01), [], today))).toEqual(['better']);
  });

  it('fails on a figure that was not measured, and on other questions', () => {
    expect(kinds(checkRatchet(baseline, { ...measured(0.8), measures: new Map() }, [], today))).toEqual(['missing', 'missing']);
    expect(holds(checkRatchet(baseline, measured(0.9, 0, 'other'), [], today))).toBe(false);
  });

  it('an exception covers its own measure, as far as it says, until its day', () => {
    expect(holds(checkRatchet(baseline, measured(0.71), [exception], today))).toBe(true);
    expect(holds(checkRatchet(baseline, measured(0.69), [exception], today))).toBe(false);
    expect(holds(checkRatchet(baseline, measured(0.71), [exception], '2027-01-01' as Day))).toBe(false);
    expect(holds(checkRatchet(baseline, measured(0.8, 0.5), [exception], today))).toBe(false);
  });

  it('an exception needs a reason, a name and a last day', () => {
    const file = (more: object) =>
      exceptionsFile.safeParse({ schema: 'colophon/ratchet-exceptions@1', exceptions: [{ ...exception, ...more }] }).success;
    expect(file({})).toBe(true);
    expect(file({ reason: 'because' })).toBe(false);
    expect(file({ approvedBy: '' })).toBe(false);
    expect(file({ expires: 'never' })).toBe(false);
    expect(file({ expires: undefined })).toBe(false);
  });

  it('GAT-03: rewriting the baseline loosens nothing without an exception', () => {
    const looser = (value: number, slack: number): Baseline => ({
      ...baseline,
      measures: { ...baseline.measures, 'dev.retrieval.nDCG@10': { value, slack } },
    });
    expect(checkLoosening(baseline, [baseline], [], today)).toEqual([]);
    expect(checkLoosening(looser(0.85, 0.02), [baseline], [], today)).toEqual([]);
    expect(kinds(checkLoosening(looser(0.75, 0.02), [baseline], [], today))).toEqual(['loosened']);
    expect(kinds(checkLoosening(looser(0.8, 0.1), [baseline], [], today))).toEqual(['loosened']);
    expect(checkLoosening(looser(0.75, 0.02), [baseline], [exception], today)).toEqual([]);
    expect(kinds(checkLoosening({ ...baseline, measures: {} }, [baseline], [], today))).toEqual(['loosened', 'loosened']);
    expect(kinds(checkLoosening({ ...baseline, questionsDigest: 'e', questions: 10 }, [baseline], [], today))).toEqual(['loosened']);
    expect(checkLoosening({ ...baseline, questionsDigest: 'e', questions: 41 }, [baseline], [], today)).toEqual([]);
  });

  it('tightening keeps the better of each', () => {
    const fresh: Baseline = {
      ...baseline,
      measures: { 'dev.retrieval.nDCG@10': { value: 0.7, slack: 0.1 }, 'dev.delivered.leaked': { value: 0, slack: 0 } },
    };
    expect(tightened(baseline, fresh)).toEqual(baseline);
    const better = { ...fresh, measures: { 'dev.retrieval.nDCG@10': { value: 0.9, slack: 0.1 } } };
    expect(tightened(baseline, better).measures['dev.retrieval.nDCG@10']).toEqual({ value: 0.9, slack: 0.02 });
    expect(tightened(undefined, fresh)).toEqual(fresh);
  });

  it('is made of a report by split, with a slack of two questions and none for a promise', () => {
    const figures = (ndcg: number) => ({
      retrieval: { metrics: { 'nDCG@10': ndcg }, counts: { 'nDCG@10': 20 } },
      delivered: { metrics: { leaked: 0 }, counts: { leaked: 3 } },
    });
    const report = {
      set: 's',
      split: 'all',
      questionsDigest: 'd',
      queries: 40,
      ...figures(0.7),
      groups: { split: { dev: figures(0.8), 'held-out': figures(0.6) } },
    };
    expect(baselineOf(report).measures).toEqual({
      'dev.retrieval.nDCG@10': { value: 0.8, slack: 0.1 },
      'dev.delivered.leaked': { value: 0, slack: 0 },
      'held-out.retrieval.nDCG@10': { value: 0.6, slack: 0.1 },
      'held-out.delivered.leaked': { value: 0, slack: 0 },
    });
    expect(holds(checkRatchet(baselineOf(report), measuredOf(report), [], today))).toBe(true);
  });
});
