/**
 * Explain, for a terminal: what went in and why, what stayed out and why, and what it cost of the ceiling.
 *
 * Colour is the surface's business: every run of text goes through `paint` with the role it plays.
 *
 * Invariant: no line is wider than `width` columns, and no text of a page can move the cursor.
 */

import { isFenced } from '../domain/authority.js';
import type { ContextPackage, ExcludedItem, Exclusion, PackageBody, PackageItem } from '../domain/context-package.js';
import { counted } from '../kernel/counted.js';
import { cutInside, cutToColumns, padToColumns, wrapToColumns } from './columns.js';
import {
  badges,
  byReason,
  cameNear,
  conflictText,
  EXCLUSION_TEXT,
  leftOutPages,
  onlySource,
  partedGaps,
  percentUsed,
  placeOf,
  spending,
  textAndLines,
  VERDICT_TEXT,
} from './explain-parts.js';
import { inertLine } from './inert.js';
import { rangeText, titleLine, verificationText } from './preamble.js';
import { quotedWords } from './reason.js';

export type PaintRole = 'heading' | 'strong' | 'plain' | 'dim' | 'good' | 'warn' | 'bad' | 'accent';
export type Paint = (role: PaintRole, text: string) => string;

const MIN_WIDTH = 40;
const MAX_WIDTH = 110;
const BAR_COLUMNS = 24;
const EXCLUDED_SHOWN = 4;
/** Excerpt lines shown of the first item, and of the others. */
const LEAD_LINES = 6;
const EXCERPT_LINES = 2;
const INDENT = '    ';

/** `pointed` makes the commands in a sentence mean the library at hand. */
export function explainPackage(
  entry: ContextPackage,
  width: number,
  paint: Paint = (_role, text) => text,
  pointed: (text: string) => string = (text) => text,
): string {
  const { body } = entry;
  const page: Sheet = { width: Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, Math.floor(width))), paint, pointed, source: onlySource(body) };
  const sections = [
    head(body, page),
    body.items.length === 0 ? [] : [paint('heading', 'Went in'), ...body.items.flatMap((item) => itemRows(item, page)).slice(0, -1)],
    stayedOutRows(body.excluded.filter(cameNear), page),
    gapRows(body, page),
    conflictRows(body, page),
    foot(entry, page),
  ];
  return `${sections
    .filter((section) => section.length > 0)
    .map((section) => section.join('\n'))
    .join('\n\n')}\n`;
}

interface Sheet {
  readonly width: number;
  readonly paint: Paint;
  readonly pointed: (text: string) => string;
  /** Where all comes from, if from one source; then it is said once. */
  readonly source: string | undefined;
}

function head(body: PackageBody, { width, paint }: Sheet): string[] {
  const good = body.status === 'frozen';
  const question = inertLine(body.request.text);
  const verdict = good ? counted(body.items.length, 'passage') : VERDICT_TEXT[body.status];
  const taint = body.taint ? paint('warn', ' · holds fenced text') : '';
  const full = Math.round((percentUsed(body) * BAR_COLUMNS) / 100);
  const bar = paint('accent', '█'.repeat(full)) + paint('dim', '░'.repeat(BAR_COLUMNS - full));
  const tokens = `${body.budget.used} of ${body.budget.ceiling} tokens`;
  const rows = [
    paint('strong', cutToColumns(`“${question}”`, width)),
    `${paint(good ? 'good' : 'warn', verdict)}${taint}`,
    `${bar} ${paint('plain', cutToColumns(tokens, width - BAR_COLUMNS - 1))}`,
  ];
  const { text, lines } = textAndLines(body);
  const parts = [...spending(body).map(([name, used]) => `${name} ${used}`), `of the passages ${text} are text, ${lines} header lines`];
  if (good) rows.push(paint('dim', cutToColumns(parts.join(' · '), width)));
  if (body.reason !== '') rows.push(...wrapToColumns(inertLine(body.reason), width).map((line) => paint('plain', line)));
  return rows;
}

function itemRows(item: PackageItem, { width, paint, source }: Sheet): string[] {
  const number = padToColumns(String(item.position + 1), 2, 'end');
  const inner = width - INDENT.length;
  const worn = badges(item);
  const line = [item.tier, ...worn.map(({ text }) => text), verificationText(item), `${item.tokens} tokens`].join(' · ');
  const warns = isFenced(item.tier) || item.labels.includes('overdue') || worn.some((badge) => badge.warns);
  return [
    `${paint('accent', `${number}  `)}${paint('strong', cutToColumns(titleLine(item), inner))}`,
    INDENT + paint('plain', cutToColumns(placeIn(item, source), inner)),
    ...wrapToColumns(line, inner).map((text) => INDENT + paint(warns ? 'warn' : 'dim', text)),
    ...wrapToColumns(item.reason, inner).map((line) => INDENT + paint('dim', line)),
    ...(item.summary === undefined ? [] : [INDENT + paint('dim', cutToColumns(`summary: ${inertLine(item.summary)}`, inner))]),
    ...excerptRows(item, inner).map((line) => `${INDENT}${paint('dim', '│')} ${paint('plain', line)}`),
    '',
  ];
}

function placeIn(item: PackageItem, only: string | undefined): string {
  return only === undefined ? placeOf(item) : `${inertLine(item.path)}:${rangeText(item.lines)}`;
}

/** The first lines of what the agent reads, blank ones left out. */
function excerptRows(item: PackageItem, inner: number): string[] {
  const lines = item.excerpt.split('\n').filter((line) => line.trim() !== '');
  const shown = lines.slice(0, item.position === 0 ? LEAD_LINES : EXCERPT_LINES).map((line) => cutToColumns(inertLine(line), inner - 2));
  const rest = lines.length - shown.length;
  return rest > 0 ? [...shown, `… ${counted(rest, 'more line')}`] : shown;
}

function stayedOutRows(excluded: readonly ExcludedItem[], sheet: Sheet): string[] {
  if (excluded.length === 0) return [];
  const ask =
    'Any other page: it holds no word of the question, matches more weakly, or is not here for you; `colophon why-not PATH` says which.';
  return [
    sheet.paint('heading', `Stayed out (${excluded.length})`),
    ...byReason(excluded).flatMap(([reason, items]) => reasonRows(reason, items, sheet)),
    ...wrapToColumns(sheet.pointed(ask), sheet.width - 2).map((line) => sheet.paint('dim', `  ${line}`)),
  ];
}

function reasonRows(reason: Exclusion, items: readonly ExcludedItem[], sheet: Sheet): string[] {
  const pages = leftOutPages(items);
  const rest = pages.length - EXCLUDED_SHOWN;
  return [
    sheet.paint('plain', cutToColumns(`  ${EXCLUSION_TEXT[reason]} (${items.length})`, sheet.width)),
    ...pages.slice(0, EXCLUDED_SHOWN).flatMap(({ passages }) => passages.slice(0, 1).map((item) => excludedRow(item, sheet))),
    ...(rest > 0 ? [sheet.paint('dim', `${INDENT}and ${counted(rest, 'more page')}`)] : []),
  ];
}

function excludedRow(item: ExcludedItem, { width, paint, source }: Sheet): string {
  const inner = width - INDENT.length;
  const path = item.lines === undefined ? inertLine(item.path) : `${inertLine(item.path)}:${rangeText(item.lines)}`;
  const place = source === undefined ? `${inertLine(item.source)} ${path}` : path;
  const left = Math.min(Math.floor(inner / 2), 44);
  return `${INDENT}${paint('plain', padToColumns(cutInside(place, left), left))}  ${paint('dim', cutToColumns(inertLine(item.detail), inner - left - 2))}`;
}

function gapRows({ gaps }: PackageBody, { width, paint }: Sheet): string[] {
  const { words, sentences } = partedGaps(gaps);
  const said = sentences.flatMap((gap) => wrapToColumns(inertLine(gap), width - INDENT.length).map((line) => paint('warn', INDENT + line)));
  const rows = said.length === 0 ? [] : [paint('heading', 'Missing'), ...said];
  if (words.length === 0) return rows;
  return [...rows, ...wrapToColumns(`On no page that may be shown here: ${quotedWords(words)}.`, width).map((line) => paint('warn', line))];
}

function conflictRows(body: PackageBody, { width, paint }: Sheet): string[] {
  if (body.conflicts.length === 0) return [];
  return [
    paint('heading', 'Disagree'),
    ...body.conflicts.flatMap((conflict) => [
      paint('warn', cutToColumns(`  ${inertLine(conflict.reason)}`, width)),
      ...conflictText(body, conflict.artifacts).map((place) => paint('plain', cutToColumns(INDENT + place, width))),
    ]),
  ];
}

function foot({ digest, body }: ContextPackage, { width, paint, source }: Sheet): string[] {
  const library = body.versions.manifest.slice(0, 12);
  const from = source === undefined ? '' : ` · source ${inertLine(source)}`;
  const line = `package ${digest.slice(0, 12)} · library ${library} · ${body.request.model} · usable until ${body.expires}${from}`;
  return wrapToColumns(line, width).map((text) => paint('dim', text));
}
