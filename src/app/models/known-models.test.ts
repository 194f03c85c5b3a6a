import { describe, expect, it } from 'vitest';
import { MODEL_PROFILES } from '../../domain/model-profile.js';
import { DEFAULT_RANKING } from '../../domain/ranking-policy.js';
import { modelNamed } from './known-models.js';
import { FAMILIES } from './models-file.js';
import { PLAIN_NAME } from './public-list.js';
import { SHIPPED_MODELS } from './shipped-models.js';
import { tokenFactorOf } from './token-factor.js';

describe('the shipped models', () => {
  it('each have a plain name of their own, a window, a page with the day it was read, and no cutoff later than that', () => {
    const names = SHIPPED_MODELS.map(({ profile }) => profile.name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(20);
    for (const { profile, source } of SHIPPED_MODELS) {
      expect(profile.name).toMatch(PLAIN_NAME);
      expect(FAMILIES.has(profile.name)).toBe(false);
      expect(profile.windowTokens).toBeGreaterThan(8_000);
      const read = /^\w.+, read (2\d{3}-\d\d-\d\d)$/.exec(source)?.[1] ?? '';
      expect(read).not.toBe('');
      if (profile.knowledgeCutoff !== undefined) expect(profile.knowledgeCutoff < read).toBe(true);
    }
  });

  it('RET-15 a month taken for its last day is late by less than the margin of the demotion', () => {
    expect(DEFAULT_RANKING.cutoffMarginDays).toBeGreaterThan(31);
  });
});

describe('the factor of a model', () => {
  it.each([
    ['claude-3-5-sonnet-20241022', 1.15],
    ['anthropic/claude-3.5-haiku', 1.15],
    ['claude-opus-4-20250514', 1.15],
    ['claude-sonnet-4-5-20250929', 1.15],
    ['claude-opus-4-6', 1.15],
    ['claude-opus-4-7', 1.55],
    ['anthropic/claude-opus-4.8', 1.55],
    ['claude-sonnet-5', 1.55],
    ['claude-fable-5-1', 1.55],
    ['gpt-5', 1],
    ['openai/o3-mini', 1],
    ['google/gemini-3-pro-preview', 1.1],
    ['meta-llama/llama-4-scout', 1.15],
    ['phi-4', 1.15],
    ['o365-thing', 1.55],
    ['nobody/knows-this', 1.55],
  ])('of %s is %d: of its family, and the largest where the name tells nothing', (name, factor) => {
    expect(tokenFactorOf(name)).toBe(factor);
  });
});

describe('which entry a name means', () => {
  const at = (origin: 'colophon.yaml' | 'models file' | 'shipped' | 'family', name: string) => ({
    profile: { name, windowTokens: 1, tokenFactor: 1 },
    origin,
    source: '',
  });

  it('colophon.yaml before the own file, before what is shipped, before the families', () => {
    const all = (['family', 'shipped', 'models file', 'colophon.yaml'] as const).map((origin) => at(origin, 'm'));
    for (let most = all.length; most > 0; most -= 1) expect(modelNamed(all.slice(0, most), 'm')).toBe(all[most - 1]);
    expect(modelNamed(all, 'n')).toBeUndefined();
  });

  it('in the own file also without its vendor, where one vendor alone has it', () => {
    const own = at('models file', 'acme/m');
    const shipped = at('shipped', 'm');
    expect(modelNamed([own, shipped], 'm')).toBe(own);
    expect(modelNamed([own, at('models file', 'other/m'), shipped], 'm')).toBe(shipped);
    expect(modelNamed([own, at('models file', 'other/m')], 'm')).toBeUndefined();
  });

  it('a family is only ever overridden by colophon.yaml', () => {
    for (const { name } of MODEL_PROFILES) expect(SHIPPED_MODELS.some(({ profile }) => profile.name === name)).toBe(false);
  });
});
