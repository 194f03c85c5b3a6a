/**
 * What a page says of itself, as it may stand outside a fence: titles, headings, paths and the words of problems.
 *
 * Invariant: every string is one line, bounded, and free of what hides, reorders or looks like a boundary (MCP-04, T2.3).
 * Invariant: a path is the exact one or is not given; a changed path would name another page.
 */
import { clip, inertLine } from '../../context/inert.js';
import type { LineRange } from '../../domain/artifact.js';
import { isFenced, type TrustTier } from '../../domain/authority.js';
import type { Problem, ProblemCode } from '../../domain/problem.js';

export const LONGEST_FACT = 300;
const LONGEST_PATH = 1_000;
/** Problems named one by one in an answer; the rest are a count. */
export const PROBLEMS_NAMED = 5;

export function inertFact(text: string): string {
  return clip(inertLine(text), LONGEST_FACT);
}

/** Every string in it, keys too. */
export function inertFacts(value: unknown): unknown {
  if (typeof value === 'string') return inertFact(value);
  if (Array.isArray(value)) return value.map(inertFacts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => (each === undefined ? [] : [[inertFact(key), inertFacts(each)]])),
  );
}

/** A path that is one printable line as it is; any other is found by its artifact id. */
export function isPlainPath(path: string): boolean {
  return inertLine(path) === path;
}

export interface Place {
  readonly path?: string;
  readonly citation: string;
}

/** Where it stands: by path where that can be said, otherwise by the id. */
export function placeOf(path: string, lines: LineRange, id: string): Place {
  const range = `${lines.start}-${lines.end}`;
  return isPlainPath(path) ? { path, citation: `${path}:${range}` } : { citation: `${id}:${range}` };
}

/** What an answer says of a page, apart from its text. */
export interface Described {
  readonly artifact: string;
  readonly path: string;
  readonly title: string;
  readonly headingPath: readonly string[];
  readonly anchor: string;
  readonly lines: LineRange;
  readonly tier: TrustTier;
  readonly reason: string;
  readonly duplicates: readonly { readonly path: string }[];
}

/** The same fields, inert; `untrusted` marks those a stranger wrote. */
export function inertDescription<T extends Described>(item: T): Record<string, unknown> {
  const { path, ...rest } = item;
  return {
    ...rest,
    ...placeOf(path, item.lines, item.artifact),
    title: inertFact(item.title),
    headingPath: item.headingPath.map(inertFact),
    anchor: inertFact(item.anchor),
    reason: inertFact(item.reason),
    duplicates: item.duplicates.filter((each) => isPlainPath(each.path)),
    ...(isFenced(item.tier) ? { untrusted: true } : {}),
  };
}

/** Is this page's own wording fit to be repeated: is it of no fenced tier? */
export type Vouched = (source: string, path: string) => boolean;

export const nobodyVouched: Vouched = () => false;

export function vouchedBy(pages: readonly { readonly source: string; readonly path: string; readonly tier: TrustTier }[]): Vouched {
  const vouched = new Set(pages.filter((each) => !isFenced(each.tier)).map(({ source, path }) => JSON.stringify([source, path])));
  return (source, path) => vouched.has(JSON.stringify([source, path]));
}

export type SaidProblem = Omit<Problem, 'path'> & { readonly path: string; readonly untrusted?: true };

/**
 * Problems as an agent is told of them: worst first. Of a page nobody vouches for it hears code, line and a sentence of ours;
 * the message may quote names and keys that the page's author chose.
 */
export function saidProblems(problems: readonly Problem[], vouched: Vouched): SaidProblem[] {
  const rank = { error: 0, warning: 1, info: 2 } as const;
  return [...problems].sort((a, b) => rank[a.severity] - rank[b.severity]).map((each) => said(each, vouched));
}

function said(problem: Problem, vouched: Vouched): SaidProblem {
  const { message, hint, path } = problem;
  const plain = { ...problem, path: isPlainPath(path) && path.length <= LONGEST_PATH ? path : '' };
  const ofPage = /^(?:page|walk)\//.test(problem.code);
  if (!ofPage || vouched(problem.source, path)) return { ...plain, message: inertFact(message), hint: inertFact(hint) };
  return { ...plain, message: sentenceFor(problem.code), hint: FIXED_HINT, untrusted: true };
}

const FIXED_HINT = 'A person can see the details with `colophon status`.';

const SENTENCES: Partial<Record<ProblemCode, string>> = {
  'page/front-matter-invalid': 'The front matter of the page cannot be read in full.',
  'page/front-matter-not-yaml': 'The front matter of the page is not YAML.',
  'page/field-invalid': 'A field of the front matter has a value that cannot be used.',
  'page/governance-unreadable': 'A field that says who may read the page cannot be read.',
  'page/hidden-text': 'The page held text that a reader would not see; it was taken out.',
  'page/secret-masked': 'The page held a secret; it was masked.',
  'page/gone': 'The file is gone since it was indexed.',
  'page/changed': 'The file has changed since it was indexed.',
};

function sentenceFor(code: ProblemCode): string {
  return (
    SENTENCES[code] ?? (code.startsWith('page/') ? `The page has a problem (${code}).` : `Reading the folder met a problem (${code}).`)
  );
}

/** For the structured part: a few, and how many more there are. */
export function boundedProblems(problems: readonly SaidProblem[]): {
  readonly problems: readonly SaidProblem[];
  readonly problemsMore?: number;
} {
  const more = problems.length - PROBLEMS_NAMED;
  return more > 0 ? { problems: problems.slice(0, PROBLEMS_NAMED), problemsMore: more } : { problems };
}

/** Problems as lines below an answer. The path of a page that nobody vouches for is not said there. */
export function problemLines(problems: readonly SaidProblem[]): string[] {
  const lines = problems.slice(0, PROBLEMS_NAMED).map(({ code, path, line, message, hint, untrusted }) => {
    const where = untrusted === true ? `${code}${line === undefined ? '' : ` at line ${line}`}: ` : placeText(path, line);
    return `Note: ${where}${message} ${hint}`.trimEnd();
  });
  const rest = problems.length - lines.length;
  return rest === 0 ? lines : [...lines, `Note: ${rest} more problems; kb_status lists them.`];
}

function placeText(path: string, line: number | undefined): string {
  return path === '' ? '' : `${path}${line === undefined ? '' : `:${line}`}: `;
}
