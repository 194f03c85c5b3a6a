/**
 * Explain, as one page: what the agent was told, why, what stayed out, what it cost, and how to check all of it.
 *
 * Invariant: self-contained; no script, no request, and a policy that would refuse both (INJ-13).
 * Invariant: every string of the package is escaped where it is written; markup is built by `html` alone.
 */
import type { ContextPackage, PackageBody, PackageFact } from '../domain/context-package.js';
import { counted } from '../kernel/counted.js';
import { checkSection, legendSection, type Pointed, technicalSection } from './explain-check.js';
import { leftOutSection } from './explain-left-out.js';
import { termId } from './explain-legend.js';
import { html, Markup, NOTHING } from './explain-markup.js';
import { conflictText, partedGaps, percentUsed, spending, textAndLines, VERDICT_TEXT } from './explain-parts.js';
import { passagesSection } from './explain-passages.js';
import { EXPLAIN_STYLE } from './explain-style.js';
import { inertLine } from './inert.js';
import { render } from './spotlight.js';

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
const VERDICT_LOOK: Readonly<Record<PackageBody['status'], string>> = { frozen: '', no_context: ' warn', blocked: ' bad' };
const COLOURED: ReadonlySet<string> = new Set(['governing', 'reference', 'frame']);

export function explainHtml(entry: ContextPackage, pointed: Pointed = (command) => command): string {
  const { body } = entry;
  const sections = [
    passagesSection(body),
    facts(body),
    gaps(body),
    conflicts(body),
    leftOutSection(body, pointed),
    asRead(body),
    checkSection(entry, pointed),
    legendSection(body),
    technicalSection(entry),
  ];
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
${head(body)}
<main>
${sections}
</main>
</div>
</body>
</html>
`;
  return page.text;
}

function head(body: PackageBody): Markup {
  const status = html`<li><a class="chip${VERDICT_LOOK[body.status]}" href="#${termId(VERDICT_TEXT[body.status])}">${VERDICT_TEXT[body.status]}</a></li>`;
  const taint = body.taint ? html`<li><span class="chip warn">holds text nobody vouches for, fenced</span></li>` : NOTHING;
  return html`<header>
<p class="mark">Colophon · what an agent was given to read</p>
<h1><bdi>${inertLine(body.request.text)}</bdi></h1>
${opening(body)}
${verdict(body)}
<ul class="chips">${status}${taint}
<li><a class="chip" href="#term-${body.classification}">most sensitive page named: ${body.classification}</a></li>
<li><a class="chip" href="#term-usable-until">usable until ${body.expires}</a></li></ul>
${budget(body)}
</header>`;
}

/** What this page is, for whom and when; it is easily taken for an answer. */
function opening({ status, items, request }: PackageBody): Markup {
  const asked = html`On <strong>${request.asOf}</strong> the client <strong>“<bdi>${inertLine(request.client)}</bdi>”</strong> put the question above to Colophon, which looks things up in a set of documents for AI agents.`;
  const given =
    status === 'frozen'
      ? html`This page shows what it handed to the agent: ${counted(items.length, 'passage')}, word for word. That is what the agent read before it answered, not its answer.`
      : html`The agent was given nothing to read but the reason why; this page shows how that came about. It is not the agent’s answer.`;
  return html`<p class="opening">${asked} ${given}</p>`;
}

function verdict({ status, reason }: PackageBody): Markup {
  return reason === ''
    ? NOTHING
    : html`<p class="verdict"><strong>${capital(VERDICT_TEXT[status])}:</strong> <bdi>${inertLine(reason)}</bdi></p>`;
}

function budget(body: PackageBody): Markup {
  const { ceiling, used } = body.budget;
  const parts = spending(body);
  const width = (tokens: number) => (ceiling === 0 ? 0 : Math.min(100, (100 * tokens) / ceiling)).toFixed(2);
  const bars = parts.map(([name, tokens]) => html`<span class="${colour(name)}" style="width:${width(tokens)}%"></span>`);
  const key = parts.map(([name, tokens]) => html`<li><i class="${colour(name)}"></i><a href="#term-${name}">${name}</a> ${tokens}</li>`);
  const free = Math.max(0, ceiling - used);
  return html`<section class="budget" aria-label="Token budget">
<p class="figures"><strong>${used} of ${ceiling} tokens used</strong><span class="dim">${percentUsed(body)} % of what the agent’s context may take here</span></p>
<div class="bar" aria-hidden="true">${bars}</div>
<ul class="key">${key}<li><i class="c-free"></i>not used ${free}</li></ul>
${spent(body)}
</section>`;
}

function spent(body: PackageBody): Markup {
  const { text, lines } = textAndLines(body);
  const split =
    body.items.length === 0
      ? NOTHING
      : html`Of the passages’ ${text + lines} tokens, ${text} are their own text and ${lines} the lines around it that name each one. `;
  return html`<p class="small">${split}Counted as an upper bound: never fewer than the tokenizers o200k and cl100k give, times the factor of the model profile “<bdi>${inertLine(body.request.model)}</bdi>”.</p>`;
}

function colour(name: string): string {
  return COLOURED.has(name) ? `c-${name}` : 'c-other';
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function facts({ facts: required = [], items }: PackageBody): Markup {
  if (required.length === 0) return NOTHING;
  const where = ({ items: holders }: PackageFact) => {
    const numbers = items.filter(({ artifact }) => holders.includes(artifact)).map(({ position }) => `${position + 1}`);
    return numbers.length === 0 ? '' : `, in passage ${numbers.join(', ')}`;
  };
  const rows = required.map((fact) => {
    const owner = fact.owner === undefined ? NOTHING : html` Ask <bdi>${inertLine(fact.owner)}</bdi>.`;
    const found = fact.status === 'resolved' ? `found${where(fact)}` : 'missing';
    return html`<li><bdi>${inertLine(fact.fact)}</bdi>: <strong>${found}</strong> (<bdi>${inertLine(fact.detail)}</bdi>).${owner}</li>`;
  });
  return html`<section><h2>What the agent could not do without</h2><ul class="plain">${rows}</ul></section>`;
}

function gaps(body: PackageBody): Markup {
  if (body.gaps.length === 0) return NOTHING;
  const { words, sentences } = partedGaps(body.gaps);
  const list =
    sentences.length === 0 ? NOTHING : html`<ul class="plain">${sentences.map((gap) => html`<li><bdi>${inertLine(gap)}</bdi></li>`)}</ul>`;
  const chips = words.map((gap) => html`<li><span class="chip warn"><bdi>${inertLine(gap)}</bdi></span></li>`);
  const unheld =
    words.length === 0
      ? NOTHING
      : html`<p class="lead">These words of the question stand on no page that whoever asked may see:</p><ul class="chips">${chips}</ul>`;
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
  return html`<section><h2>Word for word</h2><details><summary>All that the agent read, as it read it</summary><pre dir="auto">${lines}</pre></details></section>`;
}
