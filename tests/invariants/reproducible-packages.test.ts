/**
 * T4.1: the same question to the same library gives the same package, byte for byte, wherever and however it is asked.
 *
 * Six surroundings, two values each. Everyday eight processes in which any two of them meet in all their values, with 20 packages; in
 * the long proof sixteen in which any three do, with 200. COLOPHON_TEST_NODES names other Nodes (binaries, separated as in PATH).
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runs } from '../support/proof-scale.js';

const LIBRARY = fileURLToPath(new URL('../../dist/library.js', import.meta.url));
const CHILD = fileURLToPath(new URL('../support/compile-packages.mjs', import.meta.url));
const LONG = runs(1) > 1;
const PACKAGES = LONG ? 200 : 20;
/** More than the indexer makes in one thread. */
const PAGES = 240;

const AXES = {
  zone: ['UTC', 'Pacific/Kiritimati'],
  locale: ['C', 'sv_SE.UTF-8'],
  umask: ['022', '077'],
  cwd: ['root', 'elsewhere'],
  order: ['at once', 'in stages, the last first'],
  workers: ['1', '3'],
} as const;
type Axis = keyof typeof AXES;
type Surroundings = Readonly<Record<Axis, 0 | 1>>;
const NAMES = Object.keys(AXES) as Axis[];

/** A row is a number, a column the parity of some of its bits: orthogonal arrays, of strength 2 in 8 rows and of strength 3 in 16. */
const COLUMNS = LONG ? [1, 2, 4, 8, 7, 11] : [1, 2, 3, 4, 5, 6];
const STRENGTH = LONG ? 3 : 2;

function surroundings(): Surroundings[] {
  const parity = (bits: number) => [...bits.toString(2)].filter((each) => each === '1').length % 2;
  const row = (at: number) => Object.fromEntries(NAMES.map((name, column) => [name, parity(at & (COLUMNS[column] ?? 0))])) as Surroundings;
  return Array.from({ length: LONG ? 16 : 8 }, (_, at) => row(at));
}

interface Told {
  readonly node: string;
  readonly day: string;
  readonly digests: readonly string[];
  readonly touched: Readonly<Record<Axis | 'clock', string>>;
}

let base: string;
beforeAll(() => {
  if (!existsSync(LIBRARY)) throw new Error('dist/ is missing: run `npm run build` first');
  base = mkdtempSync(join(tmpdir(), 'colophon-reproducible-'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const NOUNS = ['valve', 'pump', 'rope', 'gate', 'crane', 'lamp', 'winch', 'anchor'];
const VERBS = ['open', 'grease', 'inspect', 'replace', 'drain', 'test'];
/** Names that sort, fold and compare differently by locale. */
const NAMED = ['ärm', 'zeta', 'Ålund', 'ızgara', 'İskele', 'co-op', 'coop', 'résumé', 'resume', 'Æther'];

function page(n: number): { readonly path: string; readonly text: string } {
  const noun = NOUNS[n % NOUNS.length] ?? '';
  const verb = VERBS[n % VERBS.length] ?? '';
  const name = NAMED[n % NAMED.length] ?? '';
  const dates = n % 3 === 0 ? `---\nverified_at: 2026-0${(n % 9) + 1}-01\nreview_by: 2026-12-0${(n % 9) + 1}\ntags: [${name}]\n---\n` : '';
  const text = `# ${name} ${noun} ${n}\n\nTo ${verb} the ${noun}, read ERR-${1000 + (n % 40)} first. ${name} answers for it.\n\n## When\n\nThe ${noun} is ${verb}ed on day ${n % 28} by crew ${n % 7}.\n`;
  return { path: `${name}-${noun}-${n}.md`, text: dates + text };
}

const REQUESTS = Array.from({ length: 200 }, (_, n) => ({
  query: `how do I ${VERBS[n % VERBS.length]} the ${NOUNS[n % NOUNS.length]} ${n % 2 === 0 ? `ERR-${1000 + (n % 40)}` : (NAMED[n % NAMED.length] ?? '')}`,
  model: ['generic', 'claude', 'gemini', 'local-8k'][n % 4],
  budget: 200 + n * 7,
  ...(n % 7 === 0 ? { tag: [NAMED[n % NAMED.length]] } : {}),
}));

async function compile(row: Surroundings, at: number, node: string): Promise<Told> {
  const folder = join(base, `${at}`);
  const root = join(folder, row.order === 0 ? 'docs' : 'other docs');
  const aside = join(folder, 'aside');
  for (const each of [root, aside]) mkdirSync(each, { recursive: true });
  const pages = Array.from({ length: PAGES }, (_, n) => page(n));
  // Half of them arrive after the rest has been indexed, and they are written the other way round.
  const late = row.order === 0 ? [] : pages.filter((_, n) => n % 2 === 0);
  for (const { path, text } of row.order === 0 ? pages : [...pages].reverse())
    writeFileSync(join(late.some((each) => each.path === path) ? aside : root, path), text);
  const moves = late.map(({ path }) => [join(aside, path), join(root, path)]);
  const given = {
    library: pathToFileURL(LIBRARY).href,
    root: row.cwd === 0 ? '.' : root,
    requests: REQUESTS.slice(0, PACKAGES),
    umask: Number.parseInt(AXES.umask[row.umask], 8),
    workers: Number(AXES.workers[row.workers]),
    stages: row.order === 0 ? [[]] : [[], moves],
  };
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    COLOPHON_HOME: join(folder, 'state'),
    TZ: AXES.zone[row.zone],
    LC_ALL: AXES.locale[row.locale],
  };
  const options = { cwd: row.cwd === 0 ? root : folder, env, maxBuffer: 16 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    execFile(node, [CHILD, JSON.stringify(given)], options, (error, stdout) => {
      rmSync(folder, { recursive: true, force: true });
      if (error === null) resolve(JSON.parse(stdout));
      else reject(error);
    });
  });
}

/** Two at a time: a process is mostly alone with its processor. */
async function compileAll(rows: readonly Surroundings[], node = process.execPath): Promise<Told[]> {
  const told: Told[] = [];
  for (let at = 0; at < rows.length; at += 2)
    told.push(...(await Promise.all(rows.slice(at, at + 2).map((row, beside) => compile(row, at + beside, node)))));
  // The day is part of a request. Whoever runs this at midnight runs it once more.
  return new Set(told.map(({ day }) => day)).size === 1 ? told : compileAll(rows, node);
}

const distinct = (values: readonly string[]): number => new Set(values).size;

describe('T4.1 a package is reproducible', () => {
  let told: Told[];
  const rows = surroundings();
  beforeAll(async () => {
    told = await compileAll(rows);
  }, 3_600_000);

  it(`${PACKAGES} packages have one digest each in ${rows.length} surroundings of ${NAMES.join(', ')}`, () => {
    expect(told).toHaveLength(rows.length);
    for (let at = 0; at < PACKAGES; at += 1) expect(distinct(told.map(({ digests }) => digests[at] ?? 'none')), `${at}`).toBe(1);
    expect(distinct(told[0]?.digests ?? [])).toBe(PACKAGES);
  });

  it.each(['clock', ...NAMES] as const)('would not be, had the digest to do with the %s', (name) => {
    expect(distinct(told.map(({ touched }) => touched[name]))).toBeGreaterThan(1);
  });

  it(`any ${STRENGTH} surroundings meet in all their values`, () => {
    const groups = (from: readonly Axis[], size: number): Axis[][] =>
      size === 0 ? [[]] : from.flatMap((first, at) => groups(from.slice(at + 1), size - 1).map((rest) => [first, ...rest]));
    for (const group of groups(NAMES, STRENGTH))
      expect(distinct(rows.map((row) => group.map((name) => row[name]).join(''))), group.join()).toBe(2 ** STRENGTH);
  });

  const others = (process.env['COLOPHON_TEST_NODES'] ?? '').split(delimiter).filter((each) => each !== '');
  if (others.length === 0) {
    process.stderr.write('NOT PROVED: T4.1 on another Node, because COLOPHON_TEST_NODES names none\n');
    return;
  }
  it('is the same on another Node (COLOPHON_TEST_NODES)', async () => {
    for (const node of others) {
      const there = await compileAll(rows, node);
      expect(there[0]?.node).not.toBe(process.version);
      for (const each of there) expect(each.digests, each.node).toEqual(told[0]?.digests);
    }
  }, 3_600_000);
});
