/** What `get --meta --links --segments` shows people. */
import type { GetAnswer } from '../../app/operations/get.js';
import { inertLine } from './inert.js';
import type { Colors, Terminal } from './terminal.js';
import { oneLine, place } from './text-layout.js';

export function renderPageFacts(answer: GetAnswer, { colors, width }: Terminal): string {
  const labels = answer.labels.length > 0 ? ` ${colors.yellow(inertLine(answer.labels.join(', ')))}` : '';
  const head = `${colors.cyan(place(answer))} ${colors.dim(answer.version.blob.slice(0, 10))}${labels}\n`;
  const sections = [
    section('Meta', metaRows(answer, width), colors),
    section('Links', linkRows(answer, colors), colors),
    section('Linked from', backlinkRows(answer, colors), colors),
    section('Segments', segmentRows(answer, width, colors), colors),
  ];
  return head + sections.join('');
}

type Rows = readonly string[] | undefined;

function section(title: string, rows: Rows, colors: Colors): string {
  if (rows === undefined) return '';
  return `\n${colors.bold(title)}\n${rows.length === 0 ? '  none\n' : rows.map((row) => `  ${row}\n`).join('')}`;
}

function metaRows({ meta }: GetAnswer, width: number): Rows {
  if (meta === undefined) return undefined;
  return Object.entries(meta).flatMap(([key, value]) => {
    const text = Array.isArray(value) ? value.join(', ') : String(value);
    return text === '' ? [] : [`${inertLine(key)}: ${oneLine(text, width - key.length - 4)}`];
  });
}

function linkRows({ links }: GetAnswer, colors: Colors): Rows {
  return links?.map((link) => {
    const to = inertLine(link.to ?? link.href);
    // The address of a link that leads elsewhere has its anchor already.
    const anchor = link.anchor === '' || link.to === null ? '' : colors.dim(`#${inertLine(link.anchor)}`);
    return `${String(link.line).padStart(5)}  ${link.broken ? colors.red(`broken, wanted ${to}`) : to}${anchor}`;
  });
}

function backlinkRows({ backlinks }: GetAnswer, colors: Colors): Rows {
  return backlinks?.map((back) => `${inertLine(back.path)}:${back.line} ${colors.dim(oneLine(back.text, 60))}`);
}

function segmentRows({ segments, title }: GetAnswer, width: number, colors: Colors): Rows {
  return segments?.map(({ lines, modelTokens, headingPath, artifact }) => {
    const trail = oneLine(headingPath.join(' › ') || title, width - 60);
    return `${String(lines.start).padStart(5)}-${lines.end}  ${String(modelTokens).padStart(5)} tokens  ${trail}  ${colors.dim(artifact)}`;
  });
}
