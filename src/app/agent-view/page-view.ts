/**
 * A page, or some lines of it, as an agent reads it.
 *
 * Invariant: what does not fit is cut between lines, outside a code fence where one can be found, and the next call is named.
 */
import { inertLine, inertWord } from '../../context/inert.js';
import { NOTICE } from '../../context/preamble.js';
import { isFenced } from '../../domain/authority.js';
import { tokenBound } from '../../text/tokens.js';
import type { GetAnswer } from '../operations/get.js';
import { type AgentView, boundaryFor, fence, shown, shrunk, tokensOf } from './agent-view.js';
import { boundedProblems, inertFact, inertFacts, isPlainPath, problemLines, saidProblems, vouchedBy } from './inert-facts.js';

export function pageView(answer: GetAnswer, budgetTokens: number): AgentView {
  const boundary = boundaryFor([answer]);
  const fenced = isFenced(answer.tier);
  const { text, segments, meta, links, backlinks, path, title: _title, headingPath, problems: found, ...plain } = answer;
  const problems = saidProblems(found, vouchedBy([answer]));
  // Texts of segments stand in `text`; what else a page says of itself is said on one line each.
  const parts = segments?.map(({ text: _text, prefix: _prefix, ...place }) => place);
  const facts = {
    ...plain,
    ...boundedProblems(problems),
    ...(inertFacts({ meta, links, backlinks, segments: parts }) as object),
    ...(isPlainPath(path) ? { path } : {}),
    ...(fenced ? { untrusted: true } : {}),
  };
  const whole = shown(text);
  const lists = shrunk({ ...facts, ...(fenced ? { notice: NOTICE } : {}) }, Math.floor(budgetTokens / 3));
  // The text stands in both parts.
  const room = Math.max(MIN_TEXT_TOKENS, Math.floor((budgetTokens - tokensOf(lists)) / 2));
  const cut = cutAt(whole, room);
  const part = cut === undefined ? whole : whole.slice(0, cut.length);
  const lines = cut === undefined ? answer.lines : { start: answer.lines.start, end: answer.lines.start + cut.lines - 1 };
  const more = cut === undefined ? undefined : `${lines.end + 1}-${answer.lines.end}`;
  const title = inertFact(answer.title);
  const head = `${title} · ${[answer.tier, ...answer.labels].join(', ')} · ${inertWord(answer.source)} ${inertLine(path)}:${lines.start}-${lines.end}`;
  const blocks = [
    ...(fenced ? [`${answer.tier} text · ${NOTICE}\n${fence(`${head}\n${part}`, answer.tier, boundary)}`] : [head, part]),
    ...(more === undefined
      ? []
      : [`Truncated: lines ${more} follow. Ask again with lines ${JSON.stringify(more)}, or for one section with anchor.`]),
    ...problemLines(problems),
  ];
  return {
    structured: {
      ...lists,
      title,
      headingPath: headingPath.map(inertFact),
      lines,
      citation: `${isPlainPath(path) ? path : 'this page'}:${lines.start}-${lines.end}`,
      text: fence(part, answer.tier, boundary),
      truncated: more !== undefined || lists['truncated'] === true,
      ...(more === undefined ? {} : { next: { lines: more } }),
    },
    text: blocks.join('\n\n'),
  };
}

const MIN_TEXT_TOKENS = 500;

/** The longest run of whole lines within `tokens`, preferably one that ends outside a fence; undefined when all fits. */
function cutAt(text: string, tokens: number): { readonly length: number; readonly lines: number } | undefined {
  if (tokenBound(text) <= tokens) return undefined;
  let used = 0;
  let length = 0;
  let lines = 0;
  let open: string | undefined;
  let outside: { length: number; lines: number } | undefined;
  for (const line of text.split(/(?<=\n)/)) {
    used += tokenBound(line);
    if (used > tokens && lines > 0) break;
    length += line.length;
    lines += 1;
    open = fenceAfter(line, open);
    if (open === undefined) outside = { length, lines };
    if (used > tokens) return clipped(text, length, tokens);
  }
  return outside !== undefined && outside.lines > lines / 4 ? outside : { length, lines };
}

/** A first line that alone is too long is cut inside, never inside a character. */
function clipped(text: string, length: number, tokens: number): { length: number; lines: number } {
  let end = Math.min(length, tokens * 2);
  while (end > 1 && tokenBound(text.slice(0, end)) > tokens) end = Math.floor(end / 2);
  const splits = /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
  return { length: splits ? end - 1 : end, lines: 1 };
}

function fenceAfter(line: string, open: string | undefined): string | undefined {
  const mark = /^ {0,3}(?:[-*+>] +|> ?)*(`{3,}|~{3,})(.*)/.exec(line);
  if (mark === null) return open;
  const [, ticks = '', info = ''] = mark;
  if (open === undefined) return ticks;
  return ticks.startsWith(open) && info.trim() === '' ? undefined : open;
}
