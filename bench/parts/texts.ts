/**
 * Texts to measure on: folders in BEIR layout or trees of markdown, cut down or multiplied to a wanted size.
 *
 * Invariant: the same folders and size give the same texts and questions. A copy of a page has part of its words replaced by
 * words that no other copy has, so that a multiplied corpus has a grown vocabulary, as a grown corpus would.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export interface Source {
  readonly path: string;
  readonly title: string;
  readonly text: string;
}

export interface Texts {
  readonly documents: readonly Source[];
  readonly questions: readonly string[];
}

const HEADING = /^#{1,4} +(\S.*)$/gm;
const FRONT_MATTER = /^---\n[\s\S]*?\n---\n/;
/** A word long enough to carry meaning, so that function words stay common to all copies. */
const LONG_WORD = /\p{L}{5,}/gu;
/** One word in this many is replaced in a copy. */
const REPLACED = 6;

export function readTexts(folders: readonly string[]): Texts {
  const documents: Source[] = [];
  const questions: string[] = [];
  for (const folder of folders) {
    if (existsSync(join(folder, 'corpus.jsonl'))) {
      documents.push(...jsonLines(join(folder, 'corpus.jsonl')).map(sourceOf));
      if (existsSync(join(folder, 'queries.jsonl'))) {
        questions.push(...jsonLines(join(folder, 'queries.jsonl')).map((row) => String(row['text'])));
      }
    } else documents.push(...markdownTree(folder));
  }
  return { documents: shuffled(documents, (each) => each.path), questions: questions.length > 0 ? questions : headings(documents) };
}

/** Every `questions.length / most`-th question. */
export function sampleQuestions(questions: readonly string[], most: number): string[] {
  const sorted = shuffled(questions, (each) => each);
  return sorted.slice(0, most);
}

/** The documents over and over, each round a copy of its own, without end. */
export function* multiplied(documents: readonly Source[]): Generator<Source> {
  if (documents.length === 0) return;
  for (let copy = 0; ; copy++) for (const document of documents) yield copy === 0 ? document : copyOf(document, copy);
}

function copyOf({ path, title, text }: Source, copy: number): Source {
  const suffix = letters(copy);
  return {
    path: `copy-${copy}/${path}`,
    title: `${title} ${suffix}`,
    text: text.replace(LONG_WORD, (word) => (hashOf(word, copy) % REPLACED === 0 ? `${word}${suffix}` : word)),
  };
}

/** Letters that no word ends in. */
function letters(copy: number): string {
  let rest = copy;
  let text = 'zq';
  do {
    text += String.fromCharCode(97 + (rest % 26));
    rest = Math.floor(rest / 26);
  } while (rest > 0);
  return text;
}

function markdownTree(folder: string): Source[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.mdx?$/i.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => {
      const text = readFileSync(file, 'utf8');
      return { path: relative(folder, file), title: /^# +(.*)$/m.exec(text)?.[1] ?? relative(folder, file), text };
    });
}

/** Headings ask for what stands below them: the questions of a tree that has none. */
function headings(documents: readonly Source[]): string[] {
  const found = new Set<string>();
  for (const { text } of documents) {
    for (const match of text.replace(FRONT_MATTER, '').matchAll(HEADING)) {
      const heading = (match[1] ?? '').replace(/<[^>]*>|[`*_<>[\]()#]|\{.*?\}|https?:\S+/g, ' ').trim();
      if (heading.split(/\s+/).length >= 4) found.add(heading);
    }
  }
  return [...found];
}

function sourceOf(row: Record<string, unknown>): Source {
  return { path: String(row['_id']), title: String(row['title'] ?? ''), text: String(row['text'] ?? '') };
}

function jsonLines(file: string): Record<string, unknown>[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((each) => each.trim() !== '').map((each) => JSON.parse(each) as Record<string, unknown>);
}

/** In an order that has nothing to do with the input's. */
function shuffled<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return items
    .map((item) => ({ item, key: keyOf(item), hash: hashOf(keyOf(item), 1) }))
    .sort((a, b) => a.hash - b.hash || (a.key < b.key ? -1 : 1))
    .map(({ item }) => item);
}

function hashOf(text: string, seed: number): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
