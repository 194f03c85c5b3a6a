/** The time a text of the policy names: a day (its beginning, UTC) or an ISO 8601 time in UTC. */
import { type Instant, parseDay } from '../../kernel/clock.js';

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z$/;

export function instantIn(text: string): Instant | undefined {
  if (parseDay(text.slice(0, 10)) === undefined) return undefined;
  if (text.length !== 10 && !TIME.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : (at as Instant);
}
