/**
 * The end of the explanation page: how to check it, what its words mean, and the ids and hashes, folded away.
 *
 * Invariant: promises no more than the commands do; an HTML file proves nothing about itself.
 */
import type { ContextPackage, PackageBody } from '../domain/context-package.js';
import { legend, termId } from './explain-legend.js';
import { html, type Markup, NOTHING } from './explain-markup.js';
import { versionRows } from './explain-parts.js';
import { inertLine } from './inert.js';

/** A command as it must be typed to mean the library that the page is about. */
export type Pointed = (command: string) => string;

export function checkSection({ digest }: ContextPackage, pointed: Pointed): Markup {
  const short = digest.slice(0, 12);
  return html`<section>
<h2>How to check this</h2>
<p>The library keeps the package this page was made from. This command computes its digest again:</p>
<pre class="shell">${pointed(`colophon package verify ${short}`)}</pre>
<p>It should answer <code>unaltered</code> and this digest: <code>${digest}</code></p>
<p>That covers the stored package, not this file: anybody can edit an HTML page. <code>${pointed(`colophon package explain ${short} --html -`)}</code> writes the page again, to compare. Keep the digest somewhere else as well, in a ticket or a commit, so that a package put in the place of this one would be noticed.</p>
</section>`;
}

export function legendSection(body: PackageBody): Markup {
  const rows = legend(body).map(([term, gloss]) => html`<dt id="${termId(term)}">${term}</dt><dd>${gloss}</dd>`);
  return html`<section><h2>What the words mean</h2><dl class="terms">${rows}</dl></section>`;
}

export function technicalSection(entry: ContextPackage): Markup {
  const rows = versionRows(entry).map(
    ([name, value]) => html`<tr><th scope="row">${name}</th><td class="mono">${inertLine(value)}</td></tr>`,
  );
  return html`<section><h2>Technical details</h2><details><summary>Versions, request, ids and hashes</summary><div class="inside">
<table><thead><tr><th scope="col">What</th><th scope="col">Value</th></tr></thead><tbody>${rows}</tbody></table>
${items(entry.body)}</div></details></section>`;
}

function items(body: PackageBody): Markup {
  if (body.items.length === 0) return NOTHING;
  const rows = body.items.map(
    (item) =>
      html`<tr><th scope="row">passage ${item.position + 1}</th><td class="mono">${item.artifact}<br>blob ${inertLine(item.blob)}<br>text ${item.excerptDigest}</td></tr>`,
  );
  return html`<table><thead><tr><th scope="col">Passage</th><th scope="col">Id, version of its page, SHA-256 of its text</th></tr></thead><tbody>${rows}</tbody></table>`;
}
