/**
 * doctor: one check after another, each proven by doing it; `repair` rebuilds the derived index from the sources.
 *
 * Invariant: no check stops another; a failing one says what to do.
 * Invariant: index.db is replaced only when the new one is whole; records.db only when asked for by name, and it is kept.
 */
import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import { counted } from '../../kernel/counted.js';
import { sha256 } from '../../kernel/digest.js';
import { Fault } from '../../kernel/errors.js';
import type { StoredPage } from '../../ports/index-reader.js';
import type { Records } from '../../ports/records.js';
import { openDoor, retrieveFor } from '../asking/asking.js';
import { prepareStateFolder } from '../state-folder.js';
import { tellsOfAll } from '../tells-of-all.js';
import type { Call } from './catalogue.js';
import { answer } from './wire.js';

const check = z.object({
  name: z.string(),
  outcome: z.enum(['ok', 'warning', 'failed', 'skipped']),
  detail: z.string(),
  hint: z.string(),
});
type Check = z.output<typeof check>;

export const doctorOutput = answer('doctor', {
  ok: z.boolean(),
  repaired: z.boolean(),
  recordsSetAside: z.string().nullable().describe('Where the damaged records.db is kept, when a new one was begun.'),
  checks: z.array(check),
});
export type DoctorAnswer = z.output<typeof doctorOutput>;

export interface DoctorOptions {
  readonly repair: boolean;
  /** With `repair`: a damaged records.db makes room for a new one. */
  readonly setAsideRecords: boolean;
  /** Moves index.db out of the way; called with `false` when the rebuild failed, to put it back. */
  readonly setIndexAside: () => Promise<{ readonly drop: () => Promise<void>; readonly putBack: () => Promise<void> }>;
  /** Moves records.db out of the way, and names the place. */
  readonly setRecordsAside: () => Promise<string>;
  /** Stands in for a records.db that cannot be read while the index is rebuilt. */
  readonly provisionalRecords: () => Promise<Records>;
}

export async function doctor(call: Call, options: DoctorOptions): Promise<DoctorAnswer> {
  if (options.repair && !tellsOfAll(call))
    throw new Fault('access/denied', { asked: 'A repair, which makes the index of all pages anew,' });
  const found = await examine(call);
  if (!options.repair) return report(found);
  const ill = illnessOf(found);
  const aside = ill.records && options.setAsideRecords ? await options.setRecordsAside() : null;
  if (aside !== null && !ill.index) await relearn(call, false);
  // Without records no question can be tried, so what ails the index besides may only show now.
  const begun = aside === null ? found : await examine(call);
  const repaired = ill.index || illnessOf(begun).index;
  if (repaired) await rebuild(call, options, ill.records && aside === null);
  return report(repaired ? await examine(call) : begun, repaired, aside);
}

/** A question fails where the records are damaged, whatever the index is like. */
function illnessOf(checks: readonly Check[]): { readonly records: boolean; readonly index: boolean } {
  const failed = (name: string) => checks.some((each) => each.name === name && each.outcome === 'failed');
  const records = failed('records');
  return { records, index: failed('index') || (failed('lexical') && !records) };
}

async function rebuild(call: Call, options: DoctorOptions, withoutRecords: boolean): Promise<void> {
  const stand = withoutRecords ? await options.provisionalRecords() : undefined;
  const aside = await options.setIndexAside();
  try {
    await relearn(stand === undefined ? call : { ...call, library: { ...call.library, records: stand } }, true);
  } catch (error) {
    await aside.putBack();
    throw error;
  } finally {
    await stand?.close();
  }
  await aside.drop();
}

async function relearn({ library, signal, progress }: Call, full: boolean): Promise<void> {
  const { learn } = await import('../learning/learn.js');
  await learn(library, { full, signal, progress });
}

function report(checks: readonly Check[], repaired = false, recordsSetAside: string | null = null): DoctorAnswer {
  return {
    schema: 'colophon/doctor@1',
    problems: [],
    ok: checks.every(({ outcome }) => outcome !== 'failed'),
    repaired,
    recordsSetAside,
    checks: [...checks],
  };
}

type Probe = (call: Call) => Promise<Partial<Omit<Check, 'name'>> & { readonly detail: string }>;

const PROBES: readonly (readonly [string, Probe])[] = [
  ['node', nodeVersion],
  ['git', gitVersion],
  ['state folder', stateFolder],
  ['records', recordsSound],
  ['index', indexSound],
  ['lexical', lexicalAnswers],
  ['sources', sourcesReachable],
  ['permissions', permissionsResolve],
  ['secrets', secretsAreSeen],
  ['clock', clockPlausible],
  ['models', modelsPresent],
];

async function examine(call: Call): Promise<readonly Check[]> {
  const checks: Check[] = [];
  const whole = tellsOfAll(call);
  for (const [name, probe] of PROBES) {
    call.progress({ phase: 'checking', done: checks.length, total: PROBES.length, note: name });
    try {
      const found: Check = { name, outcome: 'ok', hint: '', ...(await probe(call)) };
      checks.push(whole || !OF_ALL.has(name) ? found : asSeen(found));
    } catch (error) {
      call.signal.throwIfAborted();
      const known = error instanceof Fault;
      const detail = error instanceof Error ? error.message : String(error);
      const absent = known && error.code === 'index/not-built';
      const failed: Check = {
        name,
        outcome: absent ? 'skipped' : 'failed',
        detail,
        hint: known ? error.hint : 'Run again with COLOPHON_DEBUG=1 and report it.',
      };
      checks.push(whole || absent || !OF_ALL.has(name) ? failed : asSeen(failed));
    }
  }
  return checks;
}

/** What these find is about every page and source, hidden ones too. */
const OF_ALL: ReadonlySet<string> = new Set(['records', 'index', 'sources', 'permissions', 'clock']);

/** For somebody whom the process merely asks for: whether it works, and no more. That something is to be looked at is for who keeps it. */
function asSeen({ name, outcome }: Check): Check {
  const isSound = outcome !== 'failed';
  return {
    name,
    outcome: outcome === 'skipped' ? outcome : isSound ? 'ok' : 'failed',
    detail: isSound ? 'works; figures are for whoever keeps the library' : 'does not work; what is wrong is for whoever keeps the library',
    hint: isSound ? '' : 'Leave out --as and COLOPHON_AS, or ask whoever keeps the library.',
  };
}

async function nodeVersion(): ReturnType<Probe> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const enough = major > 20 || (major === 20 && minor >= 12);
  return {
    detail: `Node ${process.versions.node}`,
    outcome: enough ? 'ok' : 'failed',
    hint: enough ? '' : 'Colophon needs Node 20.12 or newer.',
  };
}

async function gitVersion({ library }: Call): ReturnType<Probe> {
  if (!library.config.sources.some(({ location }) => location.connector === 'git'))
    return { outcome: 'skipped', detail: 'no source needs git' };
  try {
    const { stdout } = await promisify(execFile)('git', ['--version'], { timeout: 5_000 });
    return { detail: stdout.trim() };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      outcome: 'failed',
      detail: `git cannot be run: ${reason}`,
      hint: 'Install git, or declare the source with connector: directory.',
    };
  }
}

const LOW_SPACE_BYTES = 100 * 1024 * 1024;

async function stateFolder({ library }: Call): ReturnType<Probe> {
  const folder = library.config.stateFolder;
  await prepareStateFolder(folder);
  const space = await statfs(folder);
  const free = space.bavail * space.bsize;
  const megabytes = Math.floor(free / (1024 * 1024));
  return free < LOW_SPACE_BYTES
    ? { outcome: 'warning', detail: `${folder}: only ${megabytes} MB free`, hint: 'Free some space before indexing.' }
    : { detail: `${folder}, ${megabytes} MB free` };
}

async function recordsSound({ library }: Call): ReturnType<Probe> {
  const { ok, detail } = await library.records.integrity();
  if (ok) return { detail: 'sound' };
  const { hint } = new Fault('store/corrupt', { file: 'records.db', reason: detail });
  return { outcome: 'failed', detail, hint };
}

async function indexSound({ library }: Call): ReturnType<Probe> {
  const { ok, damaged } = await library.reader.integrity();
  const totals = await library.reader.totals();
  if (ok) return { detail: `${counted(totals.documents, 'page')}, ${counted(totals.artifacts, 'passage')}, every digest holds` };
  return {
    outcome: 'failed',
    detail: `${damaged.length} damaged: ${damaged.slice(0, 3).join(', ')}${damaged.length > 3 ? ', …' : ''}`,
    hint: 'Run `colophon doctor --repair`; the index is rebuilt from the sources.',
  };
}

/** A question with a known answer, asked for real: the title of a page must find that page (IDX-01). */
async function lexicalAnswers(call: Call): ReturnType<Probe> {
  const page = await somePage(call);
  if (page === undefined) return { outcome: 'skipped', detail: 'no page to ask about yet', hint: 'Run `colophon index`.' };
  const asked = await retrieveFor(call, { text: page.title, scope: { paths: [page.path] }, limit: 1, mode: 'lexical', purpose: 'ranking' });
  try {
    const found = asked.retrieved.candidates.some((each) => each.page.path === page.path) && asked.retrieved.legs.lexical === 'used';
    return found
      ? { detail: `asking for “${page.title}” finds ${page.path}` }
      : {
          outcome: 'failed',
          detail: `asking for “${page.title}” does not find ${page.path}`,
          hint: 'Run `colophon doctor --repair`; the index is rebuilt from the sources.',
        };
  } finally {
    await asked.snapshot.close();
  }
}

/** A page whose title has a word in it to ask for. */
async function somePage(call: Call): Promise<StoredPage | undefined> {
  const door = await openDoor(call);
  try {
    const pages = await door.snapshot.pages(door.eligible, {}, { limit: 50 });
    return pages.find(({ title }) => /\p{L}{4}/u.test(title));
  } finally {
    await door.snapshot.close();
  }
}

async function sourcesReachable({ library, signal }: Call): ReturnType<Probe> {
  const cursors = new Map((await checkpointsIfAny(library)).map(({ source, cursor }) => [source, cursor]));
  const said: string[] = [];
  let failed = false;
  let drifted = false;
  for (const source of library.config.sources) {
    try {
      const listing = await library.connector(source.location.connector).list(source, signal);
      const changed = cursors.has(source.id) && cursors.get(source.id) !== listing.cursor;
      drifted ||= changed || listing.walk === 'partial';
      said.push(
        `${source.id}: ${counted(listing.documents.length, 'document')}${changed ? ', changed since indexed' : ''}${listing.walk === 'partial' ? ', not all could be seen' : ''}`,
      );
    } catch (error) {
      signal.throwIfAborted();
      failed = true;
      said.push(error instanceof Error ? error.message : String(error));
    }
  }
  if (failed) return { outcome: 'failed', detail: said.join('; '), hint: 'Restore the folder or correct its `location` in colophon.yaml.' };
  return { outcome: drifted ? 'warning' : 'ok', detail: said.join('; '), hint: drifted ? 'Run `colophon index`.' : '' };
}

async function checkpointsIfAny(library: Call['library']) {
  try {
    return await library.reader.checkpoints();
  } catch (error) {
    // What ails the index is the finding of another check.
    if (error instanceof Fault) return [];
    throw error;
  }
}

async function permissionsResolve({ library }: Call): ReturnType<Probe> {
  const { sources, permissions } = library.config;
  const refs = new Set(
    sources.flatMap((each) => [each.permissionsRef, ...each.rules.flatMap(({ permissionsRef }) => permissionsRef ?? [])]),
  );
  const dangling = [...refs].filter((ref) => !Object.hasOwn(permissions, ref)).sort();
  return dangling.length === 0
    ? { detail: `${refs.size} resolved` }
    : {
        outcome: 'warning',
        detail: `nobody may read what needs ${dangling.join(', ')}`,
        hint: 'List the groups under `permissions` in colophon.yaml.',
      };
}

async function secretsAreSeen({ library }: Call): ReturnType<Probe> {
  // Put together here, so that no scanner of this repository takes it for a real one.
  const fake = `ghp_${sha256('a planted token').slice(0, 36)}`;
  const found = await library.scanner.scan(`token = "${fake}"\n`);
  return found.length > 0
    ? { detail: `scanner ${library.scanner.version} masks a planted token` }
    : {
        outcome: 'failed',
        detail: 'the scanner did not see a planted token',
        hint: 'Do not index until this is repaired: reinstall colophon.',
      };
}

async function clockPlausible({ library, ask }: Call): ReturnType<Probe> {
  const later = (await library.records.registry.standings()).filter(
    ({ confirmedAt }) => confirmedAt !== undefined && confirmedAt > ask.at + 60_000,
  );
  return later.length === 0
    ? { detail: new Date(ask.at).toISOString() }
    : {
        outcome: 'warning',
        detail: `${later.map(({ id }) => id).join(', ')} was last confirmed in the future`,
        hint: 'Set the clock of this machine.',
      };
}

async function modelsPresent({ library }: Call): ReturnType<Probe> {
  const none = library.embedder.id === 'none' && library.reranker.id === 'none';
  return {
    detail: none ? 'none; answers are lexical only' : `embedder ${library.embedder.id}, reranker ${library.reranker.id}`,
  };
}
