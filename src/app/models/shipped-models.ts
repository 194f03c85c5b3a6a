/**
 * The common models of the main vendors, under the names their APIs take: window and knowledge cutoff as a vendor's page states them.
 *
 * Invariant: what no page states is not here; a model without a stated cutoff has none.
 * A month is taken for its last day. That is at most 30 days late, which is less than `cutoffMarginDays` of the ranking policy.
 */
import type { ModelProfile } from '../../domain/model-profile.js';
import type { Day } from '../../kernel/clock.js';
import { tokenFactorOf } from './token-factor.js';

export interface ShippedModel {
  readonly profile: ModelProfile;
  /** The page, and the day it was read. */
  readonly source: string;
}

const READ = '2026-11-30';

const CLAUDE = 'Claude Docs, Models overview';
const HAIKU_5_5 = 'Claude Docs, lineup on the page of Claude Haiku 5.5';
const LLAMA_4 = 'Meta, Llama 4 model card';
const FLASH_3_8 = 'Google Cloud, Developer’s guide to Gemini 3.8 Flash';

/** Name, window in tokens, cutoff where one is stated, page. */
const ROWS: readonly (readonly [string, number, string, string])[] = [
  ['claude-fable-5-2', 1_000_000, '2026-06-30', 'Claude Docs, lineup on the page of Claude Sonnet 5'],
  ['claude-fable-5-1', 1_000_000, '2026-06-30', HAIKU_5_5],
  ['claude-fable-5', 1_000_000, '2026-01-31', CLAUDE],
  ['claude-opus-5-5', 1_000_000, '2026-06-30', HAIKU_5_5],
  ['claude-opus-5', 1_000_000, '2026-05-31', CLAUDE],
  ['claude-opus-4-8', 1_000_000, '', 'Claude Docs, page of Claude Opus 4.8'],
  ['claude-opus-4-7', 1_000_000, '2026-01-31', 'Amazon Bedrock, model card of Claude Opus 4.7'],
  ['claude-opus-4-6', 1_000_000, '', 'Claude Docs, page of Claude Opus 4.6'],
  ['claude-sonnet-5-5', 1_000_000, '2026-06-30', HAIKU_5_5],
  ['claude-sonnet-5', 1_000_000, '2026-01-31', CLAUDE],
  ['claude-sonnet-4-6', 1_000_000, '', 'Claude Docs, page of Claude Sonnet 4.6'],
  ['claude-sonnet-4-5-20250929', 200_000, '', 'Claude Docs, page of Claude Sonnet 4.5'],
  ['claude-haiku-5-5', 1_000_000, '2026-06-30', HAIKU_5_5],
  ['claude-haiku-4-5', 200_000, '2025-02-28', CLAUDE],
  ['claude-haiku-4-5-20251001', 200_000, '2025-02-28', CLAUDE],
  ['gpt-6.2-sol', 1_050_000, '2026-06-01', 'OpenAI API docs, page of GPT-6.2 Sol'],
  ['gpt-5.4', 1_050_000, '2025-08-31', 'OpenAI API docs, page of GPT-5.4'],
  ['gpt-5', 400_000, '', 'OpenAI developer community, topic 1344734'],
  ['gpt-5-nano', 400_000, '2024-05-31', 'OpenAI API docs, page of GPT-5 nano'],
  ['gemini-4-argon', 1_048_576, '', 'Google Cloud, Get started with Gemini 4'],
  ['gemini-3.8-flash', 1_048_576, '', FLASH_3_8],
  ['gemini-3.7-flash', 1_048_576, '', FLASH_3_8],
  ['gemini-3.5-flash', 1_048_576, '2025-01-31', 'Gemini API docs, page of Gemini 3.5 Flash'],
  ['gemini-3.1-pro-preview', 1_048_576, '2025-01-31', 'Gemini API docs, page of Gemini 3.1 Pro Preview'],
  ['gemini-3.1-flash-lite', 1_048_576, '', 'Google Cloud, page of Gemini 3.1 Flash-Lite'],
  ['gemini-3-pro-preview', 1_048_576, '2025-01-31', 'Gemini API docs, page of Gemini 3 Pro Preview'],
  ['gemini-2.5-pro', 1_048_576, '', 'Google Cloud, page of Gemini 2.5 Pro'],
  ['gemini-2.5-flash', 1_048_576, '2025-01-31', 'Google Cloud, page of Gemini 2.5 Flash'],
  ['gemini-2.0-flash', 1_048_576, '2024-08-31', 'Gemini API docs, page of Gemini 2.0 Flash'],
  ['gemma-3-27b-it', 128_000, '', 'Google, Gemma 3 model card'],
  ['grok-4.6', 500_000, '2026-02-01', 'xAI docs, page of Grok 4.6'],
  ['llama-4-scout', 10_000_000, '2024-08-31', LLAMA_4],
  ['llama-4-maverick', 1_000_000, '2024-08-31', LLAMA_4],
  ['llama-3.3-70b-instruct', 128_000, '2023-12-31', 'Meta, Llama 3.3 model card'],
  ['mistral-medium-3', 128_000, '', 'Google Cloud, page of Mistral Medium 3'],
  ['phi-4', 16_000, '2024-06-30', 'Microsoft, phi-4 model card'],
];

export const SHIPPED_MODELS: readonly ShippedModel[] = ROWS.map(([name, windowTokens, cutoff, page]) => ({
  profile: {
    name,
    windowTokens,
    tokenFactor: tokenFactorOf(name),
    ...(cutoff === '' ? {} : { knowledgeCutoff: cutoff as Day }),
  },
  source: `${page}, read ${READ}`,
}));
