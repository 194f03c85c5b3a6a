/**
 * Is the audit log whole? Reads it from the first line to the last and names the first place where it is not what was written.
 *
 * Invariant: says where and what, never what a changed line may have held.
 * Invariant: time grows with the bytes and memory does not, whatever stands in the files; others get their turn in between.
 */
import { createReadStream, fstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyFor } from '../access/local-key.js';
import { AUDIT_FILE, fullFiles, openToReadIfThere } from './audit-files.js';
import { readHead } from './audit-log.js';
import { AUDIT_OUTCOMES, type AuditLine, lineDigest, MOST_LINE_BYTES, NO_LINE } from './audit-record.js';

export const AUDIT_FINDINGS = [
  'changed',
  'missing',
  'moved',
  'not-a-line',
  'too-long',
  'torn',
  'cut',
  'head-absent',
  'head-forged',
  'not-expected',
] as const;
export type AuditFindingKind = (typeof AUDIT_FINDINGS)[number];

export interface AuditFinding {
  readonly kind: AuditFindingKind;
  /** 1-based line of the log, counted through its files; 0 where it is about its end. */
  readonly line: number;
  readonly detail: string;
}

export interface AuditVerdict {
  /** A torn line is what a killed process leaves; all else was done to the file. */
  readonly ok: boolean;
  readonly lines: number;
  readonly head: { readonly seq: number; readonly digest: string };
  readonly findings: readonly AuditFinding[];
}

export async function verifyAudit(
  stateFolder: string,
  options: { readonly key?: KeyFor; readonly expect?: string; readonly signal?: AbortSignal } = {},
): Promise<AuditVerdict> {
  const findings: AuditFinding[] = [];
  const digests = new Map([[0, NO_LINE]]);
  const head = readHead(stateFolder, options.key);
  let before = { seq: 0, digest: NO_LINE };
  let lines = 0;
  let torn = false;
  let expected = options.expect === undefined;
  for await (const { bytes, ended, tooLong } of linesOf(stateFolder, options.signal)) {
    lines += 1;
    torn = !ended;
    if (tooLong !== undefined) {
      findings.push({ kind: 'too-long', line: lines, detail: `line ${lines} is too long to be one: ${placeOf(tooLong)}` });
      before = { seq: before.seq + 1, digest: UNREAD };
      if (findings.length > MOST_FINDINGS) break;
      continue;
    }
    const digest = lineDigest(bytes);
    if (digest === options.expect) expected = true;
    const line = parsed(bytes);
    if (typeof head === 'object' && (line?.seq ?? before.seq + 1) === head.seq) digests.set(head.seq, digest);
    if (line === undefined) findings.push(fragment(lines, ended));
    else findings.push(...breaks(line, before, lines));
    before = { seq: line?.seq ?? before.seq + 1, digest };
    if (findings.length > MOST_FINDINGS) break;
  }
  const explained = withoutExplained(findings);
  explained.push(...endFindings(head, before, digests, { lines, torn }));
  if (!expected) explained.push({ kind: 'not-expected', line: 0, detail: 'no line has the digest that was expected' });
  return { ok: explained.every(({ kind }) => kind === 'torn'), lines, head: before, findings: explained };
}

const MOST_FINDINGS = 100;
/** Of a line that was passed over: what is wrong with it has been said. */
const UNREAD = '';

/** What the writer of a line found, which a later head does not show any more. */
const FOUND_BEFORE: Readonly<Record<string, Pick<AuditFinding, 'kind' | 'detail'>>> = {
  'head-absent': { kind: 'head-absent', detail: 'audit.head was gone' },
  'head-forged': { kind: 'head-forged', detail: 'audit.head was not written by this program for this user' },
};

function breaks(line: AuditLine, before: { readonly seq: number; readonly digest: string }, at: number): AuditFinding[] {
  const torn: AuditFinding[] =
    line.after === 'torn' ? [{ kind: 'torn', line: at - 1, detail: 'a process died while it wrote this line' }] : [];
  const next = before.seq + 1;
  if (line.seq < next)
    return [{ kind: 'moved', line: at, detail: `line ${at} has number ${line.seq}, and ${before.seq} stands before it` }];
  const found = FOUND_BEFORE[line.after ?? ''];
  if (found !== undefined) return [{ kind: found.kind, line: at, detail: `${found.detail} when line ${at} was written` }];
  if (line.seq > next) {
    const gone = line.seq === next + 1 ? `number ${next} is` : `numbers ${next} to ${line.seq - 1} are`;
    return [{ kind: 'missing', line: at, detail: `${gone} missing before line ${at}` }];
  }
  if (before.digest !== UNREAD && line.prev !== before.digest)
    return [{ kind: 'changed', line: Math.max(1, at - 1), detail: `line ${Math.max(1, at - 1)} is not what was written` }];
  return torn;
}

function fragment(at: number, ended: boolean): AuditFinding {
  return ended
    ? { kind: 'not-a-line', line: at, detail: `line ${at} is no line of this log` }
    : { kind: 'torn', line: at, detail: 'the last line has no end: a process died while it wrote it' };
}

/** A fragment whose digest the next line names, and which that line calls torn, is what a killed process left. */
function withoutExplained(findings: readonly AuditFinding[]): AuditFinding[] {
  const torn = new Set(findings.filter(({ kind }) => kind === 'torn').map(({ line }) => line));
  return findings.filter(({ kind, line }) => kind !== 'not-a-line' || !torn.has(line));
}

function endFindings(
  head: ReturnType<typeof readHead>,
  last: { readonly seq: number; readonly digest: string },
  digests: ReadonlyMap<number, string>,
  { lines, torn }: { readonly lines: number; readonly torn: boolean },
): AuditFinding[] {
  if (head === 'forged') return [{ kind: 'head-forged', line: 0, detail: 'audit.head was not written by this program for this user' }];
  if (head === 'absent')
    return lines === 0 ? [] : [{ kind: 'head-absent', line: 0, detail: 'audit.head is gone, so that a cut end cannot be told' }];
  if (last.seq < head.seq) return [{ kind: 'cut', line: lines, detail: `the log ends at number ${last.seq}, and went to ${head.seq}` }];
  if (torn && last.seq === head.seq && digests.get(head.seq) !== head.digest)
    return [{ kind: 'cut', line: lines, detail: `the log ends within number ${head.seq}, which was whole` }];
  // A process that died between its lines and the head leaves the head behind, never ahead.
  if (digests.get(head.seq) !== head.digest)
    return [{ kind: 'changed', line: head.seq, detail: `number ${head.seq} is not what was written` }];
  return [];
}

function parsed(bytes: Buffer): AuditLine | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isLine(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isLine(value: unknown): value is AuditLine {
  if (typeof value !== 'object' || value === null) return false;
  const { seq, prev, at, verb, outcome } = value as Partial<AuditLine>;
  return (
    Number.isSafeInteger(seq) &&
    typeof prev === 'string' &&
    typeof at === 'string' &&
    typeof verb === 'string' &&
    AUDIT_OUTCOMES.some((each) => each === outcome)
  );
}

/** Lines that are none are left out: `verifyAudit` names them. */
export async function* auditLines(stateFolder: string, signal?: AbortSignal): AsyncGenerator<AuditLine> {
  for await (const { bytes } of linesOf(stateFolder, signal)) {
    const line = parsed(bytes);
    if (line !== undefined) yield line;
  }
}

interface Place {
  readonly file: string;
  readonly at: number;
  readonly bytes: number;
}

interface Part {
  readonly bytes: Buffer;
  readonly ended: boolean;
  /** Where it stands; its bytes are left out then. */
  readonly tooLong?: Place;
}

function placeOf({ file, at, bytes }: Place): string {
  return `${bytes} bytes from byte ${at} of ${file}`;
}

/** Of the full files in their order, and of the one that is written. */
async function* linesOf(stateFolder: string, signal: AbortSignal | undefined): AsyncGenerator<Part> {
  const known = fullFiles(stateFolder);
  for (const name of known) yield* linesIn(stateFolder, name, signal);
  const current = openToReadIfThere(stateFolder, AUDIT_FILE);
  // What became full while the others were read; what did so since it was opened is read as the last one.
  const opened = current === undefined ? undefined : fstatSync(current).ino;
  for (const name of fullFiles(stateFolder).filter((each) => !known.includes(each))) {
    if (statSync(join(stateFolder, name)).ino === opened) break;
    yield* linesIn(stateFolder, name, signal);
  }
  if (current !== undefined) yield* linesFrom(current, AUDIT_FILE, signal);
}

async function* linesIn(stateFolder: string, name: string, signal: AbortSignal | undefined): AsyncGenerator<Part> {
  const handle = openToReadIfThere(stateFolder, name);
  if (handle !== undefined) yield* linesFrom(handle, name, signal);
}

const CHUNK_BYTES = 262_144;
const LINE_END = 10;

/** Closes the handle. */
async function* linesFrom(handle: number, file: string, signal: AbortSignal | undefined): AsyncGenerator<Part> {
  let rest: Buffer = NOTHING;
  /** Where the line begins that `rest` is the beginning of, and how long it is so far. */
  let at = 0;
  let length = 0;
  const part = (more: Buffer, ended: boolean): Part => {
    const bytes = length + more.length;
    const place = { file, at, bytes };
    const whole = bytes > MOST_LINE_BYTES ? NOTHING : rest.length === 0 ? more : Buffer.concat([rest, more]);
    at += bytes + 1;
    length = 0;
    rest = NOTHING;
    return { bytes: whole, ended, ...(bytes > MOST_LINE_BYTES ? { tooLong: place } : {}) };
  };
  for await (const chunk of createReadStream('', { fd: handle, start: 0, highWaterMark: CHUNK_BYTES })) {
    signal?.throwIfAborted();
    let bytes = chunk as Buffer;
    for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END)) {
      yield part(bytes.subarray(0, end), true);
      bytes = bytes.subarray(end + 1);
    }
    length += bytes.length;
    rest = length > MOST_LINE_BYTES ? NOTHING : Buffer.concat([rest, bytes]);
  }
  if (length > 0) yield part(NOTHING, false);
}

const NOTHING: Buffer = Buffer.alloc(0);
