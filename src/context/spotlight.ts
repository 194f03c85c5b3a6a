/**
 * Spotlight: renders the package with strangers' text fenced, and counts what came out (INJ-04, T2.3, PIT-16).
 *
 * The header states the tokens used, and the header is counted too, so the figure is raised until it holds.
 *
 * Invariant: `used` is a bound of the whole rendering under the request's model; `fits` says whether it is under the ceiling.
 */
import type { PackageBody } from '../domain/context-package.js';
import type { ModelProfile } from '../domain/model-profile.js';
import { boundaryOf } from './boundary.js';
import { textCost } from './cost.js';
import { clip } from './inert.js';
import { preambleText } from './preamble.js';

export interface Spotlit {
  readonly body: PackageBody;
  readonly rendered: string;
  readonly fits: boolean;
}

export function spotlight(body: PackageBody, model: ModelProfile): Spotlit {
  return body.status === 'frozen' ? spotlitItems(body, model) : spotlitVerdict(body, model);
}

/** What an agent reads for a stored package: the same bytes as when it was compiled, if by the same compiler. */
export function render(body: PackageBody): string {
  return body.status === 'frozen' ? preambleText(body, boundaryOf(body)) : preambleText(body, '');
}

function spotlitItems(body: PackageBody, model: ModelProfile): Spotlit {
  const boundary = boundaryOf(body);
  let used = Object.values(body.budget.classes).reduce((total, part) => total + part.used, 0);
  for (;;) {
    const rendered = preambleText(body, boundary, used);
    const counted = textCost(rendered, model);
    if (counted <= used) return { body: withUsed(body, used), rendered, fits: used <= body.budget.ceiling };
    used = counted;
  }
}

/** One line. A reason too long for a small ceiling is cut, visibly. */
function spotlitVerdict(body: PackageBody, model: ModelProfile): Spotlit {
  const rendered = preambleText(body, '');
  const used = textCost(rendered, model);
  if (used <= body.budget.ceiling || body.reason === '') {
    const classes = { ...body.budget.classes, frame: { granted: used, used } };
    return { body: { ...body, budget: { ...body.budget, used, classes } }, rendered, fits: true };
  }
  return spotlitVerdict({ ...body, reason: clip(body.reason, Math.floor([...body.reason].length / 2)) }, model);
}

function withUsed(body: PackageBody, used: number): PackageBody {
  return { ...body, budget: { ...body.budget, used } };
}
