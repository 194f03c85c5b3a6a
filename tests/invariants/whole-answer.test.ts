/**
 * T1.1, whole answers: search, context (with its package digest), get, links and status, asked of a library that holds everything
 * and of one that holds only what the asker may see, give the same bytes; and still do after hidden pages were edited.
 *
 * The libraries are made from files by the real path: connector, ingest, index, operations.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/app/config.js';
import { openContainer } from '../../src/app/container.js';
import { resolveAsk } from '../../src/app/identity.js';
import { learn } from '../../src/app/learn.js';
import type { Library } from '../../src/app/library.js';
import type { Call, Operation } from '../../src/app/operations/catalogue.js';
import { context } from '../../src/app/operations/context.js';
import { get } from '../../src/app/operations/get.js';
import { search } from '../../src/app/operations/search.js';
import { status } from '../../src/app/operations/status.js';
import type { Instant } from '../../src/kernel/clock.js';
import { canonicalJson } from '../../src/kernel/digest.js';
import { Fault } from '../../src/kernel/errors.js';
import { runs } from '../support/proof-scale.js';
import { globalStatistics, type Lexical, takeThenFilter } from '../support/reference-store-mutants.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const QUESTIONS_PER_LIBRARY = 10;
const LIBRARIES = runs(10);
const NOW = Date.UTC(2026, 10, 30, 12) as Instant;

const WORDS =
  'gate drain valve berth timetable ticket refund crane pump harbour pilot signal roster leave receipt ERR-4012 max_idle_ms engine winter night'.split(
    ' ',
  );
const ASKERS = [
  { tenant: 'north', ceiling: 'internal', client: 'agent' },
  { tenant: 'north', ceiling: 'public', client: 'terminal' },
  { tenant: 'south', ceiling: 'confidential', client: 'agent' },
] as const;

/** A small seeded generator: the same trials on every machine. */
function seeded(seed: number): (below: number) => number {
  let state = seed * 2654435761 + 1;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 4294967296) * below);
  };
}

interface File {
  readonly path: string;
  readonly text: string;
  /** Which askers may see it, by their place in ASKERS. */
  readonly seenBy: readonly boolean[];
}

const SOURCES = [
  { id: 'open', classification: 'public', tenants: ['north', 'south'], sees: [true, true, true] },
  { id: 'staff', classification: 'internal', tenants: ['north', 'south'], sees: [true, false, true] },
  { id: 'north', classification: 'internal', tenants: ['north'], sees: [true, false, false] },
  { id: 'south', classification: 'confidential', tenants: ['south'], sees: [false, false, true] },
] as const;

function someFiles(random: (below: number) => number): File[] {
  const pick = () => WORDS[random(WORDS.length)] ?? 'gate';
  const sentence = () => `${Array.from({ length: 4 + random(9) }, pick).join(' ')}.`;
  return Array.from({ length: 14 + random(10) }, (_, n): File => {
    const source = SOURCES[random(SOURCES.length)] ?? SOURCES[0];
    const kind = random(8);
    const raised = kind === 0;
    const hidden = kind === 1;
    const meta = [
      `title: ${pick()} ${pick()}`,
      ...(raised ? ['classification: restricted'] : []),
      ...(hidden ? ['sensitivity: private'] : []),
      ...(kind === 2 ? ['status: legacy'] : []),
      ...(kind === 3 ? [`superseded_by: p${random(20)}.md`] : []),
    ];
    const body = Array.from(
      { length: 1 + random(4) },
      () => `## ${pick()}\n\n${sentence()} ${sentence()}\n\nSee [${pick()} ${pick()}](p${random(24)}.md).`,
    );
    return {
      path: `${source.id}/p${n}.md`,
      text: `---\n${meta.join('\n')}\n---\n\n# ${pick()} ${pick()}\n\n${body.join('\n\n')}\n`,
      seenBy: ASKERS.map((asker, at) => (source.sees[at] ?? false) && !raised && !(hidden && asker.client !== 'terminal')),
    };
  });
}

const CONFIG = `version: 1
profile: team
identity: { principal: person:ada, tenants: [north, south], purposes: [assist], groups: [staff], ceiling: restricted }
permissions: { everyone: [staff] }
sources:
${SOURCES.map(
  ({ id, classification, tenants }) => `  - id: ${id}
    owner: role:${id}
    authority_class: reference
    connector_identity: workload://colophon/directory
    location: { connector: directory, path: ./${id} }
    classification: ${classification}
    tenant_scope: [${tenants.join(', ')}]
    allowed_purposes: [assist]
    freshness_slo: P30D
    retention_policy: keep@1
    correction_and_deletion: source-authoritative
    state: approved
    permissions: everyone
    trust_tier: trusted
`,
).join('')}`;

const folder = temporaryFolder();
afterAll(() => folder.dispose());

/** Lays the files out under the same path each time, because a library's place must not matter to the comparison. */
async function open(name: string, files: readonly File[]): Promise<Library> {
  const root = join(folder.path, name);
  rmSync(root, { recursive: true, force: true });
  for (const { id } of SOURCES) mkdirSync(join(root, id), { recursive: true });
  writeFileSync(join(root, 'colophon.yaml'), CONFIG);
  lay(root, files);
  const library = await openContainer(await resolveConfig({ env: {}, cwd: root }), { now: () => NOW });
  await learn(library);
  return library;
}

function lay(root: string, files: readonly File[]): void {
  for (const { path, text } of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

async function told(operation: Operation, input: unknown, call: Call): Promise<string> {
  try {
    return canonicalJson(JSON.parse(JSON.stringify(await operation.run(operation.input.parse(input), call))));
  } catch (error) {
    if (error instanceof Fault) return canonicalJson({ code: error.code, message: error.message, hint: error.hint });
    throw error;
  }
}

async function everythingTold(library: Library, asker: number, question: string, paths: readonly string[]): Promise<string> {
  const caller = { workload: 'workload://colophon/mcp', defaultClient: 'agent' };
  const ask = resolveAsk(library.config, ASKERS[asker] ?? {}, caller, NOW);
  const call: Call = { library, ask, signal: new AbortController().signal, progress: () => undefined };
  const answers = [
    await told(search, { query: question, limit: 5 }, call),
    await told(search, { query: `"${question.split(' ')[0]}" ${question}`, limit: 3 }, call),
    await told(context, { query: question }, call),
    await told(status, {}, call),
  ];
  for (const path of paths) {
    const [source = '', ...rest] = path.split('/');
    answers.push(await told(get, { path: rest.join('/'), source, meta: true, links: true }, call));
  }
  return answers.join('\n');
}

const questionOf = (random: (below: number) => number) =>
  Array.from({ length: 2 + random(4) }, () => WORDS[random(WORDS.length)]).join(' ');

/** The same library through a mutant's eyes. */
function throughMutant(library: Library, lexical: Lexical): Library {
  return {
    ...library,
    reader: {
      ...library.reader,
      totals: () => library.reader.totals(),
      checkpoints: () => library.reader.checkpoints(),
      pending: () => library.reader.pending(),
      problems: (source) => library.reader.problems(source),
      integrity: () => library.reader.integrity(),
      close: () => library.reader.close(),
      snapshot: async () => {
        const snapshot = await library.reader.snapshot();
        return new Proxy(snapshot, {
          get: (target, name) => {
            if (name === 'lexical')
              return (eligible: Parameters<Lexical>[1], query: Parameters<Lexical>[2]) => lexical(snapshot, eligible, query);
            const value: unknown = Reflect.get(target, name);
            return typeof value === 'function' ? value.bind(target) : value;
          },
        });
      },
    },
  };
}

describe('T1.1 non-interference of whole answers', () => {
  it(`${LIBRARIES * QUESTIONS_PER_LIBRARY} trials: hidden pages, and edits of them, change no byte`, async () => {
    let answered = 0;
    for (let trial = 0; trial < LIBRARIES; trial++) {
      const random = seeded(trial + 1);
      const files = someFiles(random);
      const asker = trial % ASKERS.length;
      const permitted = files.filter(({ seenBy }) => seenBy[asker]);
      const paths = files.slice(0, 6).map(({ path }) => path);
      const [full, part] = [await open('full', files), await open('part', permitted)];
      try {
        const questions = Array.from({ length: QUESTIONS_PER_LIBRARY }, () => questionOf(random));
        const expected: string[] = [];
        for (const question of questions) expected.push(await everythingTold(part, asker, question, paths));
        for (const [at, question] of questions.entries()) expect(await everythingTold(full, asker, question, paths)).toBe(expected[at]);

        const hidden = files.filter(({ seenBy }) => !seenBy[asker]);
        lay(
          full.config.root,
          hidden.map((file) => ({ ...file, text: `${file.text}\n${questions.join(' ')} ${WORDS.join(' ')}\n` })),
        );
        await learn(full);
        for (const [at, question] of questions.entries()) expect(await everythingTold(full, asker, question, paths)).toBe(expected[at]);
        answered += expected.filter((text) => text.includes('"artifact":')).length;
      } finally {
        await full.close();
        await part.close();
      }
    }
    expect(answered).toBeGreaterThan((LIBRARIES * QUESTIONS_PER_LIBRARY) / 2);
  }, 900_000);

  it.each([
    ['global statistics', globalStatistics],
    ['take k, then filter', takeThenFilter],
  ] as const)('can fail: with %s the answers differ', async (_, mutant) => {
    let differing = 0;
    for (let trial = 0; trial < 4; trial++) {
      const random = seeded(trial + 101);
      const files = someFiles(random);
      const permitted = files.filter(({ seenBy }) => seenBy[1]);
      const [full, part] = [await open('full', files), await open('part', permitted)];
      try {
        const question = questionOf(random);
        const honest = await everythingTold(part, 1, question, []);
        if ((await everythingTold(throughMutant(full, mutant), 1, question, [])) !== honest) differing += 1;
      } finally {
        await full.close();
        await part.close();
      }
    }
    expect(differing).toBeGreaterThanOrEqual(1);
  });
});
