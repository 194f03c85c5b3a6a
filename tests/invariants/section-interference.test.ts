/**
 * T1.1, sections: a page with sections that are hidden from the asker gives the same bytes as a page that never had them: lines, byte
 * ranges, blob ids, titles, links, counts, ranking, packages. Whatever stands in the hidden sections, wherever, and however it is edited.
 *
 * The libraries are made from files by the real path; the page without its sections is written down by the test, not cut by the program.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/app/configuration/config.js';
import { openContainer } from '../../src/app/container.js';
import { resolveAsk } from '../../src/app/identity.js';
import { learn } from '../../src/app/learning/learn.js';
import type { Library } from '../../src/app/library.js';
import type { Call } from '../../src/app/operations/catalogue.js';
import { context } from '../../src/app/operations/context.js';
import { get } from '../../src/app/operations/get.js';
import { packageVerify } from '../../src/app/operations/package-verify.js';
import { search } from '../../src/app/operations/search.js';
import { status } from '../../src/app/operations/status.js';
import type { Instant } from '../../src/kernel/clock.js';
import { canonicalJson } from '../../src/kernel/digest.js';
import { Fault } from '../../src/kernel/errors.js';
import { randomFrom } from '../support/policy-worlds.js';
import { runs } from '../support/proof-scale.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const NOW = Date.UTC(2026, 10, 30, 12) as Instant;
const LIBRARIES = runs(1);
const WORDS =
  'gate drain valve berth timetable ticket refund crane pump harbour pilot signal roster leave receipt ERR-4012 max_idle_ms'.split(' ');
const HIDDEN_WORDS = ['capstan', 'dredger', 'windlass'];

const CONFIG = (git: boolean) => `version: 1
profile: team
identity: { principal: person:ada, tenants: [north], purposes: [assist], groups: [staff, board], ceiling: restricted }
permissions: { everyone: [staff], board: [board] }
people:
  person:bob: { tenants: [north], purposes: [assist], groups: [staff], ceiling: internal }
sources:
  - id: docs
    owner: role:docs
    authority_class: reference
    connector_identity: workload://colophon/${git ? 'git' : 'directory'}
    location: { connector: ${git ? 'git, ref: HEAD' : 'directory'}, path: ./docs }
    classification: internal
    tenant_scope: [north]
    allowed_purposes: [assist]
    freshness_slo: P30D
    retention_policy: keep@1
    correction_and_deletion: source-authoritative
    state: active
    permissions: everyone
    trust_tier: trusted
    sections: apart
    rules: [{ glob: 'p0.md', version: '9.9' }]
`;

const MARKS = [
  '<!-- colophon: permissions=board -->',
  '<!-- colophon: classification=confidential -->',
  '<!--colophon: classification=restricted permissions=board-->',
  '<!-- colophon: odd -->',
];

interface Part {
  readonly text: string;
  readonly hidden: boolean;
}
type Pages = Readonly<Record<string, readonly Part[]>>;

const folder = temporaryFolder();
afterAll(() => folder.dispose());

/** A page is a head and sections, each ending with an empty line, so that taking one away leaves a page as somebody would write it. */
function somePages(random: () => number): Pages {
  const below = (count: number) => Math.floor(random() * count);
  const word = (words = WORDS) => words[below(words.length)] ?? 'gate';
  const sentence = (words = WORDS) => `${Array.from({ length: 4 + below(8) }, () => word(words)).join(' ')}.`;
  const link = () => `See [${word()} ${word()}](p${below(5)}.md).`;
  const section = (): Part => {
    const hidden = below(3) === 0;
    const words = hidden ? [...WORDS, ...HIDDEN_WORDS] : WORDS;
    const heading = `## ${word()} ${word(words)}`;
    const inner = below(3) === 0 ? `### ${word()}\n\n${sentence(words)}\n\n` : '';
    const mark = hidden ? `${MARKS[below(MARKS.length)]}\n\n` : '';
    return { hidden, text: `${heading}\n\n${mark}${sentence(words)} ${link()}\n\n${inner}` };
  };
  const head = (): Part => ({
    hidden: false,
    text: below(2) === 0 ? `---\ntitle: ${word()} ${word()}\n---\n\n# ${word()}\n\n${sentence()}\n\n` : `# ${word()} ${word()}\n\n`,
  });
  return Object.fromEntries(
    Array.from({ length: 5 }, (_, at) => [`p${at}.md`, [head(), ...Array.from({ length: 1 + below(5) }, section)]]),
  );
}

/** Hidden sections rewritten, taken away and added; what bob may see stays. */
function edited(random: () => number, pages: Pages): Pages {
  const below = (count: number) => Math.floor(random() * count);
  const fresh = (): Part => ({
    hidden: true,
    text: `## ${WORDS[below(WORDS.length)]} anew\n\n${MARKS[below(MARKS.length)]}\n\n${HIDDEN_WORDS.join(' ')} ${WORDS.join(' ')}.\n\n`,
  });
  return Object.fromEntries(
    Object.entries(pages).map(([path, [head, ...sections]]) => {
      const kept = sections.flatMap((part) => (part.hidden ? ([[], [fresh()], [part, fresh()]][below(3)] ?? []) : [part]));
      if (below(2) === 0) kept.splice(below(kept.length + 1), 0, fresh());
      return [path, head === undefined ? kept : [head, ...kept]];
    }),
  );
}

async function open(pages: Pages, withHidden: boolean, git: boolean): Promise<Library> {
  const root = join(folder.path, 'library');
  rmSync(root, { recursive: true, force: true });
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write('colophon.yaml', CONFIG(git));
  for (const [path, parts] of Object.entries(pages))
    write(
      `docs/${path}`,
      parts
        .filter(({ hidden }) => withHidden || !hidden)
        .map(({ text }) => text)
        .join(''),
    );
  if (git) commit();
  const config = await resolveConfig({ cwd: root, env: { COLOPHON_HOME: join(folder.path, 'home') } });
  rmSync(join(folder.path, 'home'), { recursive: true, force: true });
  const library = await openContainer(config, { now: () => NOW });
  await learn(library, {});
  return library;
}

function commit(): void {
  folder.git('init', '-q', 'library/docs');
  folder.git('-C', 'library/docs', 'add', '-A');
  folder.git('-C', 'library/docs', 'commit', '-q', '-m', 'state');
}

const callAs = (library: Library, as: string): Call => ({
  library,
  ask: resolveAsk(library.config, { as }, { workload: 'workload://test', defaultClient: 'terminal' }, NOW),
  signal: new AbortController().signal,
  progress: () => undefined,
});

async function answersFor(library: Library, questions: readonly string[]): Promise<string> {
  const call = callAs(library, 'person:bob');
  const answers: unknown[] = [await status.run(status.input.parse({}), call)];
  for (const query of questions) {
    answers.push(await search.run(search.input.parse({ query, limit: 20 }), call));
    answers.push(await context.run(context.input.parse({ query, attempt: 'a' }), call));
    answers.push(await packageVerify.run(packageVerify.input.parse({}), call));
  }
  for (const path of ['p0.md', 'p1.md', 'p2.md', 'p3.md', 'p4.md', 'p0§salaries-00000000.md'])
    answers.push(await found(() => get.run(get.input.parse({ path, links: true, segments: true, meta: true }), call)));
  return canonicalJson(JSON.parse(JSON.stringify(answers)));
}

async function found(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fault) return [error.code, error.message];
    throw error;
  }
}

async function trial(seed: number, git: boolean) {
  const random = randomFrom(seed);
  const pages = somePages(random);
  const word = () => WORDS[Math.floor(random() * WORDS.length)] ?? 'gate';
  const questions = [`${word()} ${word()} ${word()}?`, `${word()} ${HIDDEN_WORDS[seed % 3]}`, `what is ${word()}`];
  const asked = async (of: Pages, withHidden: boolean) => {
    const library = await open(of, withHidden, git);
    try {
      return { answers: await answersFor(library, questions), seen: await seenByBoard(library) };
    } finally {
      await library.close();
    }
  };
  const without = await asked(pages, false);
  const whole = await asked(pages, true);
  return { without, whole, later: await asked(edited(random, pages), true), pages };
}

/** What the board finds of the hidden sections; one whose mark cannot be read is for the owner alone. */
async function seenByBoard(library: Library): Promise<number> {
  const { hits } = await search.run(
    search.input.parse({ query: `${HIDDEN_WORDS.join(' ')} ${WORDS.join(' ')}`, limit: 100 }),
    callAs(library, 'person:ada'),
  );
  return hits.filter(({ path }) => path.includes('§')).length;
}

/** Where two answers begin to differ, with what stands around it. */
function firstDifference(one: string, other: string): string {
  if (one === other) return '';
  const at = [...one].findIndex((unit, place) => unit !== other[place]);
  return `${one.slice(Math.max(0, at - 300), at + 200)} | ${other.slice(Math.max(0, at - 100), at + 200)}`;
}

describe('T1.1, ART-09 hidden sections', () => {
  it(`${LIBRARIES} libraries: sections that the asker may not see, and edits of them, change no byte`, async () => {
    let seen = 0;
    for (let seed = 1; seed <= LIBRARIES; seed += 1) {
      const { without, whole, later } = await trial(seed, seed % 2 === 0);
      expect(firstDifference(whole.answers, without.answers)).toBe('');
      expect(firstDifference(later.answers, without.answers)).toBe('');
      expect(without.seen).toBe(0);
      seen += whole.seen + later.seen;
    }
    expect(seen).toBeGreaterThanOrEqual(LIBRARIES);
  }, 3_600_000);

  it('the proof can fail: where sections stay in their page, answers differ', async () => {
    const random = randomFrom(1);
    const pages = somePages(random);
    const answers = async (withHidden: boolean) => {
      const library = await open(pages, withHidden, false);
      await library.close();
      const { sections: _, ...source } = library.config.sources[0] ?? { sections: undefined };
      const together = await openContainer(
        { ...library.config, sources: [source as (typeof library.config.sources)[number]] },
        { now: () => NOW },
      );
      await learn(together, { full: true });
      const text = await answersFor(together, ['gate drain valve']);
      await together.close();
      return text;
    };
    expect(await answers(true)).not.toBe(await answers(false));
  });
});
