/**
 * T1.4 for compiled contexts: the same question of the same asker and state is not ranked again; with any part of the key another, it is.
 * Each part is left out of the key once, and the answer that then comes must be caught as a wrong one.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ContextCache } from '../../src/app/asking/context-cache.js';
import { type KeyParts, keyOf } from '../../src/app/asking/context-key.js';
import { resolveConfig } from '../../src/app/configuration/config.js';
import { openContainer } from '../../src/app/container.js';
import { learn } from '../../src/app/learning/learn.js';
import type { Library } from '../../src/app/library.js';
import type { Instant } from '../../src/kernel/clock.js';
import type { Digest } from '../../src/kernel/digest.js';
import type { Reranker } from '../../src/ports/models.js';
import { type Asking, ask, counting, NOW, page, sourceText, told } from '../support/asked-contexts.js';
import { runs } from '../support/proof-scale.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';

const TRIALS = runs(3);
const PAIRS = runs(2500);
const DAY_MS = 86_400_000;

const CONFIG = `version: 1
profile: team
identity: { principal: person:ada, tenants: [north, south], purposes: [assist, audit], groups: [staff, directors], ceiling: restricted }
permissions: { everyone: [staff, directors], board: [directors] }
models: [{ name: other, window_tokens: 90000 }]
sources:
${sourceText('open', 'everyone')}${sourceText('minutes', 'board')}`;

const backwards: Reranker = { id: 'backwards@1', rerank: async (_, texts) => texts.map((_text, at) => at) };

const WIDEST: Asking = {
  who: { tenant: 'north', purpose: 'audit', client: 'terminal' },
  query: 'how is the lower gate drained',
  model: 'generic',
  at: NOW,
  pageWeight: 0.5,
};
/** Who sees nothing of the minutes. */
const STAFF: Asking = { ...WIDEST, who: { ...WIDEST.who, groups: ['staff'] } };

/** For each part of the key a change of that part alone: nothing else of the request or the library moves. */
const CHANGES: Readonly<Record<keyof KeyParts, (warm: Asking, trial: number) => Asking | Promise<Asking>>> = {
  tenant: (warm) => ({ ...warm, who: { ...warm.who, tenant: 'south' } }),
  // All is public, so that the ceiling alone is another; what another eligible set does stands below.
  authorisation: (warm) => ({ ...warm, who: { ...warm.who, ceiling: 'public' } }),
  purpose: (warm) => ({ ...warm, who: { ...warm.who, purpose: 'assist' } }),
  request: (warm, trial) => ({ ...warm, query: `${warm.query} ${trial}` }),
  sources: async (warm) => {
    await move((await isDegraded()) ? 'recover' : 'degrade');
    return warm;
  },
  index: async (warm, trial) => {
    folder.write('open/p0.md', page(0, `Round ${trial}.`));
    await learn(server);
    return warm;
  },
  policies: (warm) => ({ ...warm, pageWeight: 0 }),
  compiler: (warm) => ({ ...warm, reranker: backwards }),
  model: (warm) => ({ ...warm, model: 'other' }),
  day: (warm) => ({ ...warm, at: warm.at + DAY_MS }),
};
const PARTS = Object.entries(CHANGES) as [keyof KeyParts, (typeof CHANGES)[keyof KeyParts]][];

let folder: TemporaryFolder;
let library: Library;
let server: Library & { readonly contexts: ContextCache };

beforeAll(async () => {
  folder = temporaryFolder();
  folder.write('colophon.yaml', CONFIG);
  for (const id of ['open', 'minutes']) {
    mkdirSync(join(folder.path, id));
    for (let n = 0; n < 5; n += 1) folder.write(`${id}/p${n}.md`, page(n, `Of ${id}.`));
  }
  library = await openAnew();
  await learn(library);
});
beforeEach(() => {
  server = { ...library, reader: counting(library.reader), contexts: new ContextCache() };
});
afterEach(async () => {
  if (await isDegraded()) await move('recover');
});
afterAll(async () => {
  await library.close();
  folder.dispose();
});

describe('T1.4 PKG-08: a context is compiled once for one question of one asker and state', () => {
  it('answers again without ranking, with the same package, and binds the new attempt', async () => {
    const first = await ask(server, WIDEST);
    const again = await ask(server, WIDEST);
    expect([first.ranked, again.ranked]).toEqual([1, 0]);
    expect(told(again.answer)).toBe(told(first.answer));
    expect(again.answer.attempt).not.toBe(first.answer.attempt);
    const stored = await server.records.packages.get(first.answer.digest as Digest);
    expect(stored?.bindings.map(({ attempt }) => attempt)).toEqual([first.answer.attempt, again.answer.attempt]);
  });

  it.each(PARTS)(`another %s misses, ${TRIALS} times`, async (_, change) => {
    for (let trial = 0; trial < TRIALS; trial += 1) {
      const warm = { ...WIDEST, query: `${WIDEST.query} again ${trial}` };
      await ask(server, warm);
      expect((await ask(server, warm)).ranked).toBe(0);
      const next = await change(warm, trial);
      const { ranked: times, answer } = await ask(server, next);
      expect(times).toBe(1);
      if (trial === 0) expect(told(answer)).toBe(await toldAnew(next));
    }
  });

  it.each(PARTS)('can fail: a key without %s gives a wrong answer', async (part, change) => {
    const contexts = new ContextCache({ keyOf: (parts) => keyOf({ ...parts, [part]: '' }) });
    const wrong = { ...server, contexts };
    await ask(wrong, WIDEST);
    const next = await change(WIDEST, 1);
    const { ranked: times, answer } = await ask(wrong, next);
    expect(times).toBe(0);
    expect(told(answer)).not.toBe(await toldAnew(next));
  });

  it('PKG-09: misses, and leaks nothing, where another eligible set is all that is another', async () => {
    const full = await ask(server, WIDEST);
    expect(full.answer.rendered).toContain('Of minutes.');
    expect((await ask(server, STAFF)).ranked).toBe(1);
    const anyone = new ContextCache({ keyOf: (parts) => keyOf({ ...parts, authorisation: '', sources: '', index: '' }) });
    const wrong = { ...server, contexts: anyone };
    await ask(wrong, WIDEST);
    const leaked = (await ask(wrong, STAFF)).answer;
    expect(leaked.rendered).toContain('Of minutes.');
    expect(told(leaked)).not.toBe(await toldAnew(STAFF));
  });

  it.each([
    ['budget', { budget: 300 }],
    ['profile', { profile: 'attempt' }],
    ['facts', { facts: ['who drains the gate?'] }],
    ['scope', { source: ['open'] }],
    ['consequence', { consequential: true }],
    ['supplied text', { profile: 'attempt', items: [{ class: 'history', text: 'We drained it before.', origin: 'turn 1' }] }],
  ])('another %s of the request misses', async (_, more) => {
    await ask(server, WIDEST);
    expect((await ask(server, WIDEST, more)).ranked).toBeGreaterThan(0);
  });

  it(`keeps ${PAIRS} pairs of keys apart whose texts are the same once joined`, () => {
    const seen = new Map<string, string>();
    for (let pair = 0; pair < PAIRS; pair += 1) {
      for (const parts of colliding(pair)) {
        const key = keyOf(parts);
        if (key === undefined) throw new Error('these have a canonical form');
        const written = JSON.stringify(parts);
        expect(seen.get(key) ?? written).toBe(written);
        seen.set(key, written);
      }
    }
    expect(seen.size).toBe(2 * PAIRS);
  });

  it('compiles each time what has no canonical form', () => {
    expect(keyOf({ ...colliding(0)[0], request: { text: 'half \ud800' } })).toBeUndefined();
  });
});

describe('a context that was compiled before is not believed about the world', () => {
  it('sees a file that changed or went since, as one compiled anew does', async () => {
    await ask(server, WIDEST);
    folder.write('open/p1.md', page(1, 'Edited since.'));
    const changed = await ask(server, WIDEST);
    expect(changed.ranked).toBe(0);
    expect(changed.answer.problems.map(({ code }) => code)).toContain('page/changed');
    expect(told(changed.answer)).toBe(await toldAnew(WIDEST));
    folder.remove('open/p1.md');
    const gone = await ask(server, WIDEST);
    expect(gone.answer.problems.map(({ code }) => code)).toContain('page/gone');
    expect(told(gone.answer)).toBe(await toldAnew(WIDEST));
  });

  it('reads the sources of what is acted upon (RET-26)', async () => {
    const consequential = { consequential: true };
    expect((await ask(server, WIDEST, consequential)).answer.live?.changed).toEqual([]);
    folder.write('open/p2.md', page(2, 'Drained by hand since this morning.'));
    const { answer } = await ask(server, WIDEST, consequential);
    expect(answer.live?.changed).toEqual([{ source: 'open', path: 'p2.md' }]);
    expect(answer.rendered).toContain('by hand since this morning');
  });
});

describe('PKG-10: what depends on a change is gone with the next question', () => {
  it('drops what used the page, and no change of hidden pages makes a question slower', async () => {
    await ask(server, WIDEST);
    await ask(server, STAFF);
    folder.write('minutes/p1.md', page(1, 'Another minute.'));
    await learn(server);
    expect((await ask(server, STAFF)).ranked).toBe(0);
    expect(server.contexts.size).toBe(1);
  });

  it('stays within its bound, the oldest going first', async () => {
    const small = { ...server, contexts: new ContextCache({ mostWeight: 60_000 }) };
    for (let n = 0; n < 20; n += 1) await ask(small, { ...WIDEST, query: `drained gate ${n}` });
    expect(small.contexts.size).toBeGreaterThan(0);
    expect(small.contexts.size).toBeLessThan(8);
    expect((await ask(small, { ...WIDEST, query: 'drained gate 19' })).ranked).toBe(0);
    expect((await ask(small, { ...WIDEST, query: 'drained gate 0' })).ranked).toBe(1);
  });

  it('drops what used the source, and lets those who see nothing of it keep theirs', async () => {
    await ask(server, WIDEST);
    await ask(server, STAFF);
    expect(server.contexts.size).toBe(2);
    await server.records.registry.move('minutes', 'suspend', { actor: 'person:ada', reason: 'test' }, NOW as Instant);
    expect((await ask(server, STAFF)).ranked).toBe(0);
    expect(server.contexts.size).toBe(1);
    expect((await ask(server, WIDEST)).ranked).toBe(1);
  });
});

async function isDegraded(): Promise<boolean> {
  return (await library.records.registry.standings()).some(({ id, state }) => id === 'open' && state === 'degraded');
}

async function move(event: 'degrade' | 'recover'): Promise<void> {
  await library.records.registry.move('open', event, { actor: 'person:ada', reason: 'test' }, NOW as Instant);
}

/** Two keys that any joining without lengths or quotes confuses. */
function colliding(pair: number): [KeyParts, KeyParts] {
  const cut = ['|', '","', '\0', ':', '\\', '"', ',', '":"', ']', '\n'][pair % 10] ?? '|';
  const [a, b, c] = [`a${pair}`, 'b', 'c'];
  const plain: KeyParts = {
    ...{ tenant: 't', authorisation: { groups: ['g'] }, purpose: 'p', request: { text: 'q' }, sources: [], index: 'i' },
    ...{ policies: [], compiler: ['c'], model: { name: 'm' }, day: 'd' },
  };
  const left = `${a}${cut}${b}`;
  const right = `${b}${cut}${c}`;
  switch (Math.floor(pair / 10) % 5) {
    case 0:
      return [
        { ...plain, tenant: left, purpose: c },
        { ...plain, tenant: a, purpose: right },
      ];
    case 1:
      return [
        { ...plain, authorisation: { groups: [left] } },
        { ...plain, authorisation: { groups: [a, b] } },
      ];
    case 2:
      return [
        { ...plain, request: { text: left, scope: {} } },
        { ...plain, request: { text: a, scope: { tags: [b] } } },
      ];
    case 3:
      return [
        { ...plain, sources: [[left, c]] },
        { ...plain, sources: [[a, right]] },
      ];
    default:
      return [
        { ...plain, compiler: [left], model: { name: c } },
        { ...plain, compiler: [a], model: { name: right } },
      ];
  }
}

async function openAnew(): Promise<Library> {
  return openContainer(await resolveConfig({ env: {}, cwd: folder.path }), { now: () => NOW as Instant });
}

/** The bytes of a library that remembers nothing. */
async function toldAnew(asking: Asking): Promise<string> {
  const cold = await openAnew();
  try {
    return told((await ask(cold, asking)).answer);
  } finally {
    await cold.close();
  }
}
