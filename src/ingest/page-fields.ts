/**
 * Page fields: front matter as declared types (DOC group). Values keep the author's spelling; a value of the wrong type is absent
 * and reported with its line.
 *
 * Spellings of other tools count where they can mean only one thing; our own spelling wins when both are there.
 */
import { CLASSIFICATIONS, type Classification } from '../domain/classification.js';
import { PAGE_STATUSES, type PageMeta, type PageStatus } from '../domain/page.js';
import { type Day, parseDay } from '../kernel/clock.js';
import type { FieldValue, FrontMatterField } from '../text/front-matter.js';
import type { Note } from './page-problems.js';

type Known = Exclude<keyof PageMeta, 'other'>;
type Reading = { readonly value: PageMeta[Known] } | { readonly fault: string } | 'absent' | 'elsewhere';
type Reader = (value: FieldValue) => Reading;

interface Row {
  readonly spellings: readonly string[];
  readonly read: Reader;
}

const TABLE: Readonly<Record<Known, Row>> = {
  title: { spellings: ['title'], read: text },
  description: { spellings: ['description', 'summary', 'abstract', 'excerpt'], read: text },
  status: { spellings: ['status'], read: status },
  supersededBy: { spellings: ['superseded_by', 'replaced_by'], read: text },
  owner: { spellings: ['owner'], read: text },
  verifiedAt: { spellings: ['verified_at', 'verified', 'verified_on', 'last_verified', 'last_reviewed', 'reviewed_at'], read: day },
  reviewBy: { spellings: ['review_by', 'review_due', 'next_review'], read: day },
  validUntil: { spellings: ['valid_until', 'expires', 'expires_at', 'expiry_date', 'expiration_date'], read: day },
  authorship: { spellings: ['authorship'], read: oneOf(['human', 'llm-assisted', 'llm-generated']) },
  origin: { spellings: ['origin'], read: text },
  scope: { spellings: ['scope'], read: oneOf(['internal', 'external'], 'elsewhere') },
  sensitivity: { spellings: ['sensitivity'], read: oneOf(['private', 'normal']) },
  classification: { spellings: ['classification'], read: oneOf(CLASSIFICATIONS) },
  productVersion: { spellings: ['product_version', 'version'], read: text },
  tags: { spellings: ['tags', 'tag', 'keywords'], read: list },
  aliases: { spellings: ['aliases', 'alias'], read: list },
  audience: { spellings: ['audience'], read: list },
  related: { spellings: ['related', 'see_also'], read: list },
};

const MAX_OTHER_FIELDS = 100;
const MAX_OTHER_UNITS = 1000;

export interface PageFields {
  readonly meta: PageMeta;
  /** Governing fields that are there and could not be read. */
  readonly unreadable: readonly FrontMatterField[];
}

/** A key as it may be said back: any blank in it, a line's end too, is a space. Only for keys that were found to be known ones. */
export function shownKey(key: string): string {
  return key.trim().replace(/\s+/g, ' ').slice(0, 40);
}

/** `supersededBy`, `superseded-by` and `Superseded By` are `superseded_by`. */
export function normalKey(key: string): string {
  return key
    .trim()
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
}

export function pageFields(fields: readonly FrontMatterField[], note: Note): PageFields {
  const byKey = firstByKey(fields);
  const known: Partial<Record<Known, PageMeta[Known]>> = {};
  const taken = new Set<FrontMatterField>();
  const unreadable: FrontMatterField[] = [];
  for (const [name, { spellings, read }] of Object.entries(TABLE) as readonly [Known, Row][]) {
    const governs = name === 'classification' || name === 'sensitivity';
    const same = governs ? spelledAs(fields, spellings) : [];
    const field = strictest(same, read) ?? firstOf(spellings, byKey);
    if (field === undefined) continue;
    const reading = read(field.value);
    noteTwice(same, name, note);
    if (reading === 'elsewhere') {
      noteUnknown(field, name, note);
      continue;
    }
    taken.add(field);
    if (governs && (reading === 'absent' || 'fault' in reading)) unreadable.push(field);
    else if (reading !== 'absent' && 'fault' in reading) noteFault(field, reading.fault, note);
    else if (reading !== 'absent') known[name] = reading.value;
  }
  const other = otherFields(fields.filter((field) => !taken.has(field)));
  return { meta: { tags: [], aliases: [], audience: [], related: [], ...known, other } as PageMeta, unreadable };
}

function firstByKey(fields: readonly FrontMatterField[]): ReadonlyMap<string, FrontMatterField> {
  const byKey = new Map<string, FrontMatterField>();
  for (const field of fields) if (!byKey.has(normalKey(field.key))) byKey.set(normalKey(field.key), field);
  return byKey;
}

function spelledAs(fields: readonly FrontMatterField[], spellings: readonly string[]): readonly FrontMatterField[] {
  return fields.filter(({ key }) => spellings.includes(normalKey(key)));
}

function firstOf(spellings: readonly string[], byKey: ReadonlyMap<string, FrontMatterField>): FrontMatterField | undefined {
  return spellings.map((spelling) => byKey.get(spelling)).find((each) => each !== undefined);
}

const RANKS: readonly unknown[] = CLASSIFICATIONS;

/** Of a governing field in several spellings: the one that cannot be read, else the one that keeps the page closest. */
function strictest(same: readonly FrontMatterField[], read: Reader): FrontMatterField | undefined {
  if (same.length < 2) return undefined;
  const rank = (field: FrontMatterField): number => {
    const reading = read(field.value);
    if (typeof reading === 'string' || !('value' in reading)) return Number.POSITIVE_INFINITY;
    return reading.value === 'private' ? 1 : RANKS.indexOf(reading.value);
  };
  return same.reduce((kept, each) => (rank(each) > rank(kept) ? each : kept));
}

function noteTwice(same: readonly FrontMatterField[], name: Known, note: Note): void {
  if (same.length < 2) return;
  note({
    code: 'page/field-invalid',
    severity: 'warning',
    line: same[1]?.line,
    message: `The field ${name} stands more than once, in other letters (${same.map(({ key }) => shownKey(key)).join(', ')}); the strictest counts.`,
    hint: 'Keep one of them.',
  });
}

function otherFields(fields: readonly FrontMatterField[]): Readonly<Record<string, string | readonly string[]>> {
  const entries: [string, string | readonly string[]][] = [];
  for (const { key, value } of fields.slice(0, MAX_OTHER_FIELDS)) {
    if (value.kind === 'text') entries.push([key, shortened(value.text)]);
    else if (value.kind === 'list' && value.items.length > 0) entries.push([key, value.items.slice(0, MAX_OTHER_FIELDS).map(shortened)]);
  }
  return Object.fromEntries(entries);
}

function shortened(value: string): string {
  return value.length <= MAX_OTHER_UNITS ? value : value.slice(0, MAX_OTHER_UNITS).replace(/[\ud800-\udbff]$/, '');
}

function noteFault(field: FrontMatterField, expected: string, note: Note): void {
  note({
    code: 'page/field-invalid',
    severity: 'warning',
    line: field.line,
    message: `The field ${shownKey(field.key)} must be ${expected}; it is left out.`,
    hint: 'Correct the value in the front matter.',
  });
}

function noteUnknown(field: FrontMatterField, name: Known, note: Note): void {
  if (name !== 'status') return;
  note({
    code: 'page/field-invalid',
    severity: 'info',
    line: field.line,
    message: `The status is none of ${PAGE_STATUSES.join(', ')}; it is kept for display and filters.`,
    hint: 'Use one of those, or map the folder to a status in colophon.yaml.',
  });
}

function text(value: FieldValue): Reading {
  if (value.kind === 'empty') return 'absent';
  if (value.kind === 'text') return { value: value.text.replace(/\s+/g, ' ').trim() };
  if (value.kind === 'list' && value.items.length === 1) return { value: value.items[0] ?? '' };
  return { fault: 'a text' };
}

function list(value: FieldValue): Reading {
  if (value.kind === 'empty') return 'absent';
  if (value.kind === 'text') return { value: [value.text] };
  if (value.kind === 'list') return { value: value.items.filter((item) => item !== '') };
  return { fault: 'a list of texts' };
}

/** The calendar day as written; a time of day after it is not kept, and no time zone can move it. */
function day(value: FieldValue): Reading {
  if (value.kind === 'empty') return 'absent';
  const expected = { fault: 'a day, written 2026-03-31' };
  if (value.kind !== 'text') return expected;
  const written = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ]\d{1,2}:\d{2}.*)?$/.exec(value.text.trim());
  if (written === null) return expected;
  const [, year = '', month = '', date = ''] = written;
  const parsed: Day | undefined = parseDay(`${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`);
  return parsed === undefined ? expected : { value: parsed };
}

function status(value: FieldValue): Reading {
  if (value.kind === 'empty') return 'absent';
  if (value.kind !== 'text') return { fault: `one of ${PAGE_STATUSES.join(', ')}` };
  const found = PAGE_STATUSES.find((each): each is PageStatus => each === value.text.trim().toLowerCase());
  return found === undefined ? 'elsewhere' : { value: found };
}

function oneOf(allowed: readonly (Classification | string)[], otherwise?: 'elsewhere'): Reader {
  return (value) => {
    if (value.kind === 'empty') return 'absent';
    const written = value.kind === 'text' ? value.text.trim().toLowerCase() : undefined;
    const found = allowed.find((each) => each === written);
    if (found !== undefined) return { value: found as PageMeta[Known] };
    return otherwise ?? { fault: `one of ${allowed.join(', ')}` };
  };
}
