/**
 * Connects a client to this library by editing its configuration, and disconnects it again.
 *
 * Invariant: every file is planned before the first is written; one that cannot be edited stops all.
 * Invariant: a file is replaced whole, by rename, with its mode; in the user's own scope a link is followed, in a project it is refused.
 */
import { lstat, mkdir, open, readFile, realpath, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { Fault } from '../../kernel/errors.js';
import { prepareStateFolder } from '../state-folder.js';
import { type Connectable, type ConnectScope, type Place, type Wanted, wantedFor } from './clients.js';
import type { Launcher } from './launcher.js';
import { type Done, type FilePlan, planConnect, planUndo } from './plan.js';

export interface ConnectRequest {
  readonly client: Connectable;
  readonly scope: ConnectScope;
  readonly place: Place;
  readonly launcher: Launcher;
  /** Holds the record that undo reads. */
  readonly stateFolder: string;
  /** Also the hook that asks before a tool runs. Undo takes it out whether or not it is named. */
  readonly gate?: boolean;
  readonly undo: boolean;
  /** Plan only. */
  readonly dryRun: boolean;
}

export interface FileChange {
  readonly file: string;
  readonly action: 'created' | 'changed' | 'deleted' | 'unchanged';
  /** The text that is added, as it stands in the file. */
  readonly shown: string;
}

export async function connectClient(request: ConnectRequest): Promise<readonly FileChange[]> {
  const { place, undo } = request;
  const recordFile = join(request.stateFolder, 'connect.json');
  const record = await readRecord(recordFile);
  const planned: Planned[] = [];
  const wantedParts = wantedFor(request.client, request.scope, place, request.launcher, request.gate === true || undo);
  // What was put in last comes out first, so that each finds the file as it left it.
  for (const wanted of undo ? [...wantedParts].reverse() : wantedParts) {
    if (request.scope !== 'user') await refuseLinks(wanted.file, place.root);
    const file = await realpath(wanted.file).catch(() => wanted.file);
    const before = planned.findLast((each) => each.file === file);
    const text = before === undefined ? await readText(file) : textAfter(before);
    const key = wanted.part === undefined ? file : `${file}#${wanted.part}`;
    const state = { text, done: record[key] };
    planned.push({ file, key, text, plan: accepted(wanted, undo ? planUndo(wanted, state) : planConnect(wanted, state)) });
  }
  if (request.dryRun) return planned.map(summary);
  const next = new Map(Object.entries(record));
  try {
    for (const { file, key, plan } of planned) {
      const done = await carryOut(file, plan, next.get(key), undo);
      if (done === undefined) next.delete(key);
      else next.set(key, { ...done, file: key });
    }
  } finally {
    // Also after a failure: what was written can then be undone.
    const kept = [...next.values()];
    if (JSON.stringify(kept) !== JSON.stringify(Object.values(record))) await writeRecord(recordFile, kept);
  }
  return planned.map(summary);
}

interface Planned {
  readonly file: string;
  /** What the record of it is kept under: the file, or a part of it. */
  readonly key: string;
  readonly text: string | undefined;
  readonly plan: FilePlan;
}

/** What the next entry of the same file will find. */
function textAfter({ text, plan }: Planned): string | undefined {
  if (plan.action === 'write') return plan.text;
  return plan.action === 'delete' ? undefined : text;
}

/** In a checkout, a link in the place of a client's file or folder would lead the edit out of the project. */
async function refuseLinks(file: string, root: string): Promise<void> {
  let at = root;
  for (const part of relative(root, file).split(sep)) {
    at = join(at, part);
    const entry = await lstat(at).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
      throw new Fault('client/file-unwritable', { file, reason: codeOf(error) }, { cause: error });
    });
    if (entry?.isSymbolicLink()) throw new Fault('client/file-unwritable', { file, reason: `${at} is a symbolic link` });
  }
}

/** Returns what to remember of the file. */
async function carryOut(file: string, plan: FilePlan, earlier: Done | undefined, undo: boolean): Promise<Done | undefined> {
  const folders = earlier?.createdFolders ?? [];
  if (plan.action === 'write') {
    const made = await replaceFile(file, plan.text);
    return plan.done === undefined ? undefined : { ...plan.done, file, createdFolders: [...folders, ...made] };
  }
  if (plan.action === 'delete') {
    await rm(file);
    for (const folder of [...folders].reverse()) await rmdir(folder).catch(ignoreNotEmpty);
    return undefined;
  }
  return undo ? undefined : earlier;
}

function accepted(wanted: Wanted, plan: FilePlan): FilePlan {
  if (plan.action === 'refuse') throw new Fault('client/file-invalid', { file: wanted.file, ...plan.unreadable });
  return plan;
}

function summary({ file, text, plan }: Planned): FileChange {
  if (plan.action === 'write') return { file, action: text === undefined ? 'created' : 'changed', shown: plan.shown };
  return { file, action: plan.action === 'delete' ? 'deleted' : 'unchanged', shown: '' };
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new Fault('config/unreadable', { file, reason: codeOf(error) }, { cause: error });
  }
}

/** Returns the folders it had to make, outermost first. */
async function replaceFile(file: string, text: string): Promise<readonly string[]> {
  const folder = dirname(file);
  const fresh = join(folder, `.${basename(file)}.colophon-${process.pid}`);
  try {
    const made = await makeFolders(folder);
    const mode = await stat(file).then(
      (entry) => entry.mode & 0o777,
      () => 0o644,
    );
    const handle = await open(fresh, 'wx', mode);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(fresh, file);
    return made;
  } catch (error) {
    await rm(fresh, { force: true });
    throw new Fault('client/file-unwritable', { file, reason: codeOf(error) }, { cause: error });
  }
}

async function makeFolders(folder: string): Promise<readonly string[]> {
  const outermost = await mkdir(folder, { recursive: true });
  if (outermost === undefined) return [];
  const made = [folder];
  while (made[0] !== undefined && made[0] !== outermost && dirname(made[0]) !== made[0]) made.unshift(dirname(made[0]));
  return made;
}

function ignoreNotEmpty(error: unknown): void {
  if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(codeOf(error))) throw error;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

type ConnectRecord = Readonly<Record<string, Done>>;
const FORMAT = 'colophon/connect-record@1';

/** A lost or foreign record costs exactness, not safety: undo then takes out the entry alone. */
async function readRecord(file: string): Promise<ConnectRecord> {
  const text = await readText(file);
  if (text === undefined) return {};
  try {
    const record: { format?: unknown; files?: Done[] } = JSON.parse(text);
    if (record.format !== FORMAT || !Array.isArray(record.files)) return {};
    return Object.fromEntries(record.files.map((each) => [each.file, each]));
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

async function writeRecord(file: string, files: readonly Done[]): Promise<void> {
  await prepareStateFolder(dirname(file));
  await replaceFile(file, `${JSON.stringify({ format: FORMAT, files }, undefined, 2)}\n`);
}
