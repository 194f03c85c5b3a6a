/**
 * T1.1, whole answers: search, context (with its package digest), get, links and status, asked of a library that holds everything
 * and of one that holds only what the asker may see, give the same bytes; and still do after hidden pages were rewritten, added,
 * deleted, reclassified and given other readers.
 *
 * The libraries are made from files by the real path: connector, ingest, index, operations.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/app/configuration/config.js';
import { openContainer } from '../../src/app/container.js';
import { resolveAsk } from '../../src/app/identity.js';
import { learn } from '../../src/app/learning/learn.js';
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
import { MUTANTS, mutatedReader } from '../support/reference-store-mutants.js';
import { teamSource } from '../support/team-source.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const QUESTIONS_PER_LIBRARY = 10;
const LIBRARIES = runs(10);
const MUTANT_LIBRARIES = 3;
const MUTANT_QUESTIONS = 8;
const NOW = Date.UTC(2026, 10, 30, 12) as Instant;

const WORDS =
  'gate drain valve berth timetable ticket refund crane pump harbour pilot signal roster leave receipt ERR-4012 max_idle_ms engine winter night'.split(
    ' ',
  );
/** One of them stands on each page, so that some stand on hidden pages alone: what a question misspells. */
const RARE = 'scupper hawser gangway bollard mooring capstan dredger barnacle starboard windlass'.split(' ');
const VOCABULARY = `version: 1
concepts:
  - { id: berth, prefLabel: berth, altLabels: [pilot roster, harbour] }
  - { id: ticket, prefLabel: ticket, altLabels: [receipt, refund], broader: [paper] }
  - { id: paper, prefLabel: paper, altLabels: [crane] }
  - { id: lift, prefLabel: lift, altLabels: [crane, capstan] }
  - { id: valve, prefLabel: valve, deprecated: true, replacedBy: drain }
  - { id: drain, prefLabel: drain, altLabels: [scupper] }
`;
const ASKERS = [
  { tenant: 'north', ceiling: 'internal', client: 'agent' },
  { tenant: 'north', ceiling: 'public', client: 'terminal' },
  { tenant: 'south', ceiling: 'confidential', client: 'agent' },
] as const;

/** A small seeded generator: the same trials on every machine. */
function seeded(seed: number): Random {
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

/** What a page may say that closes it, and for whom it stays open. */
const CLOSINGS: readonly {
  readonly meta: string /** In one of its sections. */;
  readonly section?: string;
  readonly seenBy: (asker: (typeof ASKERS)[number]) => boolean;
}[] = [
  { meta: 'classification: restricted', seenBy: () => false },
  { meta: 'sensitivity: private', seenBy: ({ client }) => client === 'terminal' },
  { meta: 'tenant_scope: [south]', seenBy: ({ tenant }) => tenant === 'south' },
  { meta: 'permissions_ref: board', seenBy: () => false },
  { meta: 'tags: [a]', section: '<!-- colophon: classification=restricted permissions=board -->', seenBy: () => false },
  { meta: 'tags: [b]', section: '<!-- colophon: sensitivity=private -->', seenBy: ({ client }) => client === 'terminal' },
];
const OTHERS = ['status: legacy', 'superseded_by: p7.md', 'version: 2.0', 'aliases: [gate drain]'];

/** What an added page may link to. */
const NEAR = Array.from({ length: 24 }, (_, n) => `p${n}.md`);

type Random = (below: number) => number;
const wordOf = (random: Random) => WORDS[random(WORDS.length)] ?? 'gate';

function someFiles(random: Random): File[] {
  const places = Array.from({ length: 14 + random(10) }, () => SOURCES[random(SOURCES.length)] ?? SOURCES[0]);
  return places.map((source, n): File => {
    const near = places.flatMap((each, at) => (each === source ? [`p${at}.md`] : []));
    const kind = random(16);
    const closing = CLOSINGS[kind];
    const other = OTHERS[kind - CLOSINGS.length];
    const meta = [...(closing === undefined ? [] : [closing.meta]), ...(other === undefined ? [] : [other])];
    return {
      path: `${source.id}/p${n}.md`,
      text: pageText(random, meta, near, closing?.section),
      seenBy: ASKERS.map((asker, at) => (source.sees[at] ?? false) && closing?.seenBy(asker) !== false),
    };
  });
}

function pageText(random: Random, meta: readonly string[], near: readonly string[], section?: string): string {
  const pick = () => wordOf(random);
  const sentence = () => `${Array.from({ length: 4 + random(9) }, pick).join(' ')}.`;
  const body = Array.from(
    { length: 1 + random(4) },
    (_, at) =>
      `## ${pick()}\n\n${sentence()} ${at === 0 ? (RARE[random(RARE.length)] ?? '') : ''} ${sentence()}\n\nSee [${pick()} ${pick()}](${near[random(near.length)]}).`,
  );
  if (section !== undefined) body.splice(random(body.length + 1), 0, `## ${pick()}\n\n${section}\n\n${sentence()}`);
  return `---\n${[`title: ${pick()} ${pick()}`, ...meta].join('\n')}\n---\n\n# ${pick()} ${pick()}\n\n${body.join('\n\n')}\n`;
}

/** A page that stays hidden whatever it says: its folder is closed to the asker, or it closes itself. */
function hiddenText(random: Random, path: string, asker: number, words: string): string {
  const closed = SOURCES.find(({ id }) => path.startsWith(`${id}/`))?.sees[asker] !== true;
  const who = ASKERS[asker];
  const closings = CLOSINGS.filter(({ seenBy }) => who !== undefined && !seenBy(who));
  // Where the folder is closed, what a page says of itself must not open it.
  const opening = ['classification: public', 'status: legacy', 'tenant_scope: [north, south]'].map((meta) => ({
    meta,
    section: undefined,
  }));
  const all = closed ? [...closings, ...opening] : closings;
  const { meta = '', section } = all[random(all.length)] ?? {};
  return `${pageText(random, [meta, 'aliases: [gate drain, pump]'], NEAR, section)}\n${words}\n`;
}

/** Rewrites, deletes, reclassifies and adds pages that the asker may not see. */
function editHidden(random: Random, root: string, files: readonly File[], asker: number, words: string): void {
  for (const { path, text } of files.filter(({ seenBy }) => seenBy[asker] !== true)) {
    const kind = random(3);
    if (kind === 0) lay(root, [{ path, text: `${text}\n${words}\n` }]);
    else if (kind === 1) lay(root, [{ path, text: hiddenText(random, path, asker, words) }]);
    else rmSync(join(root, path));
  }
  for (let n = 0; n < 3; n++) {
    const path = `${SOURCES[random(SOURCES.length)]?.id}/added-${n}.md`;
    lay(root, [{ path, text: hiddenText(random, path, asker, words) }]);
  }
}

const CONFIG = `version: 1
profile: team
vocabulary: vocabulary.yaml
identity: { principal: person:ada, tenants: [north, south], purposes: [assist], groups: [staff], ceiling: restricted }
permissions: { everyone: [staff] }
sources:
${SOURCES.map(({ id, classification, tenants }) =>
  teamSource(id, { classification, tenant_scope: `[${tenants.join(', ')}]`, allowed_purposes: '[assist]' }),
).join('')}`;

const folder = temporaryFolder();
afterAll(() => folder.dispose());

/** Lays the files out under the same path each time, because a library's place must not matter to the comparison. */
async function open(name: string, files: readonly File[]): Promise<Library> {
  const root = join(folder.path, name);
  rmSync(root, { recursive: true, force: true });
  for (const { id } of SOURCES) mkdirSync(join(root, id), { recursive: true });
  writeFileSync(join(root, 'colophon.yaml'), CONFIG);
  writeFileSync(join(root, 'vocabulary.yaml'), VOCABULARY);
  lay(root, files);
  const library = await openContainer(await resolveConfig({ env: {}, cwd: root }), { now: () => NOW });
  await learn(library);
  return library;
}

function lay(root: string, files: readonly Pick<File, 'path' | 'text'>[]): void {
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

function callOf(library: Library, asker: number): Call {
  const caller = { workload: 'workload://colophon/mcp', defaultClient: 'agent' };
  const ask = resolveAsk(library.config, ASKERS[asker] ?? {}, caller, NOW);
  return { library, ask, signal: new AbortController().signal, progress: () => undefined };
}

async function everythingTold(library: Library, asker: number, question: string, path: string): Promise<string> {
  const call = callOf(library, asker);
  const [source = '', ...rest] = path.split('/');
  const answers = [
    await told(search, { query: question, limit: 5 }, call),
    await told(search, { query: `"${question.split(' ')[0]}" ${question}`, limit: 3 }, call),
    await told(context, { query: question, attempt: question }, call),
    await told(status, {}, call),
    await told(get, { path: rest.join('/'), source, meta: true, links: true, segments: true }, call),
  ];
  return answers.join('\n');
}

/** Every other question has a slip of the hand in it. */
function questionOf(random: Random): string {
  const words = Array.from({ length: 2 + random(4) }, () => wordOf(random));
  const rare = RARE[random(RARE.length)] ?? '';
  const at = 1 + random(rare.length - 1);
  return [...words, ...(random(2) === 0 ? [] : [rare.slice(0, at) + rare.slice(at + 1)])].join(' ');
}

interface Trial {
  readonly question: string;
  readonly path: string;
}

const allTold = async (library: Library, asker: number, trials: readonly Trial[]): Promise<readonly string[]> => {
  const told: string[] = [];
  for (const { question, path } of trials) told.push(await everythingTold(library, asker, question, path));
  return told;
};

/** More pages with a word than there are pages: what a mutant says may add up to no number, which is another answer too. */
function noNumber(error: unknown): string {
  if (error instanceof TypeError && error.message.startsWith('NaN')) return error.message;
  throw error;
}

describe('T1.1 non-interference of whole answers', () => {
  it(`${LIBRARIES * QUESTIONS_PER_LIBRARY} trials: hidden pages, and edits of them, change no byte`, async () => {
    let answered = 0;
    let hiddenPages = 0;
    let respelt = 0;
    let renamed = 0;
    for (let round = 0; round < LIBRARIES; round++) {
      const random = seeded(round + 1);
      const files = someFiles(random);
      const asker = round % ASKERS.length;
      const permitted = files.filter(({ seenBy }) => seenBy[asker]);
      const [full, part] = [await open('full', files), await open('part', permitted)];
      try {
        const trials = Array.from({ length: QUESTIONS_PER_LIBRARY }, (_, at) => ({
          question: questionOf(random),
          path: files[at % files.length]?.path ?? '',
        }));
        const expected = await allTold(part, asker, trials);
        expect(await allTold(full, asker, trials)).toEqual(expected);
        editHidden(random, full.config.root, files, asker, `${trials.map(({ question }) => question).join(' ')} ${WORDS.join(' ')}`);
        await learn(full);
        expect(await allTold(full, asker, trials)).toEqual(expected);
        respelt += expected.filter((text) => text.includes('"query/did-you-mean"')).length;
        renamed += expected.filter((text) => text.includes('"via":')).length;
        answered += expected.filter((text) => text.includes('"artifact":')).length;
        hiddenPages += files.length - permitted.length;
      } finally {
        await full.close();
        await part.close();
      }
    }
    // A proof over empty answers, or over libraries that hide nothing or spell everything right, proves nothing.
    expect(respelt).toBeGreaterThan((LIBRARIES * QUESTIONS_PER_LIBRARY) / 10);
    expect(renamed).toBeGreaterThan((LIBRARIES * QUESTIONS_PER_LIBRARY) / 4);
    expect(answered).toBeGreaterThan((LIBRARIES * QUESTIONS_PER_LIBRARY) / 2);
    expect(hiddenPages).toBeGreaterThan(LIBRARIES * 3);
  }, 7_200_000);

  describe('can fail', () => {
    interface Round {
      readonly full: Library;
      readonly trials: readonly Trial[];
      /** What the library without the hidden pages tells. */
      readonly told: readonly string[];
    }
    const rounds: Round[] = [];

    beforeAll(async () => {
      for (let round = 0; round < MUTANT_LIBRARIES; round++) {
        const random = seeded(round + 101);
        const files = someFiles(random);
        const trials = Array.from({ length: MUTANT_QUESTIONS }, (_, at) => ({
          question: questionOf(random),
          path: files[at % files.length]?.path ?? '',
        }));
        const part = await open(
          'part',
          files.filter(({ seenBy }) => seenBy[0]),
        );
        try {
          rounds.push({ full: await open(`full-${round}`, files), trials, told: await allTold(part, 0, trials) });
        } finally {
          await part.close();
        }
      }
    }, 300_000);
    afterAll(async () => {
      for (const { full } of rounds) await full.close();
    });

    it.each(MUTANTS)(
      'with %s the answers differ',
      async (_, mutant) => {
        let differing = 0;
        for (const { full, trials, told } of rounds) {
          const wrong = { ...full, reader: mutatedReader(full.reader, mutant) };
          for (const [at, { question, path }] of trials.entries()) {
            if ((await everythingTold(wrong, 0, question, path).catch(noNumber)) !== told[at]) differing += 1;
          }
        }

        expect(differing).toBeGreaterThan((MUTANT_LIBRARIES * MUTANT_QUESTIONS) / 16);
      },
      300_000,
    );

    it('and without a mutant they do not', async () => {
      for (const { full, trials, told } of rounds) expect(await allTold(full, 0, trials)).toEqual(told);
    });
  });
});
