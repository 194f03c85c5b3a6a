/**
 * Cost: how many tokens a text may take of this model's budget, at most (CTX-06, PIT-16).
 *
 * Invariant: the whole rendering is counted again before it is frozen, so a bound that was stored too small costs room, not the
 * ceiling.
 */
import type { ModelProfile } from '../domain/model-profile.js';
import { tokenBound } from '../text/tokens.js';
import { COSTLIEST_BOUNDARY } from './boundary.js';
import { FOOTER, headerLine, type ItemFacts, itemLines, NOTICE, type Wording } from './preamble.js';

/** Blank lines and joints between two texts that were counted apart. */
const JOINT_TOKENS = 2;

export function textCost(text: string, model: ModelProfile): number {
  return Math.ceil(tokenBound(text) * model.tokenFactor);
}

/** Header, without what it says for items, and footer; with the widest numbers they can hold. */
export function frameCost(manifest: string, ceiling: number, model: ModelProfile): number {
  return textCost(headerLine(manifest, ceiling, ceiling), model) + textCost(FOOTER, model) + jointCost(model);
}

export function noticeCost(model: ModelProfile): number {
  return textCost(NOTICE, model) + jointCost(model);
}

/**
 * The item as it will stand in the rendering, wherever it comes to stand.
 *
 * `excerptTokens` is the bound stored with the excerpt, when it is the excerpt's own; else the text is measured.
 */
export function itemCost(
  item: ItemFacts,
  excerptTokens: number | undefined,
  { places, wording, model }: { readonly places: number; readonly wording: Wording; readonly model: ModelProfile },
): number {
  const { before, after } = itemLines(item, places, COSTLIEST_BOUNDARY, wording);
  const tokens = tokenBound(before) + tokenBound(after) + (excerptTokens ?? tokenBound(item.excerpt));
  return Math.ceil(tokens * model.tokenFactor) + jointCost(model);
}

function jointCost(model: ModelProfile): number {
  return Math.ceil(JOINT_TOKENS * model.tokenFactor);
}
