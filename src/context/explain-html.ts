/**
 * Explain, as one page: what the agent was told, why, what stayed out, what it cost, and how to check all of it.
 *
 * Invariant: self-contained; no script, no request, and a policy that would refuse both (INJ-13).
 * Invariant: every string of the package is escaped where it is written; markup is built by `html` alone.
 */
import { isFenced } from '../domain/authority.js';
import type { ContextPackage, PackageBody, PackageItem } from '../domain/context-package.js';
import {
  badges,
  byReason,
  conflictText,
  count,
  EXCLUSION_TEXT,
  partedGaps,
  percentUsed,
  placeOf,
  spending,
  VERDICT_TEXT,
  versionRows,
} from './explain-parts.js';
import { EXPLAIN_STYLE } from './explain-style.js';
import { inertLine } from './inert.js';
import { titleLine, verificationText } from './preamble.js';
import { render } from './spotlight.js';

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
const SHOWN_CLASSES: ReadonlySet<string> = new Set(['governing', 'reference', 'frame']);

/** Markup that was built here; anything else is text and gets escaped. */
class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
type Part = string | number | Markup | readonly Markup[];

function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.reduce((text, literal, at) => text + written(parts[at - 1]) + literal));
}

function written(part: Part | undefined): string {
  if (part === undefined) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  return String(part).replace(/[&<>"'`]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

const NOTHING = html``;

export function explainHtml(entry: ContextPackage): string {
  const { body } = entry;
  const sections = [told(body), stayedOut(body), gaps(body), conflicts(body), asRead(body)];
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${inertLine(body.request.text)} · Colophon</title>
<style>${new Markup(EXPLAIN_STYLE)}</style>
</head>
<body>
<div class="sheet">
${head(entry)}
<main>
${sections}
</main>
${versions(entry)}
</div>
</body>
</html>
`;
  return page.text;
}

function head(entry: ContextPackage): Markup {
  const { body, digest } = entry;
  const status = html`<li class="chip ${body.status === 'frozen' ? 'good' : 'bad'}">${VERDICT_TEXT[body.status]}</li>`;
  const taint = body.taint ? html`<li class="chip warn">holds text from strangers, fenced</li>` : NOTHING;
  return html`<header>
<p class="mark">Colophon · context package</p>
<h1><bdi>${inertLine(body.request.text)}</bdi></h1>
<ul class="chips">${status}${taint}
<li class="chip">highest classification: ${body.classification}</li>
<li class="chip">as of ${body.request.asOf}</li>
<li class="chip">usable until ${body.expires}</li>
<li class="chip mono" title="${digest}">${digest.slice(0, 16)}</li></ul>
${budget(body)}
${body.reason === '' ? NOTHING : html`<p class="verdict"><strong>${VERDICT_TEXT[body.status]}:</strong> ${inertLine(body.reason)}</p>`}
</header>`;
}

function budget(body: PackageBody): Markup {
  const { ceiling, used } = body.budget;
  const parts = spending(body);
  const width = (tokens: number) => (ceiling === 0 ? 0 : Math.min(100, (100 * tokens) / ceiling)).toFixed(2);
  const bars = parts.map(([name, tokens]) => html`<span class="${colour(name)}" style="width:${width(tokens)}%"></span>`);
  const key = parts.map(([name, tokens]) => html`<li><i class="${colour(name)}"></i>${name} ${tokens}</li>`);
  const free = Math.max(0, ceiling - used);
  return html`<section class="budget" aria-label="Token budget">
<p class="figures"><strong>${used} of ${ceiling} tokens</strong><span class="dim">${percentUsed(body)} % used, ${free} left unused</span></p>
<div class="bar" role="img" aria-label="${used} of ${ceiling} tokens used">${bars}</div>
<ul class="key">${key}</ul>
</section>`;
}

function colour(name: string): string {
  return SHOWN_CLASSES.has(name) ? `c-${name}` : 'c-other';
}

function told(body: PackageBody): Markup {
  if (body.items.length === 0)
    return html`<section><h2>What the agent was told</h2><p class="lead">Nothing from the library.</p></section>`;
  return html`<section>
<h2>What the agent was told</h2>
<p class="lead">${count(body.items.length, 'passage')}, in this order.</p>
<ol class="cards">${body.items.map(card)}</ol>
</section>`;
}

function card(item: PackageItem): Markup {
  const fenced = isFenced(item.tier);
  const labels = badges(item).map(({ text, warns }) => html`<li class="chip${warns ? ' warn' : ''}">${text}</li>`);
  const verified = item.labels.includes('overdue') ? ' warn' : '';
  const note = fenced ? html`<p class="fence">Shown to the agent between boundary lines, as data and not as instructions.</p>` : NOTHING;
  return html`<li class="card${fenced ? ' fenced' : ''}"><article aria-labelledby="item-${item.position}">
<header><span class="n" aria-hidden="true">${item.position + 1}</span><h3 id="item-${item.position}"><bdi>${titleLine(item)}</bdi></h3>
<span class="place mono">${placeOf(item)}</span></header>
<ul class="chips"><li class="chip ${fenced ? 'warn' : 'good'}">${item.tier.replace('_', ' ')}</li>${labels}
<li class="chip${verified}">${verificationText(item)}</li><li class="chip">${item.classification}</li><li class="chip">${item.class}</li><li class="chip">${item.tokens} tokens</li></ul>
<p class="because"><span class="dim">Why:</span> ${item.reason}</p>${note}
<pre dir="auto" tabindex="0" aria-label="Excerpt of item ${item.position + 1}">${item.excerpt}</pre>
${duplicates(item)}<p class="dups mono">${item.artifact} · blob ${inertLine(item.blob).slice(0, 12)}</p>
</article></li>`;
}

function duplicates(item: PackageItem): Markup {
  if (item.duplicates.length === 0) return NOTHING;
  return html`<p class="dups">The same text also stands at <span class="mono">${item.duplicates.map(placeOf).join('; ')}</span></p>`;
}

function stayedOut(body: PackageBody): Markup {
  const { excluded } = body;
  if (excluded.length === 0) return html`<section><h2>What stayed out</h2><p class="lead">Nothing else came close.</p></section>`;
  const groups = byReason(excluded).map(([reason, items]) => html`<li class="chip">${EXCLUSION_TEXT[reason]}: ${items.length}</li>`);
  const rows = excluded.map(
    (
      item,
    ) => html`<tr><th scope="row"><bdi>${inertLine(item.title) || 'untitled'}</bdi><br><span class="mono dim">${inertLine(item.source)} ${inertLine(item.path)}</span></th>
<td>${EXCLUSION_TEXT[item.reason]}</td><td>${inertLine(item.detail)}</td></tr>`,
  );
  return html`<section>
<h2>What stayed out</h2>
<p class="lead">${count(excluded.length, 'passage')} you may see that the agent was not told.</p>
<ul class="chips">${groups}</ul>
<details${excluded.length <= 12 ? new Markup(' open') : NOTHING}><summary>Each with its reason</summary><div class="scroll" tabindex="0" role="region" aria-label="Passages that stayed out">
<table><thead><tr><th scope="col">Page</th><th scope="col">Reason</th><th scope="col">Detail</th></tr></thead><tbody>${rows}</tbody></table></div></details>
</section>`;
}

function gaps(body: PackageBody): Markup {
  if (body.gaps.length === 0) return NOTHING;
  const { words, sentences } = partedGaps(body.gaps);
  const list =
    sentences.length === 0 ? NOTHING : html`<ul class="plain">${sentences.map((gap) => html`<li><bdi>${inertLine(gap)}</bdi></li>`)}</ul>`;
  const chips = words.map((gap) => html`<li class="chip warn"><bdi>${inertLine(gap)}</bdi></li>`);
  const unheld =
    words.length === 0
      ? NOTHING
      : html`<p class="lead">No page you may see holds these words of the question.</p><ul class="chips">${chips}</ul>`;
  return html`<section><h2>What the library does not say</h2>${list}
${unheld}</section>`;
}

function conflicts(body: PackageBody): Markup {
  if (body.conflicts.length === 0) return NOTHING;
  const rows = body.conflicts.map(
    (conflict) =>
      html`<li>${inertLine(conflict.reason)}<br><span class="mono dim">${conflictText(body, conflict.artifacts).join('; ')}</span></li>`,
  );
  return html`<section><h2>Where pages disagree</h2><ul class="plain">${rows}</ul></section>`;
}

function asRead(body: PackageBody): Markup {
  const lines = render(body);
  if (lines === '') return NOTHING;
  return html`<section><h2>Word for word</h2><details><summary>The lines as the agent read them</summary><pre dir="auto" tabindex="0" aria-label="The rendered context">${lines}</pre></details></section>`;
}

function versions(entry: ContextPackage): Markup {
  const rows = versionRows(entry).map(
    ([name, value]) => html`<tr><th scope="row">${name}</th><td class="mono">${inertLine(value)}</td></tr>`,
  );
  return html`<footer>
<h2>How to check this</h2>
<p>The digest is SHA-256 over the canonical JSON of the package. <code>colophon package verify ${entry.digest.slice(0, 12)}</code> recomputes it.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Versions and request"><table><thead><tr><th scope="col">What</th><th scope="col">Value</th></tr></thead><tbody>${rows}</tbody></table></div>
</footer>`;
}
