/**
 * Runs in another process (store-processes.ts starts it) for T1.5. One takes a page away from everybody or from one person and gives it
 * back, again and again; the others ask for it meanwhile and judge what they are told by what was acknowledged before they asked.
 *
 *   revoke ROOT SEED            says `revoked KIND MILLISECONDS` for each
 *   ask ROOT SEED WAYS SKEW     says `judged REVOKED GRANTED` every so often, and `stale EPOCH WAY` for what should not have been told
 *
 * WAYS: `kept` keeps the library open, with the contexts that a server keeps; `anew` opens it for each question; `old-policy` and
 * `old-standings` are mutants that remember what they must not. SKEW: milliseconds by which its wall clock is off.
 */
import { openSync, readFileSync, readSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ContextCache } from '../../src/app/asking/context-cache.js';
import { resolveConfig } from '../../src/app/configuration/config.js';
import { openContainer } from '../../src/app/container.js';
import { resolveAsk } from '../../src/app/identity.js';
import { learn } from '../../src/app/learning/learn.js';
import type { Library } from '../../src/app/library.js';
import type { Call } from '../../src/app/operations/catalogue.js';
import { context } from '../../src/app/operations/context.js';
import { get } from '../../src/app/operations/get.js';
import { packageShow } from '../../src/app/operations/package-ledger.js';
import { search } from '../../src/app/operations/search.js';
import { withCurrentPolicy } from '../../src/app/policy/with-current-policy.js';
import { orderMove } from '../../src/app/registry/order-move.js';
import { orderPageMove } from '../../src/app/registry/order-page-move.js';
import type { Instant } from '../../src/kernel/clock.js';
import { Fault } from '../../src/kernel/errors.js';
import { sequence } from './durable-library.js';
import { PAGE, PHASE_FILE, POLICY, POLICY_FILE, SECRET, TAKEN_AWAY } from './revoking-library.js';

const say = (line: string) => writeSync(1, `${line}\n`);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const [mode = '', root = '', seed = '0', ways = 'kept', skew = '0'] = process.argv.slice(2);
const random = sequence(Number(seed));
const pick = (below: number) => Math.floor(random() * below);

/** Four bytes that all processes see: an epoch, and whether the page is given, taken away, or on its way. */
const PHASES = ['changing', 'given', 'taken'] as const;
type Phase = (typeof PHASES)[number];
const phaseFile = openSync(join(root, PHASE_FILE), 'r+');
const word = Buffer.alloc(4);
let epoch = 0;
function setPhase(phase: Phase): void {
  if (phase === 'changing') epoch += 1;
  word.writeUInt32LE(epoch * PHASES.length + PHASES.indexOf(phase));
  writeSync(phaseFile, word, 0, 4, 0);
}
function phaseNow(): number {
  readSync(phaseFile, word, 0, 4, 0);
  return word.readUInt32LE();
}
const isPhase = (value: number, phase: Phase) => value % PHASES.length === PHASES.indexOf(phase);

async function openAt(): Promise<Library> {
  const config = await resolveConfig({ cwd: root, env: { COLOPHON_HOME: join(root, 'home') } });
  return { ...(await openContainer(config)), contexts: new ContextCache() };
}

function callAs(library: Library, principal: string): Call {
  const caller = { workload: 'workload://test', defaultClient: 'terminal' };
  const ask = resolveAsk(library.config, { as: principal, purpose: 'answer' }, caller, Date.now() as Instant);
  return { library, ask, signal: new AbortController().signal, progress: () => undefined };
}

function write(file: string, text: string): void {
  const fresh = join(root, `${file}.new`);
  writeFileSync(fresh, text);
  renameSync(fresh, join(root, file));
}

interface Kind {
  readonly name: string;
  readonly take: () => Promise<void>;
  readonly meanwhile?: () => Promise<void>;
  readonly give: () => Promise<void>;
}

async function revoke(library: Library): Promise<void> {
  const keeper = async () => callAs(await withCurrentPolicy(library), 'person:ada');
  const order = { source: 'board', reason: 'a test', approvals: [], falseSignal: true };
  let text = 0;
  const edit = async () => {
    text += 1;
    write(PAGE, `# Plan\n\n${SECRET} rotate signing keys in spring, as version ${text} says.\n`);
    await learn(library, { sources: ['board'] });
  };
  const byPolicy = (name: string, meanwhile?: () => Promise<void>): Kind => ({
    name,
    take: async () => write(POLICY_FILE, TAKEN_AWAY[pick(TAKEN_AWAY.length)]?.(POLICY) ?? ''),
    ...(meanwhile === undefined ? {} : { meanwhile }),
    give: async () => write(POLICY_FILE, POLICY),
  });
  const kinds: readonly Kind[] = [
    byPolicy('policy'),
    // What is written after somebody was shut out is not for them, whichever of the two a reader comes to know first.
    byPolicy('policy, then content', edit),
    { ...byPolicy('content, then policy'), take: () => edit().then(byPolicy('').take) },
    {
      name: 'source',
      take: async () => void (await orderMove(await keeper(), { ...order, event: 'suspend' })),
      give: async () => void (await orderMove(await keeper(), { ...order, event: 'clear' })),
    },
    {
      name: 'page',
      take: async () => void (await orderPageMove(await keeper(), { ...order, path: 'plan.md', event: 'quarantine' })),
      give: async () => void (await orderPageMove(await keeper(), { ...order, path: 'plan.md', event: 'release' })),
    },
  ];
  for (;;) {
    const kind = kinds[pick(kinds.length)];
    if (kind === undefined) continue;
    setPhase('changing');
    const startedAt = performance.now();
    await kind.take();
    setPhase('taken');
    say(`revoked ${kind.name.replaceAll(' ', '-')} ${Math.ceil(performance.now() - startedAt)}`);
    await kind.meanwhile?.();
    await pause(pick(60));
    setPhase('changing');
    await kind.give();
    setPhase('given');
    await pause(pick(40));
  }
}

const QUESTION = 'when do they rotate signing keys?';

async function ask(): Promise<void> {
  let held = '';
  const asks: readonly (readonly [string, (call: Call) => Promise<unknown>])[] = [
    ['search', (call) => search.run(search.input.parse({ query: QUESTION }), call)],
    ['get', (call) => get.run(get.input.parse({ path: 'plan.md', source: 'board' }), call)],
    [
      'context',
      async (call) => {
        const answer = await context.run(context.input.parse({ query: QUESTION, attempt: `run-${seed}` }), call);
        if (answer.rendered.includes(SECRET)) held = answer.digest;
        return answer;
      },
    ],
    ['package', (call) => packageShow.run(packageShow.input.parse({ name: held === '' ? 'last' : held }), call)],
  ];
  const [[, searched]] = asks as readonly [(typeof asks)[number]];
  const open = ways.startsWith('old-') ? await openRemembering(searched) : mutated(await openAt());
  const counts = { taken: 0, given: 0, shown: 0 };
  for (let turn = 1; ; turn += 1) {
    const [name, way] = asks[pick(asks.length)] ?? ['', async () => ''];
    const before = phaseNow();
    const told = await toldBy(open, way);
    const settled = before === phaseNow();
    if (settled && isPhase(before, 'taken')) {
      counts.taken += 1;
      if (told.includes(SECRET)) say(`stale ${Math.floor(before / PHASES.length)} ${name}`);
    }
    if (settled && isPhase(before, 'given')) {
      counts.given += 1;
      if (told.includes(SECRET)) counts.shown += 1;
    }
    if (turn % 20 === 0) say(`judged ${counts.taken} ${counts.given} ${counts.shown}`);
  }
}

/** A mutant has something to remember only if it came while the page was given. */
async function openRemembering(way: (call: Call) => Promise<unknown>): Promise<() => Promise<Library>> {
  for (let opened = 0; opened < 100; opened += 1) {
    const library = await openAt();
    const open = mutated(library);
    for (let asked = 0; asked < 10; asked += 1) {
      if ((await toldBy(open, way)).includes(SECRET)) return open;
      await pause(10);
    }
    await library.close();
  }
  throw new Error('the page was never told');
}

async function toldBy(open: () => Promise<Library>, way: (call: Call) => Promise<unknown>): Promise<string> {
  const library = await open();
  try {
    return JSON.stringify(await way(callAs(library, 'person:bob')));
  } catch (error) {
    // Denied, absent, or another process holds a file for a moment: nothing was told.
    if (error instanceof Fault) return `fault ${error.code}`;
    throw error;
  } finally {
    if (ways === 'anew') await library.close();
  }
}

/** As a surface takes the library for one question; or as one that remembers too much does. */
function mutated(opened: Library): () => Promise<Library> {
  if (ways === 'anew') return async () => openAt();
  if (ways === 'old-policy') return async () => opened;
  if (ways !== 'old-standings') return () => withCurrentPolicy(opened);
  let kept: ReturnType<Library['records']['registry']['standings']> | undefined;
  const { records } = opened;
  const registry = Object.assign(Object.create(records.registry) as typeof records.registry, {
    standings: () => {
      kept ??= records.registry.standings();
      return kept;
    },
  });
  return () => withCurrentPolicy({ ...opened, records: { ...records, registry } });
}

/** The wall clock of this process alone, as `faketime` would have it; what files say of their times stays as it is. */
const realNow = Date.now;
Date.now = () => realNow() + Number(skew);

if (mode === 'revoke') await revoke(await openAt());
else if (mode === 'ask') await ask();
else throw new Error(`no such mode: ${mode}, and ${readFileSync(join(root, PHASE_FILE)).length} bytes of a phase`);
