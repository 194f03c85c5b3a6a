/** Search hits for people: place first, then the passage, then what to know about it. */
import type { SearchAnswer } from '../../app/operations/search.js';
import { inertLine } from './inert.js';
import type { Terminal } from './terminal.js';
import { clip, indent, place, wrap } from './text-layout.js';

const EXCERPT_LINES = 4;

export function renderSearch(answer: SearchAnswer, terminal: Terminal): string {
  const { colors } = terminal;
  if (answer.hits.length === 0) return `Nothing found${answer.reason === '' ? '' : `: ${inertLine(answer.reason.replace(/\.$/, ''))}`}.\n`;
  const many = new Set(answer.hits.map((hit) => hit.source)).size > 1;
  const parts = answer.hits.map((hit) => {
    const labels = hit.labels.map((label) => (label === 'unreviewed' ? colors.dim(label) : colors.yellow(label)));
    const head = [
      colors.dim(`${String(hit.rank).padStart(2)}.`),
      colors.bold(colors.cyan(place(hit))),
      many ? colors.dim(`[${hit.source}]`) : '',
      labels.join(', '),
    ].filter((part) => part !== '');
    const trail = hit.headingPath.length > 0 ? hit.headingPath.join(' › ') : hit.title;
    const body = clip(wrap(hit.excerpt.trim(), terminal.width - 4), EXCERPT_LINES);
    const reason = `${indent(
      wrap(hit.reason, terminal.width - 4).map((line) => colors.dim(line)),
      4,
    )}\n`;
    const also = hit.duplicates.length === 0 ? '' : colors.dim(`    also in ${hit.duplicates.map(place).join(', ')}\n`);
    return `${head.join(' ')}\n    ${colors.dim(inertLine(trail))}\n${indent(body, 4)}\n${reason}${also}`;
  });
  const more = answer.next === null ? '' : colors.dim(`\nMore: add --after ${answer.next}\n`);
  return `${parts.join('\n')}${more}`;
}
