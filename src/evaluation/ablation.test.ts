import { describe, expect, it } from 'vitest';
import { DEFAULT_RANKING } from '../domain/ranking-policy.js';
import { digestOf } from '../kernel/digest.js';
import { isCircular, isClearGain, judge, type Trial } from './ablation.js';
import { STAGES, variantsOf } from './variants.js';

const figures = (value: (at: number) => number, count = 120) => new Map(Array.from({ length: count }, (_, at) => [`q${at}`, value(at)]));
const middling = (at: number) => ((at * 37) % 10) / 20;
const trial = (variant: (at: number) => number, heldOut?: (at: number) => number, cpuRatio = 1): Trial => ({
  dev: { base: figures(middling), variant: figures(variant) },
  ...(heldOut === undefined ? {} : { heldOut: { base: figures(middling, 60), variant: figures(heldOut, 60) } }),
  cpuRatio,
});
const better = (at: number) => middling(at) + (at % 2 === 0 ? 0.1 : 0.02);
const worse = (at: number) => middling(at) - 0.05;
const plain = { off: false, stage: 'page evidence' } as const;
const verdict = (made: Trial, variant: Parameters<typeof judge>[0] = plain) => judge(variant, made, 45)?.verdict;

describe('ablation (EVL-11)', () => {
  it('proposes what is clearly better, holds up on other questions, and is quick enough', () => {
    expect(verdict(trial(better, better))).toBe('proposed');
    expect(verdict(trial(better, worse))).toBe('unconfirmed');
    expect(verdict(trial(better))).toBe('unconfirmed');
    expect(verdict(trial(better, better, 1.5))).toBe('too-slow');
  });

  it('a stage that is missed earns its place; another value that is worse is only worse', () => {
    expect(verdict(trial(worse), { off: true, stage: 'links' })).toBe('earns-its-place');
    expect(verdict(trial(worse))).toBe('worse');
    expect(verdict(trial(middling))).toBe('no-difference');
  });

  it('what is won on a few questions is luck until the number of tries is paid for', () => {
    const lucky = trial((at) => middling(at) + (at % 16 === 0 ? 0.3 : 0) - (at % 40 === 1 ? 0.2 : 0), better);
    expect(isClearGain(lucky, 1)).toBe(true);
    expect(isClearGain(lucky, 45)).toBe(false);
    expect(verdict(lucky)).toBe('cannot-tell');
  });

  it('never proposes a floor: only questions without an answer can judge one', () => {
    expect(verdict(trial(better, better), { off: true, stage: 'floor' })).toBe('calibrate');
    expect(verdict(trial(better, better), { off: false, stage: 'relative floor' })).toBe('calibrate');
  });

  it('questions made of links cannot praise links', () => {
    expect(isCircular('links', ['link', 'mention', 'commit'])).toBe(true);
    expect(isCircular('page names', ['alias', 'commit'])).toBe(true);
    expect(isCircular('links', ['link', 'commit', 'commit', 'heading'])).toBe(false);
    expect(isCircular('stemming', ['link', 'link'])).toBe(false);
    expect(isCircular('links', [undefined, undefined])).toBe(false);
    expect(verdict({ ...trial(worse), isCircular: true }, { off: true, stage: 'links' })).toBe('circular');
    expect(verdict({ ...trial(better, better), isCircular: true }, { off: false, stage: 'links' })).toBe('circular');
  });

  it('EVL-16: noise without a gain is hardly ever proposed', () => {
    let state = 7;
    const random = () => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return state / 2_147_483_648 - 0.5;
    };
    const verdicts = Array.from({ length: 45 }, () =>
      verdict(
        trial(
          (at) => middling(at) + random() / 5,
          (at) => middling(at) + random() / 5,
        ),
      ),
    );
    expect(verdicts.filter((each) => each === 'proposed')).toEqual([]);
  });
});

describe('variants', () => {
  const variants = variantsOf(DEFAULT_RANKING, 0.5, true);

  it('each differs from the policy as it is, and from every other', () => {
    const digests = variants.map(({ policy, stemming }) => digestOf([policy, stemming ?? null]));
    expect(new Set(digests).size).toBe(variants.length);
    expect(digests).not.toContain(digestOf([DEFAULT_RANKING, null]));
  });

  it('EVL-11 every stage has words for people, and each can be turned off but those that only have a size', () => {
    expect(new Set(variants.map(({ stage }) => stage))).toEqual(new Set(Object.keys(STAGES)));
    const withoutOff = Object.keys(STAGES).filter((stage) => !variants.some((each) => each.stage === stage && each.off));
    expect(withoutOff).toEqual(['narrower names', 'repetition', 'joining the legs', 'depth']);
  });

  it('names are tried only where there is a vocabulary', () => {
    expect(variantsOf(DEFAULT_RANKING, 0.5).filter(({ stage }) => stage.endsWith('names') && stage !== 'page names')).toEqual([]);
    expect(new Set(variants.filter(({ stage }) => stage.endsWith('names')).map(({ stage }) => stage)).size).toBe(4);
  });

  it('a value that is there already is not tried', () => {
    expect(
      variantsOf({ ...DEFAULT_RANKING, fusion: 'rrf' }, 0)
        .filter(({ setting }) => setting === 'fusion')
        .map(({ to }) => to),
    ).toEqual(['weighted']);
    expect(
      variantsOf(DEFAULT_RANKING, 0)
        .filter(({ setting }) => setting === 'stemming')
        .map(({ to }) => to),
    ).toEqual([0.25, 1]);
  });
});
