/**
 * The product under test, through its public surfaces only: the command line with `--json`, and the stdio server.
 *
 * Cases speak of paths from their own folder; the product speaks of sources and paths from a source's root. This file is the
 * only place that knows both.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { Finished, RunOptions, Workspace } from './workspace.js';

/** What a case says about a folder when it registers it. */
export interface RegisteredFolder {
  readonly id: string;
  /** From the case's folder; `.` is the folder itself. */
  readonly folder: string;
  readonly tenant?: string;
  readonly classification?: string;
  readonly trust?: string;
  readonly permissions?: string;
}

/** Who asks: each narrows what the library would answer. */
export interface Asker {
  readonly tenant?: string;
  readonly ceiling?: string;
  readonly group?: string;
  readonly purpose?: string;
}

export interface Answer {
  readonly run: Finished;
  readonly json: Readonly<Record<string, unknown>>;
  readonly problems: readonly Readonly<Record<string, unknown>>[];
  /** The answer is `colophon/fault@1`. */
  readonly fault: boolean;
}

export interface Hit {
  readonly path: string;
  readonly source: string;
  readonly title: string;
  readonly artifact: string;
  readonly headingPath: readonly string[];
  readonly lines: { readonly start: number; readonly end: number };
  readonly excerpt: string;
  readonly labels: readonly string[];
}

export interface Chunk {
  readonly text: string;
  readonly prefix: string;
  readonly headingPath: readonly string[];
  readonly artifact: string;
  readonly modelTokens: unknown;
}

const TENANT = 'local';

export class Product {
  readonly #folders: RegisteredFolder[] = [];
  #seen: string[] = [];

  readonly workspace: Workspace;
  /** The file that is the command, e.g. `dist/interfaces/cli/main.js`. */
  readonly main: string;
  /** The case registers sources; otherwise its folder is the library, unconfigured. */
  readonly configured: boolean;

  constructor(workspace: Workspace, main: string, configured: boolean) {
    this.workspace = workspace;
    this.main = main;
    this.configured = configured;
  }

  get root(): string {
    return this.configured ? this.workspace.library : this.workspace.work;
  }

  /** Paths of all hits so far, as the product spelled them. */
  get pathsSeen(): readonly string[] {
    return this.#seen;
  }

  register(folder: RegisteredFolder): void {
    if (!this.configured) return;
    const known = this.#folders.findIndex(({ id }) => id === folder.id);
    if (known >= 0) this.#folders[known] = folder;
    else this.#folders.push(folder);
    mkdirSync(this.workspace.library, { recursive: true });
    writeFileSync(join(this.workspace.library, 'colophon.yaml'), this.#configuration());
  }

  sourceOf(folder: string): RegisteredFolder | undefined {
    return this.#folders.find((each) => posix.normalize(each.folder) === posix.normalize(folder));
  }

  #configuration(): string {
    const tenants = [...new Set([TENANT, ...this.#folders.flatMap(({ tenant }) => tenant ?? [])])];
    const permissions = [...new Set(this.#folders.flatMap(({ permissions: ref }) => ref ?? []))];
    return `${JSON.stringify(
      {
        version: 1,
        profile: 'personal',
        sources: this.#folders.map((each) => ({
          id: each.id,
          location: posix.join('../work', each.folder),
          ...(each.tenant === undefined ? {} : { tenant_scope: [each.tenant] }),
          // A case that says nothing of a folder's sensitivity means that anybody may see it.
          classification: each.classification ?? 'public',
          ...(each.trust === undefined ? {} : { trust_tier: each.trust }),
          ...(each.permissions === undefined ? {} : { permissions: each.permissions }),
        })),
        ...(tenants.length === 1 ? {} : { identity: { tenants } }),
        ...(permissions.length === 0 ? {} : { permissions: Object.fromEntries(permissions.map((ref) => [ref, [ref]])) }),
      },
      undefined,
      2,
    )}\n`;
  }

  /** Arguments of the node process for a verb. */
  argv(verb: readonly string[], asker: Asker = {}): string[] {
    const narrowing = (['tenant', 'ceiling', 'group', 'purpose'] as const).flatMap((name) => {
      const value = asker[name];
      return value === undefined ? [] : [`--${name}`, value];
    });
    const end = verb.indexOf('--');
    const [flags, text] = end < 0 ? [verb, []] : [verb.slice(0, end), verb.slice(end)];
    return [this.main, ...flags, '--root', this.root, ...narrowing, ...text];
  }

  run(verb: readonly string[], asker?: Asker, options?: RunOptions): Promise<Finished> {
    return this.workspace.run(process.execPath, this.argv(verb, asker), options);
  }

  async ask(verb: readonly string[], asker?: Asker, options?: RunOptions): Promise<Answer> {
    const run = await this.run(insertJson(verb), asker, options);
    return readAnswer(run, verb.join(' '));
  }

  /** One registered folder, or the whole library. */
  index(folder?: RegisteredFolder, options?: RunOptions): Promise<Answer> {
    return this.ask(this.indexVerb(folder), {}, options);
  }

  indexVerb(folder: RegisteredFolder | undefined): string[] {
    return folder === undefined || !this.configured ? ['index'] : ['index', '--source', folder.id];
  }

  async search(query: string, limit: number, filter: Filter = {}): Promise<{ readonly answer: Answer; readonly hits: readonly Hit[] }> {
    const flags = [
      ...(filter.mode === undefined ? [] : ['--mode', filter.mode]),
      ...(filter.path === undefined ? [] : ['--path', this.#scopePath(filter.path)]),
      ...(filter.version === undefined ? [] : ['--product-version', filter.version]),
    ];
    const answer = await this.ask(['search', '--limit', String(limit), ...flags, '--', query], filter);
    const hits = list(answer.json['hits']).map((hit) => this.hitOf(hit));
    return { answer, hits };
  }

  hitOf(hit: Readonly<Record<string, unknown>>): Hit {
    const path = String(hit['path']);
    this.#seen.push(path);
    return {
      path: this.toCase(String(hit['source']), path),
      source: String(hit['source']),
      title: String(hit['title'] ?? ''),
      artifact: String(hit['artifact']),
      headingPath: texts(hit['headingPath']),
      lines: hit['lines'] as Hit['lines'],
      excerpt: String(hit['excerpt'] ?? ''),
      labels: texts(hit['labels']),
    };
  }

  /** `get` of a page as the case names it; `raw` passes the text as it is. */
  get(doc: string, flags: readonly string[], asker: Asker = {}, raw = false): Promise<Answer> {
    const { path, source } = raw ? { path: doc, source: undefined } : this.toProduct(doc);
    return this.ask(['get', ...flags, ...(source === undefined ? [] : ['--source', source]), '--', path], asker);
  }

  async chunks(doc: string): Promise<{ readonly answer: Answer; readonly chunks: readonly Chunk[] }> {
    const answer = await this.get(doc, ['--segments']);
    const chunks = list(answer.json['segments']).map((segment) => ({
      text: String(segment['text'] ?? ''),
      prefix: String(segment['prefix'] ?? ''),
      headingPath: texts(segment['headingPath']),
      artifact: String(segment['artifact']),
      modelTokens: segment['modelTokens'],
    }));
    return { answer, chunks };
  }

  context(task: string, budgetTokens: number, asker: Asker = {}): Promise<Answer> {
    return this.ask(['context', '--budget', String(budgetTokens), '--', task], asker);
  }

  status(asker: Asker = {}): Promise<Answer> {
    return this.ask(['status'], asker);
  }

  /** From the product's address to the case's. */
  toCase(source: string, path: string): string {
    const folder = this.#folders.find(({ id }) => id === source)?.folder;
    return folder === undefined ? path : posix.normalize(posix.join(folder, path));
  }

  toProduct(doc: string): { readonly path: string; readonly source: string | undefined } {
    const inside = this.#folders
      .map((each) => ({ ...each, folder: posix.normalize(each.folder) }))
      .filter(({ folder }) => folder === '.' || doc.startsWith(`${folder}/`))
      .sort((a, b) => b.folder.length - a.folder.length)[0];
    if (inside === undefined) return { path: doc, source: undefined };
    return { path: inside.folder === '.' ? doc : doc.slice(inside.folder.length + 1), source: inside.id };
  }

  #scopePath(path: string): string {
    return this.configured ? this.toProduct(path).path : path;
  }
}

export interface Filter extends Asker {
  readonly mode?: 'any' | 'lexical';
  readonly path?: string;
  readonly version?: string;
}

function insertJson(verb: readonly string[]): string[] {
  const end = verb.indexOf('--');
  return end < 0 ? [...verb, '--json'] : [...verb.slice(0, end), '--json', ...verb.slice(end)];
}

export function readAnswer(run: Finished, what: string): Answer {
  let json: unknown;
  try {
    json = JSON.parse(run.stdout);
  } catch {
    const said = run.timedOut ? 'ran out of time' : `exit ${run.exit ?? run.signal}; stderr: ${run.stderr.trim().slice(0, 400)}`;
    throw new Error(`\`${what}\` gave no JSON object on stdout (${said})`);
  }
  if (typeof json !== 'object' || json === null) throw new Error(`\`${what}\` answered ${run.stdout.slice(0, 80)}`);
  const answer = json as Readonly<Record<string, unknown>>;
  return { run, json: answer, problems: list(answer['problems']), fault: answer['schema'] === 'colophon/fault@1' };
}

export function list(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [];
}

export function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** What a refusal says, for people: message and hint. */
export function saying(answer: Answer): string {
  const own = answer.fault ? [answer.json['message'], answer.json['hint'], answer.json['code']] : [];
  return [...own, ...answer.problems.flatMap((problem) => [problem['code'], problem['message'], problem['hint'], problem['path']])]
    .filter((part) => part !== undefined)
    .join('\n');
}
