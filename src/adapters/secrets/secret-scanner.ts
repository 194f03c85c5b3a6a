/**
 * The secret scanner: our own rules over the whole text, and the maintained rules of secretlint where there is something to look at.
 *
 * Invariant: switches inside a document (`secretlint-disable`) change nothing.
 * Invariant: time is linear in the text, and a page without a trace of a credential costs one pass.
 */
import type { SecretRange, SecretScanner } from '../../ports/secret-scanner.js';
import { Anchors } from './anchors.js';
import { maintainedRules } from './maintained-rules.js';
import { plainView } from './plain-view.js';
import { NAMED, type SecretRule, SHAPED } from './rules.js';
import { SCANNER_VERSION } from './scanner-version.js';

/** Words that only secretlint's rules look for. */
const FURTHER_ANCHORS = ['ops_eyJ', 'private_key', 'GOOG', 'A3-', 'cloud.redislabs', 'vercel_'];

export function secretScanner(): SecretScanner {
  const maintained = maintainedRules();
  return {
    version: SCANNER_VERSION,
    async scan(text) {
      const found = await scanOnce(text, maintained);
      const view = plainView(text);
      if (view === undefined) return merged(found);
      // What stands in both is found twice and merged; the escaped spelling covers the other.
      const { origin } = view;
      const unescaped = await scanOnce(view.text, maintained);
      return merged([...found, ...unescaped.map(({ start, end, kind }) => ({ start: origin.start(start), end: origin.end(end), kind }))]);
    },
  };
}

async function scanOnce(text: string, maintained: ReturnType<typeof maintainedRules>): Promise<readonly SecretRange[]> {
  const found: SecretRange[] = [];
  const present = ANCHORS.in(text);
  let traces = FURTHER_ANCHORS.some((anchor) => present.has(anchor));
  for (const rule of SHAPED) {
    if (rule.anchors.some((anchor) => present.has(anchor)) && collect(rule, text, found) > 0) traces = true;
  }
  for (const rule of NAMED) {
    if (rule.anchors.length === 0 || rule.anchors.some((anchor) => present.has(anchor))) collect(rule, text, found);
  }
  if (traces) found.push(...(await maintained(text)));
  return found;
}

/** How far before a value its name is looked for. */
const NAME_REACH = 48;
const ANCHORS = new Anchors([...new Set([...[...SHAPED, ...NAMED].flatMap(({ anchors }) => anchors), ...FURTHER_ANCHORS])]);

function collect({ pattern, core, kind, accepts }: SecretRule, text: string, into: SecretRange[]): number {
  if (core?.test(text) === false) return 0;
  let count = 0;
  pattern.lastIndex = 0;
  for (const match of text.matchAll(pattern)) {
    const value = match.groups?.['value'];
    if (accepts?.(value ?? match[0], text.slice(Math.max(0, match.index - NAME_REACH), match.index)) === false) continue;
    const [start, end] = (value === undefined ? match.indices?.[0] : match.indices?.groups?.['value']) ?? [
      match.index,
      match.index + match[0].length,
    ];
    into.push({ start, end, kind });
    count += 1;
  }
  return count;
}

/** Sorted; ranges that overlap become one under the name of the first, our own before secretlint's. */
function merged(found: readonly SecretRange[]): readonly SecretRange[] {
  const sorted = found.map((range, order) => ({ range, order })).sort((a, b) => a.range.start - b.range.start || a.order - b.order);
  const ranges: SecretRange[] = [];
  for (const { range } of sorted) {
    const last = ranges.at(-1);
    if (last === undefined || range.start >= last.end) ranges.push(range);
    else if (range.end > last.end) ranges[ranges.length - 1] = { ...last, end: range.end };
  }
  return ranges;
}
