/**
 * The audit log of one library: `audit.jsonl` in its state folder, to which every process that answers appends (OBS-03, OBS-04).
 *
 * A server collects lines for up to `flushMs` and writes them at once; a denial does not wait, and neither does a command that
 * answers one question. `audit.head` says where the log ends, under a key that is not in the folder, so that a cut end shows.
 *
 * A full file is put aside under a name of its own, and the next line goes on from its last one in a new file; nothing is ever deleted.
 *
 * Invariant: append only; what a dead process left half written stays, and the next line says so.
 * Invariant: a log that is not what its head says is not made whole by going on: the next line goes on from the head, so that every later
 * check names the break.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { closeSync, constants, existsSync, fstatSync, readSync, renameSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../kernel/errors.js';
import { type KeyFor, localKey } from '../access/local-key.js';
import { withLock } from '../file-lock.js';
import { AUDIT_FILE, fullFileName, fullFiles, openRegular, openToReadIfThere } from './audit-files.js';
import { type AuditEvent, type AuditLine, lineDigest, lineText, MOST_LINE_BYTES, NO_LINE } from './audit-record.js';

const HEAD_FILE = 'audit.head';
const LOCK_FILE = 'audit.lock';
/** Some two hundred thousand lines. */
const DEFAULT_FILE_BYTES = 64 * 1024 * 1024;

export interface Head {
  readonly seq: number;
  readonly digest: string;
}

export interface AuditPlace {
  /** Of the library: the log stands in it. */
  readonly stateFolder: string;
  /** A file that has reached this size is full. */
  readonly auditFileBytes?: number;
}

/** Where the log of a library stands, as its configuration says it. */
export function auditPlaceOf({ stateFolder, auditFileBytes }: AuditPlace): AuditPlace {
  return { stateFolder, ...(auditFileBytes === undefined ? {} : { auditFileBytes }) };
}

export interface AuditOptions extends AuditPlace {
  /** 0: each line at once. */
  readonly flushMs: number;
  readonly key?: KeyFor;
  readonly now?: () => number;
  /** What could not be written later on is told here; the next `add` throws it. */
  readonly onFailure?: (error: Error) => void;
}

export class AuditLog {
  private readonly options: AuditOptions;
  private waiting: { readonly event: AuditEvent; readonly at: string }[] = [];
  private timer: NodeJS.Timeout | undefined;
  private failure: Error | undefined;
  private key: KeyFor | undefined;
  /** Where the log ended when this process last wrote, to be read again if another wrote since. */
  private end: (Head & { readonly size: number; readonly file: number }) | undefined;

  constructor(options: AuditOptions) {
    this.options = options;
    this.key = options.key;
  }

  /** Throws `audit/unwritable` when this line, or an earlier one, could not be written. */
  add(event: AuditEvent): void {
    this.waiting.push({ event, at: new Date((this.options.now ?? Date.now)()).toISOString() });
    const waits = this.options.flushMs > 0 && event.outcome !== 'denied' && this.failure === undefined;
    if (waits) this.timer ??= setTimeout(() => this.flushLater(), this.options.flushMs).unref();
    else this.flush();
  }

  /** A question as it stands in the log; undefined without a key, and then no line can be written either. */
  queryDigest(text: string): string | undefined {
    try {
      return createHmac('sha256', this.keyFor('audit query')).update(text).digest('hex').slice(0, 32);
    } catch (error) {
      if (error instanceof Fault) return undefined;
      throw error;
    }
  }

  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.waiting.length === 0) return;
    const { stateFolder } = this.options;
    try {
      withLock(join(stateFolder, LOCK_FILE), () => this.append());
      this.failure = undefined;
    } catch (error) {
      // A library without state has answered nothing yet, and keeps no log.
      if (statSync(stateFolder, { throwIfNoEntry: false }) === undefined) {
        this.waiting = [];
        return;
      }
      this.failure = unwritable(stateFolder, error);
      throw this.failure;
    }
  }

  /** Whether the next line can be written, as far as is known; what could not be written before is tried again. */
  canWrite(): boolean {
    if (this.failure === undefined) return true;
    try {
      this.flush();
      return true;
    } catch (error) {
      if (error instanceof Fault) return false;
      throw error;
    }
  }

  /** Writes what waits; what cannot be written is told, and nothing more can be done about it. */
  close(): void {
    this.flushLater();
  }

  private flushLater(): void {
    try {
      this.flush();
    } catch (error) {
      this.options.onFailure?.(error as Error);
    }
  }

  private append(): void {
    const { stateFolder, auditFileBytes = DEFAULT_FILE_BYTES } = this.options;
    let open = this.openCurrent();
    try {
      const { size, file } = open;
      const start = this.end?.size === size && this.end.file === file ? { ...this.end, torn: false } : this.startAfter(open.handle, size);
      if (size >= auditFileBytes && this.putAside(start)) {
        closeSync(open.handle);
        open = this.openCurrent();
      }
      let { seq, digest } = start;
      const texts: string[] = start.torn ? [''] : [];
      const after: AuditLine['after'] = start.broken ?? (start.torn ? 'torn' : undefined);
      for (const [place, { event, at }] of this.waiting.entries()) {
        const line: AuditLine = { ...event, seq: seq + 1, prev: digest, at, ...(place > 0 || after === undefined ? {} : { after }) };
        const text = lineText(line);
        ({ seq } = line);
        digest = lineDigest(text);
        texts.push(text);
      }
      const bytes = Buffer.from(`${texts.join('\n')}\n`);
      writeWholly(open.handle, bytes);
      this.end = { seq, digest, size: open.size + bytes.length, file: open.file };
      this.waiting = [];
      writeHead(stateFolder, { seq, digest }, this.keyFor('audit head'));
    } finally {
      closeSync(open.handle);
    }
  }

  private openCurrent(): { readonly handle: number; readonly size: number; readonly file: number } {
    const handle = openRegular(join(this.options.stateFolder, AUDIT_FILE), constants.O_RDWR | constants.O_APPEND | constants.O_CREAT);
    const { size, ino } = fstatSync(handle);
    return { handle, size, file: ino };
  }

  /** A file that is not what was written stays where it is, with what comes after. The head is at its end before the file moves. */
  private putAside({ seq, digest, torn, broken }: Start): boolean {
    const { stateFolder } = this.options;
    const aside = join(stateFolder, fullFileName(seq));
    if (torn || broken !== undefined || existsSync(aside)) return false;
    writeHead(stateFolder, { seq, digest }, this.keyFor('audit head'));
    renameSync(join(stateFolder, AUDIT_FILE), aside);
    return true;
  }

  /** Where to go on: from the last line, or from what the head says where the log is not what was written. */
  private startAfter(handle: number, size: number): Start {
    const { stateFolder } = this.options;
    const end = size === 0 ? this.endBefore() : endOf(handle, size);
    const head = readHead(stateFolder, (use) => this.keyFor(use));
    if (typeof head === 'object') {
      const isWhole =
        size === 0 ? head.seq === end.seq && head.digest === end.digest : holds(handle, size, end, head, () => this.endBefore());
      if (isWhole || head.seq === 0) return end;
      return { seq: Math.max(head.seq, end.seq), digest: head.digest, torn: end.torn && size > 0, broken: 'break' };
    }
    if (head === 'forged' || size > 0 || end.seq > 0)
      return { ...end, torn: end.torn && size > 0, broken: head === 'forged' ? 'head-forged' : 'head-absent' };
    // It stands before the first line does, so that a log without it is one that lost it.
    writeHead(stateFolder, { seq: 0, digest: NO_LINE }, this.keyFor('audit head'));
    return end;
  }

  /** The last line of the full files. */
  private endBefore(): End {
    const last = fullFiles(this.options.stateFolder).at(-1);
    const handle = last === undefined ? undefined : openToReadIfThere(this.options.stateFolder, last);
    if (handle === undefined) return NO_END;
    try {
      return endOf(handle, fstatSync(handle).size);
    } finally {
      closeSync(handle);
    }
  }

  private keyFor(use: string): Buffer {
    this.key ??= localKey();
    return this.key(use);
  }
}

interface End extends Head {
  readonly torn: boolean;
}

interface Start extends End {
  /** What is wrong with what stands there already. */
  readonly broken?: 'break' | 'head-absent' | 'head-forged';
}

const NO_END: End = { seq: 0, digest: NO_LINE, torn: false };

/**
 * Whether the head's line stands where it was written; a process that died before it wrote its head leaves further lines after it, the
 * first of them perhaps in a new file.
 */
function holds(handle: number, size: number, end: End, head: Head, endBefore: () => End): boolean {
  if (head.seq === 0) return true;
  if (head.seq === end.seq) return head.digest === end.digest;
  if (head.seq > end.seq) return false;
  if (hasLine(handle, size, head.digest)) return true;
  const before = endBefore();
  return head.seq === before.seq && head.digest === before.digest;
}

/** From the end backwards, as far as a dead process may have written past its head. What is too long for a line is none, and is passed over. */
function hasLine(handle: number, size: number, wanted: string): boolean {
  let rest: Buffer | undefined = Buffer.alloc(0);
  const first = Math.max(0, size - MOST_PAST_HEAD_BYTES);
  for (let from = size; from > first; ) {
    const block = Buffer.alloc(Math.min(from - first, TAIL_BYTES));
    from -= block.length;
    readSync(handle, block, 0, block.length, from);
    let part: Buffer = block;
    for (let cut = part.lastIndexOf(LINE_END); cut >= 0; cut = part.lastIndexOf(LINE_END)) {
      const line = part.subarray(cut + 1);
      if (rest !== undefined && lineDigest(rest.length === 0 ? line : Buffer.concat([line, rest])) === wanted) return true;
      rest = Buffer.alloc(0);
      part = part.subarray(0, cut);
    }
    if (rest !== undefined) rest = part.length + rest.length > MOST_LINE_BYTES ? undefined : Buffer.concat([part, rest]);
  }
  return first === 0 && rest !== undefined && lineDigest(rest) === wanted;
}

function writeWholly(handle: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done);
}

/** More than a server collects before it writes. */
const MOST_PAST_HEAD_BYTES = 16 * 1024 * 1024;
const TAIL_BYTES = MOST_LINE_BYTES;
const LINE_END = 10;

/** The last line, or the torn rest of one, as the line after it must name it. */
function endOf(handle: number, size: number): End {
  if (size === 0) return NO_END;
  const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
  readSync(handle, tail, 0, tail.length, size - tail.length);
  const torn = tail.at(-1) !== LINE_END;
  const last = tail.subarray(tail.lastIndexOf(LINE_END, torn ? tail.length - 1 : tail.length - 2) + 1, torn ? tail.length : -1);
  if (!torn) return { seq: seqOf(last), digest: lineDigest(last), torn };
  const whole = tail.subarray(0, tail.length - last.length - 1);
  const before = whole.subarray(whole.lastIndexOf(LINE_END) + 1);
  return { seq: before.length === 0 ? 1 : seqOf(before) + 1, digest: lineDigest(last), torn };
}

/** A line that is none keeps its place in the count; `audit verify` names it. */
function seqOf(line: Buffer): number {
  const found = /^\{"seq":(\d+)/.exec(line.toString('latin1'))?.[1];
  return found === undefined ? 0 : Number(found);
}

/** Always as long as the one before, and shorter than any block of a disk: written over in one step. */
function writeHead(stateFolder: string, head: Head, key: Buffer): void {
  const handle = openRegular(join(stateFolder, HEAD_FILE), constants.O_WRONLY | constants.O_CREAT);
  try {
    writeSync(handle, headText(head, key), 0);
  } finally {
    closeSync(handle);
  }
}

function headText(head: Head, key: Buffer): string {
  return `${String(head.seq).padStart(15, '0')} ${head.digest} ${macOf(head, key)}\n`;
}

function macOf({ seq, digest }: Head, key: Buffer): string {
  return createHmac('sha256', key).update(`${seq} ${digest}`).digest('hex');
}

const HEAD_BYTES = 146;

/** `forged`: what stands there was not written by this program with this user's key. */
export function readHead(stateFolder: string, key: KeyFor = localKey()): Head | 'absent' | 'forged' {
  const text = readHeadText(stateFolder);
  if (text === undefined) return 'absent';
  const [, seq = '', digest = ''] = /^(\d{15}) ([0-9a-f]{64}) [0-9a-f]{64}\n$/.exec(text) ?? [];
  const head = { seq: Number(seq), digest };
  const expected = Buffer.from(headText(head, key('audit head')));
  const found = Buffer.from(text, 'latin1');
  return expected.length === found.length && timingSafeEqual(found, expected) ? head : 'forged';
}

/** One byte more than there should be, so that what is longer shows. */
function readHeadText(stateFolder: string): string | undefined {
  const handle = openToReadIfThere(stateFolder, HEAD_FILE);
  if (handle === undefined) return undefined;
  try {
    const bytes = Buffer.alloc(HEAD_BYTES + 1);
    return bytes.toString('latin1', 0, readSync(handle, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(handle);
  }
}

function unwritable(stateFolder: string, error: unknown): Fault {
  const said = error instanceof Fault ? (error.data as { readonly reason?: unknown }).reason : undefined;
  const reason =
    typeof said === 'string'
      ? said
      : error instanceof Fault
        ? error.message
        : error instanceof Error && 'code' in error
          ? String(error.code)
          : String(error);
  return new Fault('audit/unwritable', { file: join(stateFolder, AUDIT_FILE), reason }, { cause: error });
}
