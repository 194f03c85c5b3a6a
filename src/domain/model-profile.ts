/** What the compiler needs to know of the model an answer is for, and the preamble ceiling that follows (CTX-05). */
import type { Day } from '../kernel/clock.js';

export interface ModelProfile {
  readonly name: string;
  /** Context window in tokens. */
  readonly windowTokens: number;
  /** Multiplies our token bound where the model's tokenizer is finer than the ones we measure with. */
  readonly tokenFactor: number;
  /** Up to when the model's own knowledge reaches, where that is declared; nothing is assumed. */
  readonly knowledgeCutoff?: Day;
}

export const MODEL_PROFILES: readonly ModelProfile[] = [
  { name: 'generic', windowTokens: 128_000, tokenFactor: 1 },
  { name: 'claude', windowTokens: 200_000, tokenFactor: 1.55 },
  { name: 'gpt', windowTokens: 128_000, tokenFactor: 1 },
  { name: 'gemini', windowTokens: 1_000_000, tokenFactor: 1.1 },
  { name: 'local-8k', windowTokens: 8_192, tokenFactor: 1.15 },
  { name: 'local-32k', windowTokens: 32_768, tokenFactor: 1.15 },
];

/** The preamble's ceiling formula; part of the context policy. */
export interface PreambleRule {
  readonly maxTokens: number;
  /** Share of the model's window. */
  readonly windowShare: number;
}

export const PREAMBLE_RULE: PreambleRule = { maxTokens: 1500, windowShare: 0.02 };

/** Tokens a preamble may use: min(1500, 2 % of the window). */
export function preambleCeiling(profile: ModelProfile, rule: PreambleRule = PREAMBLE_RULE): number {
  return Math.min(rule.maxTokens, Math.floor(profile.windowTokens * rule.windowShare));
}

/**
 * The ceiling of one request. A caller may always lower it. Only who holds the whole window, a person at the command line or
 * the library's host, may raise it, and then up to the window; agents and hooks stay under the preamble's formula (CTX-04).
 */
export function contextCeiling(
  profile: ModelProfile,
  asked: { readonly tokens: number | undefined; readonly mayRaise: boolean },
  rule: PreambleRule = PREAMBLE_RULE,
): number {
  const formula = preambleCeiling(profile, rule);
  if (asked.tokens === undefined) return formula;
  return Math.min(asked.tokens, asked.mayRaise ? profile.windowTokens : formula);
}
