/**
 * Cost: how many tokens a text may take of this model's budget, at most (CTX-06, PIT-16).
 *
 * Invariant: an excerpt counts as the larger of the bound stored with it and the bound of the text itself.
 */
import type { PackageItem } from '../domain/context-package.js';
import type { ModelProfile } from '../domain/model-profile.js';
import { BoundedCache } from '../kernel/bounded-cache.js';
import { tokenBound } from '../text/tokens.js';
import { COSTLIEST_BOUNDARY } from './boundary.js';
import { FOOTER, headerLine, type ItemFacts, itemLines, NOTICE } from './preamble.js';

/** Blank lines and joints between two texts that were counted apart. */
const JOINT_TOKENS = 2;

export function textCost(text: string, model: ModelProfile): number {
  return Math.ceil(tokenBound(text) * model.tokenFactor);
}

const MOST_BOUNDS = 16_384;
/** By the digest of the text, which is all a bound depends on. */
const excerptBounds = new BoundedCache<string, number>(MOST_BOUNDS);

/** Header and footer, with the widest numbers they can hold. */
export function frameCost(manifest: string, ceiling: number, model: ModelProfile): number {
  return textCost(headerLine(manifest, ceiling, ceiling), model) + textCost(FOOTER, model) + jointCost(model);
}

export function noticeCost(model: ModelProfile): number {
  return textCost(NOTICE, model) + jointCost(model);
}

/** The item as it will stand in the rendering, wherever it comes to stand. */
export function itemCost(
  item: ItemFacts & Pick<PackageItem, 'excerptDigest'>,
  boundTokens: number,
  places: number,
  model: ModelProfile,
): number {
  const { before, after } = itemLines(item, places, COSTLIEST_BOUNDARY);
  const excerpt = Math.max(
    boundTokens,
    excerptBounds.get(item.excerptDigest, () => tokenBound(item.excerpt)),
  );
  return Math.ceil((tokenBound(before) + tokenBound(after) + excerpt) * model.tokenFactor) + jointCost(model);
}

function jointCost(model: ModelProfile): number {
  return Math.ceil(JOINT_TOKENS * model.tokenFactor);
}
