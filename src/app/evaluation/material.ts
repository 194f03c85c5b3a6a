/**
 * Material for weak labels: the pages one may read, what git tells of them, and the code beside them.
 *
 * Invariant: only what is in the library for this asker is taken, in its served form: what the index leaves out (secrets, pages
 * above a ceiling) is in no set that is made of it.
 * Invariant: code is read and never run, within bounds; hidden folders and installed packages are not entered.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { PAGE_STATUSES } from '../../domain/page.js';
import type { PageId } from '../../evaluation/metrics.js';
import { type CodeText, type Commit, mineCommits, mineErrors } from '../../evaluation/mine-history.js';
import { type MinedPage, minePages } from '../../evaluation/mine-pages.js';
import type { SetConfiguration } from '../../evaluation/set-configuration.js';
import type { WeakLabel } from '../../evaluation/weak-labels.js';
import type { StoredPage } from '../../ports/index-reader.js';
import { type Door, openDoor } from '../asking/asking.js';
import { readHistory } from '../container.js';
import type { Call } from '../operations/catalogue.js';

export interface Material {
  readonly pages: readonly MinedPage[];
  readonly labels: readonly WeakLabel[];
  /** Page → what it is called; a question that only says that asks nothing. */
  readonly names: ReadonlyMap<PageId, readonly string[]>;
  /** What the sources' rules say of paths, for a set that has no sources. */
  readonly configuration: SetConfiguration;
}

const PAGES_AT_ONCE = 500;
const MOST_COMMITS = 5_000;

export async function gatherMaterial(call: Call): Promise<Material> {
  const door = await openDoor(call);
  try {
    const stored = await everyPage(door);
    const idOf = idsFor(call);
    const pages: MinedPage[] = [];
    for (const page of stored) {
      call.signal.throwIfAborted();
      pages.push(await minedPage(door, page, idOf));
      call.progress({ phase: 'reading', done: pages.length, total: stored.length });
    }
    const known = new Set(pages.map(({ id }) => id));
    const commits = await commitsOf(call, known, idOf);
    const code = await codeBelow(call.library.config.root, call.signal);
    return {
      pages,
      labels: [...minePages(pages), ...mineCommits(commits), ...mineErrors(code, pages)],
      names: new Map(pages.map(({ id, title }) => [id, [title, ...pathNames(id)]])),
      configuration: configurationOf(call, idOf),
    };
  } finally {
    await door.snapshot.close();
  }
}

type IdOf = (page: { readonly source: string; readonly path: string }) => PageId;

/** A library of one source keeps its paths; of several, each has a folder. */
function idsFor({ library }: Call): IdOf {
  const single = library.config.sources.length === 1;
  return ({ source, path }) => (single ? path : `${source}/${path}`);
}

async function everyPage({ snapshot, eligible }: Door): Promise<StoredPage[]> {
  const pages: StoredPage[] = [];
  for (let after: string | undefined; ; ) {
    const next = await snapshot.pages(eligible, {}, { limit: PAGES_AT_ONCE, ...(after === undefined ? {} : { after }) });
    pages.push(...next);
    const last = next.at(-1);
    if (last === undefined || next.length < PAGES_AT_ONCE) return pages;
    after = last.path;
  }
}

async function minedPage({ snapshot, eligible }: Door, page: StoredPage, idOf: IdOf): Promise<MinedPage> {
  const links = await snapshot.links(eligible, page);
  const segments = await snapshot.segments(eligible, page);
  return {
    id: idOf(page),
    title: page.title,
    text: await snapshot.text(eligible, page),
    aliases: [...page.meta.aliases, ...formerPaths(page)],
    headings: [...new Set(segments.flatMap(({ headingPath }) => headingPath.slice(-1)))],
    links: links.flatMap(({ link, to }) => {
      if (to === undefined || link.kind === 'image' || link.kind === 'related') return [];
      return [{ text: link.text, href: link.href, line: link.line, to: idOf(to) }];
    }),
  };
}

/** Keys that sites of documentation use for the addresses a page once had. */
const FORMER = ['redirect_from', 'redirects', 'redirect', 'old_urls', 'legacy_paths', 'previous_paths'];

function formerPaths({ meta }: StoredPage): string[] {
  return FORMER.flatMap((key) => meta.other[key] ?? []);
}

function pathNames(id: PageId): string[] {
  return id.replace(/\.[a-z]+$/i, '').split('/');
}

async function commitsOf(call: Call, known: ReadonlySet<PageId>, idOf: IdOf): Promise<Commit[]> {
  const commits: Commit[] = [];
  for (const { id: source, location } of call.library.config.sources) {
    if (location.ref !== undefined) continue;
    for (const { id, subject, paths, files } of await readHistory(location.path, MOST_COMMITS, call.signal)) {
      const pages = paths.map((path) => idOf({ source, path })).filter((page) => known.has(page));
      commits.push({ id, subject, pages, files });
    }
  }
  return commits;
}

function configurationOf({ library }: Call, idOf: IdOf): SetConfiguration {
  const paths = library.config.sources.flatMap(({ id: source, rules }) =>
    rules.flatMap(({ glob, status, productVersion: version }) => {
      const said = PAGE_STATUSES.find((each) => each === status);
      if (said === undefined && version === undefined) return [];
      return [
        {
          glob: idOf({ source, path: glob }),
          ...(said === undefined ? {} : { status: said }),
          ...(version === undefined ? {} : { version }),
        },
      ];
    }),
  );
  return { paths };
}

const CODE = new Set(
  '.ts .tsx .js .jsx .mjs .cjs .py .go .rs .java .kt .rb .php .cs .c .cc .cpp .h .hpp .swift .sh .scala .ex .erl'.split(' '),
);
const LEFT_ALONE = new Set(['node_modules', 'vendor', 'dist', 'build', 'target', '__pycache__', 'site-packages', 'venv']);
const MOST_FILES = 3_000;
const MOST_BYTES = 256 * 1024;
const DEEPEST = 12;

async function codeBelow(root: string, signal: AbortSignal): Promise<CodeText[]> {
  const found: CodeText[] = [];
  const enter = async (folder: string, depth: number): Promise<void> => {
    signal.throwIfAborted();
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (found.length >= MOST_FILES) return;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.name.startsWith('.') || LEFT_ALONE.has(entry.name)) continue;
      if (entry.isDirectory() && depth < DEEPEST) await enter(path, depth + 1);
      else if (entry.isFile() && CODE.has(extname(entry.name))) await take(path);
    }
  };
  const take = async (path: string) => {
    const size = await stat(join(root, path)).catch(() => undefined);
    if (size === undefined || size.size > MOST_BYTES) return;
    const text = await readFile(join(root, path), 'utf8').catch(() => undefined);
    if (text !== undefined) found.push({ path, text });
  };
  await enter('', 0);
  return found;
}
