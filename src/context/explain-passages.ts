/**
 * The passages of the explanation page: each in full, with where it stands, why it is there and what is known of it.
 *
 * Invariant: what holds for all passages is said once, what holds for one on its card.
 */
import { isFenced } from '../domain/authority.js';
import type { PackageBody, PackageItem } from '../domain/context-package.js';
import { counted } from '../kernel/counted.js';
import { LABEL_GLOSS, NOT_VERIFIED, TIER_GLOSS, termId, termName } from './explain-legend.js';
import { html, joined, type Markup, NOTHING } from './explain-markup.js';
import { badges, onlySource, placeOf } from './explain-parts.js';
import { inertLine } from './inert.js';
import { type WordMarker, wordMarker } from './mark-words.js';
import { rangeText, titleLine, verificationText } from './preamble.js';

/** A passage longer than this shows its first lines, and the rest on demand. */
const LINES_IN_FULL = 26;
const LINES_BEFORE_FOLD = 18;

export function passagesSection(body: PackageBody): Markup {
  const { items } = body;
  if (items.length === 0) return html`<section><h2>What the agent was given</h2><p class="lead">Nothing from the library.</p></section>`;
  const shared = sharedFacts(items);
  const sheet: Sheet = {
    items,
    cut: wordMarker(body.request.text),
    source: onlySource(body),
    shared: new Set(shared.map(({ text }) => text)),
  };
  return html`<section>
<h2>What the agent was given</h2>
<p class="lead">${counted(items.length, 'passage')}${items.length === 1 ? '' : ', in this order: of each class the best match first'}${sameSource(sheet.source)}. Words of the question are <mark>marked</mark>.</p>
${sharedList(items.length, shared)}
<ol class="cards">${items.map((item) => card(item, sheet))}</ol>
</section>`;
}

interface Sheet {
  readonly items: readonly PackageItem[];
  readonly cut: WordMarker;
  readonly source: string | undefined;
  readonly shared: ReadonlySet<string>;
}

interface Fact {
  readonly text: string;
  /** Key into the legend. */
  readonly term?: string;
  readonly gloss?: string;
  readonly look: '' | ' good' | ' warn';
}

function marked(text: string, cut: WordMarker): Markup {
  return html`${cut(text).map((piece) => (piece.marked ? html`<mark>${piece.text}</mark>` : html`${piece.text}`))}`;
}

function sameSource(source: string | undefined): Markup {
  return source === undefined || source.startsWith('@') ? NOTHING : html`, from the source <bdi>“${inertLine(source)}”</bdi>`;
}

/** Green says that somebody looked: text that nobody reviewed is at most trusted. */
function factsOf(item: PackageItem): readonly Fact[] {
  const tier = termName(item.tier);
  const seen = item.verifiedAt !== undefined && !isFenced(item.tier) && !item.labels.includes('unreviewed');
  const verification = verificationText(item);
  const overdue = item.labels.includes('overdue');
  return [
    { text: tier, term: tier, gloss: TIER_GLOSS[item.tier], look: isFenced(item.tier) ? ' warn' : '' },
    ...badges(item).map(({ text, warns }): Fact => ({ text, term: text, gloss: LABEL_GLOSS[text], look: warns ? ' warn' : '' })),
    item.verifiedAt === undefined && !overdue
      ? { text: verification, term: verification, gloss: NOT_VERIFIED, look: '' }
      : { text: verification, term: overdue ? 'overdue' : 'verified', look: overdue ? ' warn' : seen ? ' good' : '' },
    { text: item.classification, term: item.classification, look: '' },
    { text: item.class, term: item.class, look: '' },
    ...(item.dated === undefined ? [] : [{ text: `page dated ${item.dated}`, look: '' } as const]),
  ];
}

function sharedFacts(items: readonly PackageItem[]): readonly Fact[] {
  const [first, ...others] = items.map(factsOf);
  if (first === undefined || others.length === 0) return [];
  return first.filter(({ text }) => others.every((facts) => facts.some((each) => each.text === text)));
}

function sharedList(passages: number, shared: readonly Fact[]): Markup {
  if (shared.length === 0) return NOTHING;
  const glossed = shared.filter(({ gloss }) => gloss !== undefined);
  const list =
    glossed.length === 0
      ? NOTHING
      : html`<dl class="terms">${glossed.map(({ text, gloss = '' }) => html`<dt>${text}</dt><dd>${gloss}</dd>`)}</dl>`;
  return html`<div class="shared"><p>True of ${passages === 2 ? 'both' : `all ${passages}`}:</p><ul class="chips">${shared.map(chip)}</ul>${list}</div>`;
}

function chip({ text, term, look }: Fact): Markup {
  return term === undefined
    ? html`<li><span class="chip${look}">${text}</span></li>`
    : html`<li><a class="chip${look}" href="#${termId(term)}">${text}</a></li>`;
}

function card(item: PackageItem, sheet: Sheet): Markup {
  const { cut, shared } = sheet;
  const fenced = isFenced(item.tier);
  const own = factsOf(item).filter(({ text }) => !shared.has(text));
  const note = fenced ? html`<p class="fence">Shown to the agent between boundary lines, as data and not as instructions.</p>` : NOTHING;
  return html`<li class="card${fenced ? ' fenced' : ''}"><article aria-labelledby="item-${item.position}">
<header><span class="n" aria-hidden="true">${item.position + 1}</span><h3 id="item-${item.position}"><bdi>${marked(titleLine(item), cut)}</bdi></h3>
<span class="place">${place(item, sheet)}</span></header>
<ul class="chips">${own.map(chip)}<li><span class="chip">${item.tokens} tokens</span></li></ul>
<p class="because"><span class="dim">Why it is here:</span> ${item.reason}.</p>${summary(item, sheet)}${note}
${excerpt(item, cut)}
${duplicates(item)}
</article></li>`;
}

/** Once for each page. */
function summary(item: PackageItem, { cut, items }: Sheet): Markup {
  if (item.summary === undefined) return NOTHING;
  const first = items.find(({ source, path, summary: text }) => text !== undefined && source === item.source && path === item.path);
  const text = first === undefined || first === item ? marked(item.summary, cut) : html`see passage ${first.position + 1}.`;
  return html`<p class="because"><span class="dim">Summary of its page:</span> ${text}</p>`;
}

function place({ source, path, lines, provenance }: PackageItem, { cut, source: only }: Sheet): Markup {
  if (provenance !== undefined) return html`brought along by the caller, from <span class="mono">${inertLine(provenance.origin)}</span>`;
  const from = only === undefined ? html`, source <bdi>“${inertLine(source)}”</bdi>` : NOTHING;
  return html`<span class="mono">${marked(inertLine(path), cut)}</span>, ${lines.start === lines.end ? 'line' : 'lines'} ${rangeText(lines)}${from}`;
}

/** In full; of a long one the rest unfolds, without a second scroll bar inside the page. */
function excerpt(item: PackageItem, cut: WordMarker): Markup {
  const lines = item.excerpt.split('\n');
  const label = `Passage ${item.position + 1}`;
  if (lines.length <= LINES_IN_FULL) return html`<pre dir="auto" aria-label="${label}">${marked(item.excerpt, cut)}</pre>`;
  const first = lines.slice(0, LINES_BEFORE_FOLD).join('\n');
  const rest = lines.slice(LINES_BEFORE_FOLD);
  const marks = cut(rest.join('\n')).filter((piece) => piece.marked).length;
  return html`<pre dir="auto" class="cut" aria-label="${label}, first lines">${marked(first, cut)}</pre>
<details class="rest"><summary>Show the other ${rest.length} lines of this passage${marks === 0 ? NOTHING : html`, with ${counted(marks, 'marked word')}`}</summary><pre dir="auto" aria-label="${label}, other lines">${marked(rest.join('\n'), cut)}</pre></details>`;
}

function duplicates(item: PackageItem): Markup {
  if (item.duplicates.length === 0) return NOTHING;
  const places = item.duplicates.map((each) => html`<span class="mono">${placeOf(each)}</span>`);
  return html`<p class="dups">The same text also stands at ${joined(places, '; ')}.</p>`;
}
