/** Expectations about what a document was cut into. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { record } from './case-file.js';
import { brief, type Checks, type Findings, number, strings, verdict } from './check.js';
import { headingLines, isDelimiterRow, isTableRow, openFence } from './markdown-lines.js';
import type { Chunk, Product } from './product.js';

export interface ChunkSubject {
  readonly product: Product;
  readonly caseFolder: string;
  readonly chunks: readonly Chunk[];
}

export const CHUNK_CHECKS: Checks<ChunkSubject> = {
  heading_paths: ({ chunks }, expected) => {
    const actual = sectionPaths(chunks);
    return verdict(JSON.stringify(actual) === JSON.stringify(expected), `sections are ${brief(actual, 400)}`);
  },
  covers: holdsEach,
  whole: holdsEach,
  together: ({ chunks }, expected) =>
    verdict(
      chunks.some(({ text }) => strings(expected).every((piece) => text.includes(piece))),
      `no chunk holds all of ${brief(expected)}`,
    ),
  balanced_fences: each(({ text }) => openFence(text) === undefined, 'has a fence left open'),
  max_chunks: ({ chunks }, limit) => verdict(chunks.length <= number(limit), `${chunks.length} chunks`),
  max_chars: ({ chunks }, limit) =>
    chunks.flatMap(({ text }) => verdict(text.length <= number(limit), `a chunk of ${text.length} characters`)),
  no_text: ({ chunks }, expected) =>
    strings(expected).flatMap((unwanted) =>
      verdict(!chunks.some(({ text, prefix }) => text.includes(unwanted) || prefix.includes(unwanted)), `a chunk holds ${brief(unwanted)}`),
    ),
  no_text_longer_run: ({ chunks }, limit) =>
    chunks.flatMap(({ text }) => {
      const longest = Math.max(0, ...text.split(/\s+/u).map((run) => run.length));
      return verdict(longest <= number(limit), `an unbroken run of ${longest} characters`);
    }),
  each_line_once: ({ chunks, caseFolder }, file) => {
    const wanted = readFileSync(join(caseFolder, String(file)), 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    const counts = new Map<string, number>();
    for (const { text } of chunks) for (const line of text.split('\n')) counts.set(line, (counts.get(line) ?? 0) + 1);
    const wrong = wanted.filter((line) => counts.get(line) !== 1);
    return verdict(wrong.length === 0, `${wrong.length} of ${wanted.length} lines not exactly once, e.g. ${brief(wrong[0])}`);
  },
  max_model_tokens: async ({ chunks, product }) => {
    const limit = await modelLimit(product);
    return chunks.flatMap(({ modelTokens }) =>
      verdict(
        typeof modelTokens === 'number' && modelTokens > 0 && modelTokens <= limit,
        `modelTokens ${brief(modelTokens)} of at most ${limit}`,
      ),
    );
  },
  no_blank: each(({ text }) => text.trim() !== '', 'is blank'),
  no_heading_only: each(({ text }) => {
    const headings = headingLines(text);
    return text.split('\n').some((line, index) => line.trim() !== '' && !headings.has(index));
  }, 'holds only headings'),
  no_trailing_heading: each(({ text }) => {
    const lines = text.split('\n');
    const last = lines.findLastIndex((line) => line.trim() !== '');
    return !headingLines(text).has(last);
  }, 'ends with a heading'),
  wellformed: each(({ text }) => !/\p{Cs}/u.test(text), 'holds a lone surrogate'),
  char_count: ({ chunks }, expected) => {
    const { char, n } = record(expected, 'char_count');
    const count = chunks.reduce((sum, { text }) => sum + text.split(String(char)).length - 1, 0);
    return verdict(count === n, `${count} of ${brief(char)}, not ${brief(n)}`);
  },
  table_header: ({ chunks }, header) => {
    const withRows = chunks.filter(({ text }) => text.split('\n').some(isTableRow));
    if (withRows.length === 0) return ['no chunk holds a table row'];
    return withRows.flatMap(({ text }) => {
      const lines = text.split('\n');
      const at = lines.findIndex((line) => line.trim() === header);
      const first = lines.findIndex(isTableRow);
      return verdict(at >= 0 && at === first && isDelimiterRow(lines[at + 1] ?? ''), `a piece of the table begins ${brief(lines[first])}`);
    });
  },
};

/** Every section that some chunk lies in or under, in order of appearance. */
export function sectionPaths(chunks: readonly Pick<Chunk, 'headingPath'>[]): string[][] {
  const seen = new Map<string, string[]>();
  for (const { headingPath } of chunks) {
    for (let depth = 1; depth <= headingPath.length; depth += 1) {
      const path = headingPath.slice(0, depth);
      if (!seen.has(JSON.stringify(path))) seen.set(JSON.stringify(path), path);
    }
  }
  return [...seen.values()];
}

function each(holds: (chunk: Chunk) => boolean, what: string) {
  return ({ chunks }: ChunkSubject): Findings =>
    chunks.flatMap((chunk, index) => verdict(holds(chunk), `chunk ${index} ${what}: ${brief(chunk.text)}`));
}

function holdsEach({ chunks }: ChunkSubject, expected: unknown): Findings {
  return strings(expected).flatMap((piece) =>
    verdict(
      chunks.some(({ text }) => text.includes(piece)),
      `no chunk holds ${brief(piece)}`,
    ),
  );
}

/** What the model in use can take. Without a model nothing can be cut, and chunks need only be measured. */
async function modelLimit(product: Product): Promise<number> {
  const { json } = await product.status();
  const vectors = record(json['vectors'], 'status.vectors');
  if (vectors['model'] === 'none' || vectors['state'] === 'off') return Number.POSITIVE_INFINITY;
  const limit = vectors['maxTokens'];
  if (typeof limit !== 'number') throw new Error('status does not say what the model can take');
  return limit;
}
