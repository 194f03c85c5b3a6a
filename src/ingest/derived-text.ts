/**
 * Derived text: what a page is called and said to be, scanned once more after it was put together.
 *
 * Titles, headings and summary lose their markup on the way, which can join what stood apart when the page was scanned.
 *
 * Invariant: no secret goes into a title, a heading path, a prefix or a summary.
 */
import type { Page } from '../domain/page.js';
import type { SecretScanner } from '../ports/secret-scanner.js';
import type { Heading } from '../text/outline.js';
import type { NormalPage } from './normalize.js';
import type { Note } from './page-problems.js';
import type { ParsedPage } from './parse.js';
import { secretMask } from './sanitize.js';

export interface Derived {
  readonly normal: NormalPage;
  readonly parsed: ParsedPage;
}

export async function scanDerived({ normal, parsed }: Derived, scanner: SecretScanner, note: Note): Promise<Derived> {
  const { page } = normal;
  const texts = [page.title, page.summary, ...parsed.outline.headings.map(({ title }) => title)];
  if ((await scanner.scan(texts.join('\n\n'))).length === 0) return { normal, parsed };
  const masked = new Map<string, string>();
  for (const text of new Set(texts)) masked.set(text, await withoutSecrets(text, scanner));
  const safe = (text: string) => masked.get(text) ?? text;
  note({
    code: 'page/secret-masked',
    severity: 'warning',
    message: 'A secret that markup had split was masked in a title, a heading or the summary.',
    hint: 'Remove it from the document and replace the credential: whoever can read the source has it.',
  });
  const headings = parsed.outline.headings.map((heading) => safeHeading(heading, safe));
  return {
    normal: { ...normal, page: safePage(page, safe) },
    parsed: { ...parsed, outline: { ...parsed.outline, headings } },
  };
}

function safePage(page: Page, safe: (text: string) => string): Page {
  const { title, description } = page.meta;
  return {
    ...page,
    title: safe(page.title),
    summary: safe(page.summary),
    meta: {
      ...page.meta,
      ...(title === undefined ? {} : { title: safe(title) }),
      ...(description === undefined ? {} : { description: safe(description) }),
    },
  };
}

/** The anchor is made of the title's words. */
function safeHeading(heading: Heading, safe: (text: string) => string): Heading {
  const title = safe(heading.title);
  return { ...heading, title, path: heading.path.map(safe), anchor: title === heading.title ? heading.anchor : 'secret-removed' };
}

export async function withoutSecrets(text: string, scanner: SecretScanner): Promise<string> {
  let out = '';
  let at = 0;
  for (const { start, end, kind } of await scanner.scan(text)) {
    out += text.slice(at, start) + secretMask(kind);
    at = end;
  }
  return out + text.slice(at);
}
