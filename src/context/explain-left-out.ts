/**
 * What stayed out, for the explanation page: reason by reason and page by page, what came nearest first.
 *
 * Invariant: names only what the package names; how many pages this reader may not see is nowhere said (ATH-06).
 */
import type { ExcludedItem, Exclusion, PackageBody } from '../domain/context-package.js';
import { counted } from '../kernel/counted.js';
import type { Pointed } from './explain-check.js';
import { html, joined, type Markup, NOTHING } from './explain-markup.js';
import { byReason, cameNear, EXCLUSION_TEXT, type LeftOutPage, leftOutPages, onlySource } from './explain-parts.js';
import { inertLine } from './inert.js';
import { rangeText } from './preamble.js';

const UNFOLDED_PAGES = 8;

const REASON_GLOSS: Readonly<Partial<Record<Exclusion, string>>> = {
  'below-floor':
    'Unless some passage answers the question strongly enough, nothing goes in. Rare words count for more than common ones, and a word in a title or a short passage for more than one mentioned once in a long one. A passage must itself hold a word of the question, and weigh enough beside the best match. Nearest first.',
  budget:
    'They match well enough, but what was left of the token limit was too small for the whole passage, and passages are never cut. Best match first.',
};

export function leftOutSection(body: PackageBody, pointed: Pointed): Markup {
  const excluded = body.excluded.filter(cameNear);
  const only = onlySource(body);
  const groups = byReason(excluded).map(([reason, items]) => group(reason, items, only));
  const lead =
    excluded.length === 0
      ? html`<p class="lead">No other passage came close.</p>`
      : html`<p class="lead">${counted(excluded.length, 'passage')} on ${counted(leftOutPages(excluded).length, 'page')} ${excluded.length === 1 ? 'was' : 'were'} looked at and left out.</p>`;
  return html`<section>
<h2>What stayed out</h2>
${lead}
${groups}
<p class="note">A page that is named nowhere here holds nothing of the question, matched more weakly than the passages listed, or is not in the library for whoever asked. To ask about one page: <code>${pointed('colophon why-not PATH')}</code></p>
</section>`;
}

function group(reason: Exclusion, items: readonly ExcludedItem[], only: string | undefined): Markup {
  const pages = leftOutPages(items);
  const gloss = REASON_GLOSS[reason];
  const figures =
    items.length === pages.length
      ? counted(pages.length, 'page')
      : `${counted(items.length, 'passage')} on ${counted(pages.length, 'page')}`;
  return html`<details${pages.length <= UNFOLDED_PAGES ? html` open` : NOTHING}><summary>${sentence(EXCLUSION_TEXT[reason])}: ${figures}</summary>
<div class="inside">${gloss === undefined ? NOTHING : html`<p class="small">${gloss}</p>`}<ul class="pages">${pages.map((page) => leftOutPage(page, only))}</ul></div></details>`;
}

function leftOutPage({ source, path, title, passages }: LeftOutPage, only: string | undefined): Markup {
  const from = only === undefined ? html`, source <bdi>“${inertLine(source)}”</bdi>` : NOTHING;
  const rows = sameDetail(passages).map(([detail, items]) => html`<li>${places(items)}<span>${detail}</span></li>`);
  return html`<li><p><strong><bdi>${inertLine(title) || 'untitled'}</bdi></strong><br><span class="mono dim">${inertLine(path)}</span><span class="dim">${from}</span></p>
<ul class="passages">${rows}</ul></li>`;
}

/** Passages of a page that stayed out for the same reason in the same words, together. */
function sameDetail(passages: readonly ExcludedItem[]): readonly (readonly [string, readonly ExcludedItem[]])[] {
  const groups = new Map<string, ExcludedItem[]>();
  for (const item of passages) {
    const detail = inertLine(item.detail);
    groups.set(detail, [...(groups.get(detail) ?? []), item]);
  }
  return [...groups];
}

function places(items: readonly ExcludedItem[]): Markup {
  const known = items.filter(({ lines }) => lines !== undefined).sort((a, b) => (a.lines?.start ?? 0) - (b.lines?.start ?? 0));
  if (known.length === 0) return NOTHING;
  return html`<span class="dim">${joined(known.map(placeInPage), '; ')}: </span>`;
}

function placeInPage({ title, headingPath = [], lines }: ExcludedItem): Markup {
  const heading = inertLine((headingPath[0] === title ? headingPath.slice(1) : headingPath).at(-1) ?? '');
  const range = lines === undefined ? '' : `${lines.start === lines.end ? 'line' : 'lines'} ${rangeText(lines)}`;
  return heading === '' ? html`${range}` : html`<bdi>${heading}</bdi>, ${range}`;
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
