/**
 * The boundary: the 128 bits on the fence lines of one package.
 *
 * It is derived, not drawn, so that the same package always renders to the same bytes (T4.1). Its author cannot know it: it is
 * a hash over the text it fences, so writing it into that text changes it. Replaying one seen earlier does not help either,
 * because the question, the day and the neighbours are hashed too.
 *
 * Invariant: no text of the package contains its boundary; one that did would be drawn again with the next counter (INJ-04).
 */
import type { PackageBody } from '../domain/context-package.js';
import { canonicalJson, sha256 } from '../kernel/digest.js';

const DOMAIN = 'colophon/boundary@1';
const HEX_DIGITS = 32;

/** As costly to count as any boundary can be: used to reserve room before the real one is known. */
export const COSTLIEST_BOUNDARY = '0a'.repeat(HEX_DIGITS / 2);

export type Draw = (seed: string, counter: number) => string;

export function drawBoundary(seed: string, counter: number): string {
  return sha256(`${DOMAIN}\n${counter}\n${seed}`).slice(0, HEX_DIGITS);
}

/** The budget is left out of the seed: what is used depends on the rendering, which depends on the boundary. */
export function boundaryOf(body: PackageBody, draw: Draw = drawBoundary): string {
  const { budget: _budget, ...rest } = body;
  const seed = canonicalJson(rest);
  for (let counter = 0; ; counter += 1) {
    const boundary = draw(seed, counter);
    // The seed holds every string of the package, escaped; hexadecimal digits are never escaped.
    if (!seed.includes(boundary)) return boundary;
  }
}
