/**
 * What a disk may hold after the power went: the writes of a recorded run up to some moment, where everything synced by then is
 * there, and of the rest any part, in any order, with a write torn between sectors.
 *
 * Recorded by strace from the system calls of the one thread that SQLite runs in.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

export type DiskCall =
  | { readonly kind: 'write'; readonly file: string; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly file: string; readonly length: number }
  | { readonly kind: 'unlink'; readonly file: string }
  | { readonly kind: 'sync'; readonly file: string }
  | { readonly kind: 'ack'; readonly number: number };

const SECTOR = 512;
const CALLS = 'trace=pwrite64,write,fsync,fdatasync,ftruncate,unlink,rename';

export function isRecorderThere(): boolean {
  return process.platform === 'linux' && spawnSync('strace', ['-V']).status === 0;
}

/** Runs the program and gives back what it did to files of the folder, in order. */
export function recordDiskCalls(folder: string, program: string, args: readonly string[]): DiskCall[] {
  const log = join(folder, 'calls.log');
  const run = spawnSync('strace', ['-xx', '-y', '-s', '1000000', '-e', CALLS, '-o', log, process.execPath, program, ...args], {
    maxBuffer: 2 ** 26,
  });
  if (run.status !== 0) throw new Error(`the recorded process failed: ${run.stderr}`);
  return readFileSync(log, 'latin1')
    .split('\n')
    .flatMap((line) => diskCall(folder, line) ?? []);
}

const TEXT = '((?:\\\\x[0-9a-f]{2})*)';
const FILE = `\\d+<${TEXT}>`;
const WRITE = new RegExp(`^pwrite64\\(${FILE}, "${TEXT}"(\\.\\.\\.)?, \\d+, (\\d+)\\) += (\\d+)`);
const SAY = new RegExp(`^write\\(1<[^>]*>, "${TEXT}"`);
const SYNC = new RegExp(`^(?:fsync|fdatasync)\\(${FILE}\\) += 0`);
const TRUNCATE = new RegExp(`^ftruncate\\(${FILE}, (\\d+)\\) += 0`);
const UNLINK = new RegExp(`^unlink\\("${TEXT}"\\) += 0`);

function diskCall(folder: string, line: string): DiskCall | undefined {
  if (/^rename\(/.test(line) && line.includes(hex(folder))) throw new Error('a rename of a store is not modelled');
  const said = SAY.exec(line);
  if (said !== null) return acknowledged(bytesOf(said[1]).toString());
  const found = WRITE.exec(line) ?? SYNC.exec(line) ?? TRUNCATE.exec(line) ?? UNLINK.exec(line);
  const path = bytesOf(found?.[1]).toString();
  if (found === null || !path.startsWith(folder) || path.endsWith('-shm')) return undefined;
  const file = basename(path);
  if (line.startsWith('unlink')) return { kind: 'unlink', file };
  if (line.startsWith('ftruncate')) return { kind: 'truncate', file, length: Number(found[2]) };
  if (!line.startsWith('pwrite64')) return { kind: 'sync', file: path === folder ? '' : file };
  const bytes = bytesOf(found[2]);
  if (found[3] !== undefined || bytes.length !== Number(found[5])) throw new Error(`a write to ${file} was not recorded whole`);
  return { kind: 'write', file, at: Number(found[4]), bytes };
}

function acknowledged(said: string): DiskCall | undefined {
  const number = /^ACK (\d+)\n$/.exec(said)?.[1];
  return number === undefined ? undefined : { kind: 'ack', number: Number(number) };
}

function hex(text: string): string {
  return [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}

function bytesOf(text: string | undefined): Buffer {
  return Buffer.from((text ?? '').replaceAll('\\x', ''), 'hex');
}

export interface DiskState {
  readonly files: ReadonlyMap<string, Content>;
  /** The last number that was acknowledged by then. */
  readonly acknowledged: number;
}

/** One state the disk may be in when the power goes at a random moment. */
export function afterPowerLoss(calls: readonly DiskCall[], random: () => number): DiskState {
  const cut = 1 + Math.floor(random() * calls.length);
  const files = new Map<string, Content>();
  let unsynced: DiskCall[] = [];
  let acknowledged = 0;
  for (const call of calls.slice(0, cut)) {
    if (call.kind === 'ack') acknowledged = call.number;
    else if (call.kind !== 'sync') unsynced.push(call);
    else unsynced = settle(files, unsynced, call.file);
  }
  const kept = random();
  for (const call of disordered(unsynced, random)) if (random() < kept) apply(files, torn(call, random));
  return { files, acknowledged };
}

/** Applies what a sync of the file (or of the folder) makes certain; the rest stays uncertain. */
function settle(files: Map<string, Content>, unsynced: readonly DiskCall[], file: string): DiskCall[] {
  const rest: DiskCall[] = [];
  for (const call of unsynced) {
    const isCertain = 'file' in call && (call.file === file || (file === '' && call.kind === 'unlink'));
    if (isCertain) apply(files, call);
    else rest.push(call);
  }
  return rest;
}

/** Writes without a sync between them reach the disk in any order; half of the time in the one they were made in. */
function disordered(calls: readonly DiskCall[], random: () => number): readonly DiskCall[] {
  if (random() < 0.5) return calls;
  const shuffled = [...calls];
  for (let at = shuffled.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    const [a, b] = [shuffled[at], shuffled[other]];
    if (a !== undefined && b !== undefined) [shuffled[at], shuffled[other]] = [b, a];
  }
  return shuffled;
}

function torn(call: DiskCall, random: () => number): DiskCall {
  if (call.kind !== 'write' || random() > 0.3) return call;
  return { ...call, bytes: call.bytes.subarray(0, SECTOR * Math.floor((random() * call.bytes.length) / SECTOR)) };
}

function apply(files: Map<string, Content>, call: DiskCall): void {
  if (call.kind === 'unlink') files.delete(call.file);
  if (call.kind !== 'truncate' && call.kind !== 'write') return;
  const content = files.get(call.file) ?? new Content();
  files.set(call.file, content);
  if (call.kind === 'truncate') content.resize(call.length);
  else content.write(call.bytes, call.at);
}

/** A file's bytes, with room to grow. */
class Content {
  #room = Buffer.alloc(2 ** 16);
  #length = 0;

  resize(length: number): void {
    if (length > this.#room.length) this.#room = Buffer.concat([this.#room], Math.max(length, 2 * this.#room.length));
    if (length < this.#length) this.#room.fill(0, length, this.#length);
    this.#length = length;
  }

  write(bytes: Buffer, at: number): void {
    this.resize(Math.max(this.#length, at + bytes.length));
    bytes.copy(this.#room, at);
  }

  bytes(): Buffer {
    return this.#room.subarray(0, this.#length);
  }
}

export function writeState(folder: string, { files }: DiskState): void {
  for (const [file, content] of files) writeFileSync(join(folder, file), content.bytes());
}
