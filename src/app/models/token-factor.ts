/**
 * How much finer a model may cut text than the tokenizers the token bound is measured with, worked out from its name.
 *
 * Invariant: a name that tells nothing gets the largest factor there is: a budget is then left unused, never overrun.
 */
import { MODEL_PROFILES } from '../../domain/model-profile.js';

const familyFactor = (family: string): number => MODEL_PROFILES.find(({ name }) => name === family)?.tokenFactor ?? LARGEST;

const LARGEST = 1.55;

/** Claude before Opus 4.7; the family stands for the newer ones, which count up to 1.35 times as many tokens for the same text. */
const EARLIER_CLAUDE = 1.15;

/** The first that fits the name without its vendor. */
const FACTORS: readonly (readonly [RegExp, number])[] = [
  [/^claude-(?:instant|[23](?!\d)|(?:opus|sonnet|haiku)-(?:3|4(?!\d|[-.][7-9](?!\d))))/, EARLIER_CLAUDE],
  [/^(?:chatgpt-|codex-|gpt-|o[134](?![a-z0-9]))/, familyFactor('gpt')],
  [/^(?:gemini|gemma)-/, familyFactor('gemini')],
  [/^(?:llama|mistral|mixtral|ministral|magistral|codestral|devstral|qwen|qwq|deepseek|phi)(?![a-z])/, familyFactor('local-32k')],
];

export function tokenFactorOf(model: string): number {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return FACTORS.find(([pattern]) => pattern.test(name))?.[1] ?? LARGEST;
}
