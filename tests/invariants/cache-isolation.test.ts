/**
 * T1.4: what was remembered for one question never answers another. A library is warmed by whoever may see most; then one thing
 * changes, and the warm library must say the very bytes of one that was opened for this question alone.
 *
 * What is remembered are parts of the index, keyed by eligible set and generation, and compiled contexts (context-cache.test.ts), as a
 * server has them. There is no cache by likeness.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ContextCache } from '../../src/app/asking/context-cache.js';
import { resolveConfig } from '../../src/app/configuration/config.js';
import { openContainer } from '../../src/app/container.js';
import { type Narrowing, resolveAsk } from '../../src/app/identity.js';
import { learn } from '../../src/app/learning/learn.js';
import type { Library } from '../../src/app/library.js';
import type { Call, Operation } from '../../src/app/operations/catalogue.js';
import { context } from '../../src/app/operations/context.js';
import { search } from '../../src/app/operations/search.js';
import { status } from '../../src/app/operations/status.js';
import type { Instant } from '../../src/kernel/clock.js';
import { Fault } from '../../src/kernel/errors.js';
import { runs } from '../support/proof-scale.js';
import { MUTANTS, mutatedReader } from '../support/reference-store-mutants.js';
import { teamSource } from '../support/team-source.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const TRIALS = runs(5);
const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 30, 12);
const WORDS = 'gate drain valve berth timetable ticket refund crane pump harbour pilot signal roster leave receipt engine'.split(' ');

const SOURCES: readonly (readonly [id: string, more: Parameters<typeof teamSource>[1]])[] = [
  ['open', {}],
  ['north', { tenant_scope: '[north]' }],
  ['audit', { allowed_purposes: '[audit]' }],
  ['high', { classification: 'restricted' }],
  ['board', { permissions: 'board' }],
  ['home', { egress: 'local-only' }],
];
const OPEN = { classification: 'public', tenant_scope: '[north, south]', allowed_purposes: '[assist, audit]' };

const CONFIG = `version: 1
profile: team
identity: { principal: person:ada, tenants: [north, south], purposes: [assist, audit], groups: [staff, directors], ceiling: restricted }
permissions: { everyone: [staff], board: [directors] }
sources:
${SOURCES.map(([id, more]) => teamSource(id, { ...OPEN, ...more })).join('')}`;

interface State {
  readonly who: Narrowing;
  readonly question: string;
  readonly limit: number;
  readonly at: number;
  readonly pageWeight: number;
}

const WIDEST: State = {
  who: { tenant: 'north', purpose: 'audit', client: 'terminal' },
  question: '',
  limit: 5,
  at: NOW,
  pageWeight: 0.5,
};

/** What one trial changes; the library itself, where it returns nothing. */
const DIMENSIONS: Readonly<Record<string, (state: State, trial: number) => State | Promise<void>>> = {
  tenant: (state) => ({ ...state, who: { ...state.who, tenant: 'south' } }),
  purpose: (state) => ({ ...state, who: { ...state.who, purpose: 'assist' } }),
  ceiling: (state) => ({ ...state, who: { ...state.who, ceiling: 'public' } }),
  groups: (state) => ({ ...state, who: { ...state.who, groups: ['staff'] } }),
  client: (state) => ({ ...state, who: { ...state.who, client: 'agent' } }),
  question: (state) => ({ ...state, question: state.question.split(' ').reverse().slice(1).join(' ') }),
  'ranking policy': (state) => ({ ...state, pageWeight: 0 }),
  day: (state) => ({ ...state, at: NOW + 20 * DAY_MS }),
  'state of a source': async () => {
    const { registry } = shared.records;
    const suspended = (await registry.standings()).some(({ id, state }) => id === 'open' && state === 'suspended');
    await registry.move('open', suspended ? 'clear' : 'suspend', { actor: 'person:ada', reason: 'test' }, NOW as Instant);
  },
  'text of the index': async (state, trial) => {
    folder.write('north/p0.md', `# Gate ${trial}\n\n${trial % 2 === 0 ? state.question : 'Nothing of it'}, ${trial}.\n`);
    await learn(shared);
  },
};

const folder = temporaryFolder();
let shared: Library;

beforeAll(async () => {
  folder.write('colophon.yaml', CONFIG);
  for (const [place, [id]] of SOURCES.entries()) {
    mkdirSync(join(folder.path, id));
    for (let n = 0; n < 6; n++) {
      const words = Array.from({ length: 24 }, (_, at) => WORDS[(at * (n + 2) + place * 5 + n) % WORDS.length]);
      const until = n === 5 ? '---\nvalid_until: 2026-12-10\n---\n' : '';
      folder.write(
        `${id}/p${n}.md`,
        `${until}# ${words[0]} ${words[1]}\n\n${words.join(' ')}.\n\n## ${words[2]}\n\n${words.slice(5, 15).join(' ')}.\n`,
      );
    }
  }
  shared = { ...(await openAnew()), contexts: new ContextCache() };
  await learn(shared);
});
afterAll(async () => {
  await shared.close();
  folder.dispose();
});

describe('T1.4 nothing remembered crosses a boundary', () => {
  it.each(Object.entries(DIMENSIONS))(`%s: ${TRIALS} changes after a warm question`, async (_, change) => {
    let differing = 0;
    for (let trial = 0; trial < TRIALS; trial++) {
      const warm = { ...WIDEST, question: questionOf(trial) };
      const before = await told(shared, warm);
      const next = (await change(warm, trial)) ?? warm;
      const cold = await openAnew();
      try {
        const expected = await told(cold, next);
        expect(await told(shared, next)).toBe(expected);
        if (hitsIn(expected) !== hitsIn(before)) differing += 1;
      } finally {
        await cold.close();
      }
    }
    // A change that changes nothing proves nothing.
    expect(differing).toBeGreaterThan(TRIALS / 2);
  });

  it('can fail: a cache keyed without the eligible set answers with what the first asker saw', async () => {
    const mutant = MUTANTS.find(([name]) => name.startsWith('a cache'))?.[1];
    if (mutant === undefined) throw new Error('the mutant is gone');
    const wrong = { ...shared, reader: mutatedReader(shared.reader, mutant) };
    const state = { ...WIDEST, question: questionOf(1), who: { ...WIDEST.who, groups: ['staff'], ceiling: 'public' } };
    expect(await told(wrong, state)).not.toBe(await told(shared, state));
  });
});

async function openAnew(): Promise<Library> {
  return openContainer(await resolveConfig({ env: {}, cwd: folder.path }), { now: () => NOW as Instant });
}

/** What search said: names of who asked, and of the package, are not in it. */
function hitsIn(all: string): string {
  return all.slice(0, all.indexOf('\n'));
}

function questionOf(trial: number): string {
  return Array.from({ length: 4 }, (_, at) => WORDS[(trial * 7 + at * 3) % WORDS.length]).join(' ');
}

async function told(library: Library, { who, question, limit, at, pageWeight }: State): Promise<string> {
  const ranked = { ...library, config: { ...library.config, ranking: { ...library.config.ranking, pageWeight } } };
  const ask = resolveAsk(library.config, who, { workload: 'workload://colophon/mcp', defaultClient: 'agent' }, at as Instant);
  const call: Call = { library: ranked, ask, signal: new AbortController().signal, progress: () => undefined };
  const attempt = `${question} ${JSON.stringify(who)}`;
  const said = [
    await saidBy(search, { query: question, limit }, call),
    await saidBy(context, { query: question, attempt }, call),
    await saidBy(status, {}, call),
  ];
  return said.join('\n');
}

async function saidBy(operation: Operation, input: unknown, call: Call): Promise<string> {
  try {
    return JSON.stringify(await operation.run(operation.input.parse(input), call));
  } catch (error) {
    if (error instanceof Fault) return JSON.stringify({ code: error.code, message: error.message });
    throw error;
  }
}
