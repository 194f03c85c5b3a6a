/**
 * `npm run bench:chunking -- DIR`: where are pages best cut? Our segments beside pieces of a fixed size and sections under headings.
 *
 * DIR holds `corpora/*.md` and `queries.jsonl` (`text`, `corpus_id`, `references` with `start_index` and `end_index` in characters), as the
 * chunking evaluation of Chroma has them. The pieces of all documents are ranked by one and the same BM25, so that only the cuts differ.
 * Recall is the share of the referenced tokens that was retrieved, precision the share of the retrieved tokens that was referenced, IoU
 * what both share of all of either. A piece that overlaps another counts what they share once for recall, and as read twice.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEveryDoor } from '../src/app/evaluation/labels.js';
import { openEvaluationLibrary } from '../src/app/evaluation/library.js';
import { noon } from '../src/app/evaluation/set.js';
import { mean, meanInterval } from '../src/evaluation/bootstrap.js';
import { placeCorpus } from '../src/evaluation/corpus-pages.js';
import { NO_SET_CONFIGURATION } from '../src/evaluation/set-configuration.js';
import type { Day } from '../src/kernel/clock.js';
import { Bm25, costOf } from './bm25.js';

const FIRST = 5;
const BUDGET = 1500;

interface Range {
  readonly document: string;
  /** In bytes of the file. */
  readonly start: number;
  readonly end: number;
}

interface Piece extends Range {
  readonly text: string;
}

interface Asked {
  readonly text: string;
  readonly references: readonly Range[];
}

type Scores = Record<'recall' | 'precision' | 'iou', number>;

export async function main(argv: readonly string[]): Promise<number> {
  const [folder] = argv;
  if (folder === undefined) {
    process.stderr.write('Name the folder: npm run bench:chunking -- DIR\n');
    return 2;
  }
  const documents = new Map(
    readdirSync(join(folder, 'corpora'))
      .sort()
      .map((name) => [name, readFileSync(join(folder, 'corpora', name))] as const),
  );
  const questions = questionsOf(readFileSync(join(folder, 'queries.jsonl'), 'utf8'), documents);
  const ways: Record<string, readonly Piece[]> = {
    'Colophon, segments': await segmentsOf(documents),
    'fixed, 200 tokens': cutAll(documents, fixed(200, 0)),
    'fixed, 400 tokens': cutAll(documents, fixed(400, 0)),
    'fixed, 400 tokens, 200 shared': cutAll(documents, fixed(400, 200)),
    'fixed, 800 tokens, 400 shared': cutAll(documents, fixed(800, 400)),
    'sections under headings': cutAll(documents, sections),
  };
  const rows = Object.entries(ways).map(([name, pieces]) => rowOf(name, pieces, questions, documents));
  const measures = ['recall', 'precision', 'IoU'];
  const head = [
    `${questions.length} questions`,
    'pieces',
    'tokens, mean',
    ...measures.map((each) => `${each}, first ${FIRST}`),
    ...measures.map((each) => `${each}, ${BUDGET} tokens`),
  ];
  process.stdout.write([head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join(''));
  return 0;
}

function rowOf(name: string, pieces: readonly Piece[], questions: readonly Asked[], documents: ReadonlyMap<string, Buffer>): string[] {
  const index = new Bm25(pieces.map(({ text }, at) => ({ page: String(at), heading: '', text })));
  const ranked = questions.map(({ text }) => index.rank(text, new Set()).flatMap(({ page }) => pieces[Number(page)] ?? []));
  const scored = (choose: (row: readonly Piece[]) => readonly Piece[]) =>
    questions.map(({ references }, at) => scoresOf(choose(ranked[at] ?? []), references, documents));
  const figures = [scored((row) => row.slice(0, FIRST)), scored(within)].flatMap((scores) =>
    (['recall', 'precision', 'iou'] as const).map((measure) => shown(scores.map((each) => each[measure]))),
  );
  return [name, String(pieces.length), mean(pieces.map(({ text }) => costOf(text))).toFixed(0), ...figures];
}

/** In rank order; one that does not fit is passed over. */
function within(ranked: readonly Piece[]): readonly Piece[] {
  let tokens = 0;
  return ranked.filter(({ text }) => {
    const cost = costOf(text);
    if (tokens + cost > BUDGET) return false;
    tokens += cost;
    return true;
  });
}

function scoresOf(read: readonly Piece[], references: readonly Range[], documents: ReadonlyMap<string, Buffer>): Scores {
  const tokensOf = (ranges: readonly Range[]) => ranges.reduce((sum, range) => sum + costOf(textOf(range, documents)), 0);
  const wanted = united(references);
  const seen = united(read);
  const both = seen.flatMap((a) =>
    wanted
      .filter((b) => a.document === b.document && a.start < b.end && b.start < a.end)
      .map((b) => ({ document: a.document, start: Math.max(a.start, b.start), end: Math.min(a.end, b.end) })),
  );
  const [shared, asked, got] = [tokensOf(both), tokensOf(wanted), read.reduce((sum, { text }) => sum + costOf(text), 0)];
  return { recall: share(shared, asked), precision: share(shared, got), iou: share(shared, asked + got - shared) };
}

function share(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.min(1, part / whole);
}

function united(ranges: readonly Range[]): readonly Range[] {
  const sorted = [...ranges].sort((a, b) => (a.document === b.document ? a.start - b.start : a.document < b.document ? -1 : 1));
  const made: Range[] = [];
  for (const { document, start, end } of sorted) {
    const last = made.at(-1);
    if (last === undefined || last.document !== document || last.end < start) made.push({ document, start, end });
    else made[made.length - 1] = { document, start: last.start, end: Math.max(last.end, end) };
  }
  return made;
}

function textOf({ document, start, end }: Range, documents: ReadonlyMap<string, Buffer>): string {
  return documents.get(document)?.subarray(start, end).toString('utf8') ?? '';
}

/** Through the product's own road: a library that holds the documents as they are. */
async function segmentsOf(documents: ReadonlyMap<string, Buffer>): Promise<readonly Piece[]> {
  const placed = placeCorpus([...documents].map(([id, bytes]) => ({ id, title: '', text: bytes.toString('utf8') })));
  const { library, source, close } = await openEvaluationLibrary(placed, NO_SET_CONFIGURATION, {
    signal: new AbortController().signal,
    progress: () => undefined,
  });
  const doors = await openEveryDoor(library, noon('2026-01-01' as Day));
  try {
    const pieces: Piece[] = [];
    for (const document of documents.keys()) {
      for (const { bytes, excerpt } of await doors.segments(`${source}:${document}`)) {
        pieces.push({ document, start: bytes.start, end: bytes.end, text: excerpt });
      }
    }
    return pieces;
  } finally {
    await doors.close();
    await close();
  }
}

/** Where each piece begins and ends, in characters. */
type Cut = (text: string) => readonly (readonly [start: number, end: number])[];

function cutAll(documents: ReadonlyMap<string, Buffer>, cut: Cut): readonly Piece[] {
  return [...documents].flatMap(([document, bytes]) => {
    const whole = bytes.toString('utf8');
    return cut(whole).map(([from, to]) => {
      const text = whole.slice(from, to);
      const start = Buffer.byteLength(whole.slice(0, from));
      return { document, start, end: start + Buffer.byteLength(text), text };
    });
  });
}

/** Whole words up to so many tokens, the last `shared` tokens of them again in the next piece. */
function fixed(tokens: number, shared: number): Cut {
  return (text) => {
    const words = [...text.matchAll(/\s*\S+/g)].map(({ 0: word, index }) => ({ end: index + word.length, index, cost: costOf(word) }));
    const pieces: (readonly [number, number])[] = [];
    let from = 0;
    while (from < words.length) {
      let to = from;
      let used = 0;
      while (to < words.length && (to === from || used + (words[to]?.cost ?? 0) <= tokens)) used += words[to++]?.cost ?? 0;
      pieces.push([words[from]?.index ?? 0, words[to - 1]?.end ?? 0]);
      if (to === words.length) break;
      let next = to;
      for (let back = 0; next > from + 1 && back < shared; ) back += words[--next]?.cost ?? 0;
      from = next;
    }
    return pieces;
  };
}

const sections: Cut = (text) => {
  const starts = [0, ...[...text.matchAll(/^#{1,6}\s/gm)].map(({ index }) => index), text.length];
  return starts.flatMap((start, at) => {
    const end = starts[at + 1] ?? start;
    return text.slice(start, end).trim() === '' ? [] : [[start, end] as const];
  });
};

function questionsOf(text: string, documents: ReadonlyMap<string, Buffer>): readonly Asked[] {
  const rows = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as QuestionRow);
  return rows.map(({ text: question, corpus_id, references }) => {
    const document = `${corpus_id}.md`;
    const whole = documents.get(document)?.toString('utf8') ?? '';
    const byte = (index: number) => Buffer.byteLength(whole.slice(0, index));
    return {
      text: question,
      references: references.map(({ start_index, end_index }) => ({ document, start: byte(start_index), end: byte(end_index) })),
    };
  });
}

interface QuestionRow {
  readonly text: string;
  readonly corpus_id: string;
  readonly references: readonly { readonly start_index: number; readonly end_index: number }[];
}

function shown(values: readonly number[]): string {
  const interval = meanInterval(values);
  const range = interval === undefined ? '' : ` [${interval.low.toFixed(3)}, ${interval.high.toFixed(3)}]`;
  return `${mean(values).toFixed(3)}${range}`;
}
