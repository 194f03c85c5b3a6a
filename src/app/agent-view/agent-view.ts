/**
 * What an agent is shown of an answer: the answer's own fields, and the same as text, both fenced and both bounded.
 *
 * Some clients hand a model the structured part, others the text; either alone must be safe to read and enough to cite.
 *
 * Invariant: text of a fenced tier stands between fence lines in both parts (MCP-04, T2.3).
 * Invariant: both parts together stay within the budget; what was left out is said, with the call that gives it.
 */

import { drawBoundary } from '../../context/boundary.js';
import { isFenced, type TrustTier } from '../../domain/authority.js';
import { cleanExcerpt } from '../../text/sanitize.js';
import { tokenBound } from '../../text/tokens.js';

export type Structured = Readonly<Record<string, unknown>>;

export interface AgentView {
  readonly structured: Structured;
  readonly text: string;
}

/** Clients commonly refuse answers above 25,000 tokens, and count the two parts together. */
export const ANSWER_TOKENS = 18_000;

/** A boundary that no given text holds: it is a hash over all of them. */
export function boundaryFor(texts: readonly unknown[]): string {
  const seed = JSON.stringify(texts);
  for (let counter = 0; ; counter += 1) {
    const boundary = drawBoundary(seed, counter);
    if (!seed.includes(boundary)) return boundary;
  }
}

/** Cleaned once more at the door (INJ-05); on text that ingest cleaned this changes nothing. */
export function shown(text: string): string {
  return cleanExcerpt(text).text;
}

export function fence(text: string, tier: TrustTier, boundary: string): string {
  return isFenced(tier) ? `<<<data ${boundary}\n${text}\n>>>data ${boundary}` : text;
}

export function tokensOf(part: unknown): number {
  return tokenBound(typeof part === 'string' ? part : JSON.stringify(part));
}

/** Halves the longest list in the answer until it fits, and says so in `truncated`. */
export function shrunk(answer: Structured, budgetTokens: number): Structured {
  let out = answer;
  while (tokensOf(out) > budgetTokens) {
    const longest = longestList(out);
    if (longest === undefined) return out;
    out = { ...withList(out, longest.path, longest.list.slice(0, Math.floor(longest.list.length / 2))), truncated: true };
  }
  return out;
}

interface Found {
  readonly path: readonly string[];
  readonly list: readonly unknown[];
}

function longestList(value: unknown, path: readonly string[] = []): Found | undefined {
  if (Array.isArray(value)) return value.length === 0 ? undefined : { path, list: value };
  if (typeof value !== 'object' || value === null) return undefined;
  let best: Found | undefined;
  for (const [key, each] of Object.entries(value)) {
    const found = longestList(each, [...path, key]);
    if (found !== undefined && (best === undefined || tokensOf(found.list) > tokensOf(best.list))) best = found;
  }
  return best;
}

function withList(value: Structured, path: readonly string[], list: readonly unknown[]): Structured {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const inner = value[key];
  return { ...value, [key]: rest.length === 0 || typeof inner !== 'object' || inner === null ? list : withList({ ...inner }, rest, list) };
}
