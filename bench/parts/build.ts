/** Building what is measured: pages are made once, handed to every builder, and let go. */
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { PreparedPage } from '../../src/domain/prepared-page.js';
import { colophonBuilder } from './colophon.js';
import type { Builder } from './contender.js';
import { fts5Builder } from './fts5.js';
import { type Layout, pagesOf } from './pages.js';
import type { Source } from './texts.js';

const PAGES_A_BATCH = 400;
/** Behind the name of a file that is not finished. */
const PART = '.part';

export interface Built {
  readonly name: string;
  readonly buildMs: number;
  readonly bytes: number;
}

export interface Corpus {
  readonly pages: number;
  readonly artifacts: number;
  readonly textBytes: number;
  readonly built: readonly Built[];
}

export interface Files {
  readonly index: string;
  readonly fts: string;
}

export function filesIn(folder: string, layout: Layout): Files {
  const name = [layout.artifacts, layout.groups, layout.keptGroups ?? 'all', layout.joined === true ? 'joined' : 'apart'].join('-');
  return { index: join(folder, `${name}.index.db`), fts: join(folder, `${name}.fts.db`) };
}

/** Builds the index, and FTS5 when asked for, unless both are there already; `more` are given the same pages. */
export async function build(
  folder: string,
  documents: readonly Source[],
  layout: Layout,
  { fts = true, more = [] }: { readonly fts?: boolean; readonly more?: readonly (Builder & { readonly name: string })[] } = {},
): Promise<Corpus> {
  const files = filesIn(folder, layout);
  const builders: { readonly name: string; readonly builder: Builder; readonly file?: string }[] = [];
  if (!existsSync(files.index)) builders.push({ name: 'Colophon', builder: await colophonBuilder(begun(files.index)), file: files.index });
  if (fts && !existsSync(files.fts)) builders.push({ name: 'FTS5', builder: fts5Builder(begun(files.fts)), file: files.fts });
  for (const each of more) builders.push({ name: each.name, builder: each });
  const took = builders.map(() => 0);
  let [pages, artifacts, textBytes] = [0, 0, 0];
  for (const batch of batches(pagesOf(documents, layout), PAGES_A_BATCH)) {
    pages += batch.length;
    for (const page of batch) {
      artifacts += page.artifacts.length;
      textBytes += page.text.length;
    }
    for (const [at, { builder }] of builders.entries()) took[at] = (took[at] ?? 0) + (await timed(() => builder.add(batch)));
  }
  for (const [at, { builder }] of builders.entries()) took[at] = (took[at] ?? 0) + (await timed(() => builder.finish()));
  for (const { file } of builders) if (file !== undefined) finished(file);
  const built = builders.map(({ name, file }, at) => ({
    name,
    buildMs: took[at] ?? 0,
    bytes: file === undefined ? 0 : statSync(file).size,
  }));
  return { pages, artifacts, textBytes, built };
}

/** The name under which it is built, with nothing there. */
function begun(file: string): string {
  for (const end of endings(file)) rmSync(`${file}${PART}${end}`, { force: true });
  return `${file}${PART}`;
}

/** Gives it its own name, and what lies beside it. */
function finished(file: string): void {
  for (const end of endings(file)) renameSync(`${file}${PART}${end}`, `${file}${end}`);
}

/** What follows the unfinished file's name in the names there are. */
function endings(file: string): string[] {
  const part = `${basename(file)}${PART}`;
  return readdirSync(dirname(file)).flatMap((name) => (name.startsWith(part) ? [name.slice(part.length)] : []));
}

function* batches(pages: Iterable<PreparedPage>, size: number): Generator<PreparedPage[]> {
  let batch: PreparedPage[] = [];
  for (const page of pages) {
    batch.push(page);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function timed(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
