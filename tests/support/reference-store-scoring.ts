/** The reference store's BM25F: the formula read off the page, one document at a time, over plain arrays of terms. */
import { FIELDS, type Field, type FieldTerms } from '../../src/domain/fields.js';
import { isRetired } from '../../src/domain/page.js';
import type { PageLink, PreparedPage } from '../../src/domain/prepared-page.js';
import type { Alternative, QueryTerm } from '../../src/domain/query.js';
import type { LexicalAnswer, LexicalHit, LexicalQuery, NearQuery, NearTerm } from '../../src/ports/index-reader.js';

type Counts = Readonly<Record<Field, number>>;
const round = (value: number) => Math.round(value * 1e6) / 1e6;
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const fieldwise = (value: (field: Field) => number): Counts => Object.fromEntries(FIELDS.map((field) => [field, value(field)])) as Counts;

interface Text {
  readonly counts: (term: QueryTerm) => Counts;
  readonly lengths: Counts;
}

interface Collection {
  readonly size: number;
  readonly average: Counts;
}

function textOf(fields: FieldTerms, stemming: number): Text {
  const count = (field: Field, word: Pick<QueryTerm, 'kind' | 'term' | 'stem'>): number => {
    const times = (wanted: string) => fields[field].filter((each) => each === wanted).length;
    const exact = times(word.term);
    if (word.kind !== 'word') return exact;
    const stem = word.stem ?? word.term;
    const family = times(stem) + times(`~${stem}`);
    return exact + stemming * (family - exact);
  };
  const rarest = (field: Field, { words }: Alternative) => Math.min(...words.map((word) => count(field, word)));
  return {
    lengths: fieldwise((field) => fields[field].filter((each) => !each.startsWith('~')).length),
    counts: (term) =>
      fieldwise((field) => count(field, term) + sum((term.alternatives ?? []).map((each) => each.weight * rarest(field, each)))),
  };
}

/** What the engine says of the alternatives that a text holds. */
function throughOf(text: Text, { alternatives = [], ...term }: QueryTerm) {
  const has = (each: QueryTerm) => holds(text, each);
  const via = alternatives
    .filter((each) => has({ ...term, kind: 'bigram', term: '\u0000', alternatives: [each] }))
    .map(({ label }) => label);
  return { ...(via.length === 0 ? {} : { via }), ...(alternatives.length === 0 || has(term) ? {} : { itself: false as const }) };
}

/** A page as one text: prefix fields once, the others added up. */
function wholeOf(parts: readonly Text[]): Text {
  const join = (pick: (part: Text) => Counts) =>
    fieldwise((field) => {
      const values = parts.map((part) => pick(part)[field]);
      return field === 'body' || field === 'identifiers' ? sum(values) : Math.max(0, ...values);
    });
  return { lengths: join((part) => part.lengths), counts: (term) => join((part) => part.counts(term)) };
}

function collectionOf(texts: readonly Text[]): Collection {
  return { size: texts.length, average: fieldwise((field) => sum(texts.map((text) => text.lengths[field])) / texts.length) };
}

function gain(text: Text, term: QueryTerm, idf: number, all: Collection, policy: LexicalQuery['policy']['bm25f']): number {
  const counts = text.counts(term);
  const tf = sum(
    FIELDS.map((field) => {
      if (counts[field] === 0) return 0;
      const norm = 1 - policy.b[field] + (policy.b[field] * text.lengths[field]) / all.average[field];
      return (policy.boost[field] * counts[field]) / norm;
    }),
  );
  return tf === 0 ? 0 : (term.weight * idf * (policy.k1 + 1) * tf) / (policy.k1 + tf);
}

const holds = (text: Text, term: QueryTerm) => FIELDS.some((field) => text.counts(term)[field] > 0);
const idfOf = (size: number, frequency: number) => Math.log(1 + (size - frequency + 0.5) / (frequency + 0.5));

export function referenceLexical(
  seen: readonly PreparedPage[],
  query: LexicalQuery,
  inScope: (page: PreparedPage) => boolean,
): LexicalAnswer {
  const { terms, policy } = query;
  const pages = seen
    .filter((page) => page.artifacts.length > 0)
    .map((page) => {
      const stemming = query.stemming[page.page.source] ?? 1;
      const artifacts = page.artifacts.map((artifact) => ({ artifact, text: textOf(artifact.fields, stemming) }));
      return { page, artifacts, whole: wholeOf(artifacts.map((each) => each.text)) };
    });
  const texts = pages.flatMap((page) => page.artifacts.map((each) => each.text));
  const wholes = pages.map((page) => page.whole);
  const every = collectionOf(texts);
  const everyPage = collectionOf(wholes);
  const frequencies = terms.map((term) => texts.filter((text) => holds(text, term)).length);
  const idf = frequencies.map((frequency) => idfOf(every.size, frequency));
  const pageIdf = terms.map((term) => idfOf(everyPage.size, wholes.filter((text) => holds(text, term)).length));
  const mass = sum(terms.map((term, at) => (term.content ? (idf[at] ?? 0) : 0)));

  const hits: LexicalHit[] = [];
  const retired: LexicalHit[] = [];
  for (const { page, artifacts, whole } of pages) {
    if (!inScope(page) || terms.some((term) => term.required && !holds(whole, term))) continue;
    const ofPage = sum(terms.map((term, at) => gain(whole, term, pageIdf[at] ?? 0, everyPage, policy.bm25f)));
    const covered = sum(terms.map((term, at) => (term.content && holds(whole, term) ? (idf[at] ?? 0) : 0)));
    for (const { artifact, text } of artifacts) {
      if (!terms.some((term) => holds(text, term))) continue;
      const gains = terms.map((term, at) => gain(text, term, idf[at] ?? 0, every, policy.bm25f));
      const own = sum(gains);
      const parts = terms.flatMap((term, at) => {
        if (!holds(text, term)) return [];
        const fields = FIELDS.filter((field) => text.counts(term)[field] > 0);
        return [
          {
            surface: term.surface,
            fields,
            share: own > 0 ? Math.round(((gains[at] ?? 0) / own) * 100) / 100 : 0,
            ...throughOf(text, term),
          },
        ];
      });
      const hit = {
        artifact: artifact.id,
        source: page.page.source,
        path: page.page.path,
        score: round(own + policy.pageWeight * ofPage),
        coverage: mass > 0 ? round(covered / mass) : 0,
        parts,
      };
      (isRetired(page.page.meta, query.today) ? retired : hits).push(hit);
    }
  }
  const best = (found: LexicalHit[], limit: number) =>
    found.sort((a, b) => b.score - a.score || (a.artifact < b.artifact ? -1 : 1)).slice(0, limit);
  return { hits: best(hits, query.limit), retired: best(retired, 20), frequencies, population: texts.length };
}

export function referenceLinkScores(
  seen: readonly PreparedPage[],
  query: LexicalQuery,
): { readonly from: PreparedPage; readonly link: PageLink; readonly score: number }[] {
  const none = { title: [], headings: [], summary: [], identifiers: [] };
  const links = seen.flatMap((from) =>
    from.links
      .filter((link) => link.target.to === 'page' || link.target.to === 'name')
      .map((link) => ({ from, link, text: textOf({ ...none, body: link.terms }, query.stemming[from.page.source] ?? 1) })),
  );
  const all = collectionOf(links.map((each) => each.text));
  const idf = query.terms.map((term) => idfOf(all.size, links.filter((each) => holds(each.text, term)).length));
  return links
    .filter((each) => query.terms.some((term) => holds(each.text, term)))
    .map(({ from, link, text }) => ({
      from,
      link,
      score: sum(query.terms.map((term, at) => gain(text, term, idf[at] ?? 0, all, query.policy.bm25f))),
    }));
}

/** Words of the texts with the same first letter, by the distance of one from the other, letter by letter. */
export function referenceNear(seen: readonly PreparedPage[], { word, mostEdits }: NearQuery, limit: number): NearTerm[] {
  const artifacts = seen.flatMap((page) => page.artifacts.map(({ fields }) => new Set(FIELDS.flatMap((field) => fields[field]))));
  const terms = [...new Set(artifacts.flatMap((each) => [...each]))];
  return terms
    .filter((term) => /^\p{L}+$/u.test(term) && term[0] === word[0] && term !== word)
    .map((term) => ({ term, distance: distanceOf(word, term), frequency: artifacts.filter((each) => each.has(term)).length }))
    .filter(({ distance }) => distance <= mostEdits)
    .sort((a, b) => a.distance - b.distance || b.frequency - a.frequency || (a.term < b.term ? -1 : 1))
    .slice(0, limit);
}

/** The recursive definition, with what was worked out remembered. */
function distanceOf(a: string, b: string, known = new Map<string, number>()): number {
  if (a === '' || b === '') return a.length + b.length;
  const key = `${a.length} ${b.length}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const [restA, restB] = [a.slice(1), b.slice(1)];
  const ways = [
    distanceOf(restA, restB, known) + (a[0] === b[0] ? 0 : 1),
    distanceOf(restA, b, known) + 1,
    distanceOf(a, restB, known) + 1,
  ];
  if (a.length > 1 && b.length > 1 && a[0] === b[1] && a[1] === b[0]) ways.push(distanceOf(a.slice(2), b.slice(2), known) + 1);
  const least = Math.min(...ways);
  known.set(key, least);
  return least;
}
