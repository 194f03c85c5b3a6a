/**
 * One line of the audit log: who did what with which outcome, and nothing of what was read or asked.
 *
 * Invariant: no page text, no query text and no secret: a query stands as a digest under a local key, answers as counts and digests
 * (OBS-05, ATH-08).
 * Invariant: a line names the digest of the line before it, so a line that is changed, taken out, put in or moved shows (OBS-03).
 */
import { sha256 } from '../../kernel/digest.js';

export const AUDIT_OUTCOMES = ['allowed', 'nothing', 'blocked', 'denied', 'absent', 'refused', 'failed'] as const;
/** `denied`: not held. `absent`: there is nothing such for this caller, which is all that it is told. `refused`: not a valid request. */
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

export interface AuditWho {
  readonly principal: string;
  readonly workload: string;
  readonly tenant: string;
  readonly purpose: string;
}

/** Nobody whose name is known: what they sent was no valid token. */
export const UNKNOWN_CALLER: AuditWho = { principal: '', workload: '', tenant: '', purpose: '' };

export interface AuditEvent extends AuditWho {
  readonly surface: 'cli' | 'mcp' | 'http' | 'library' | 'job';
  readonly verb: string;
  readonly outcome: AuditOutcome;
  /** Of the fault, where there was one. */
  readonly code?: string;
  /** Name and digest of the rules it was decided by. */
  readonly policy: string;
  /** Artifacts in the answer, and the digest of their sorted ids. */
  readonly artifacts?: { readonly count: number; readonly digest: string };
  /** Of a package that was made or read. */
  readonly package?: string;
  /** The question, under a key that does not leave this machine: equal questions can be seen to be equal. */
  readonly query?: string;
  /** Ties the line to one request of a server and its trace. */
  readonly request?: string;
}

export interface AuditLine extends AuditEvent {
  readonly seq: number;
  /** Digest of the line before, without its line end. */
  readonly prev: string;
  readonly at: string;
  /**
   * What was found before this line was written. `torn`: a process died in the middle of the line before. Else the log was not what its
   * head said, and this line goes on from the head: lines were cut off or changed (`break`), or the head itself is not ours.
   */
  readonly after?: 'torn' | 'break' | 'head-absent' | 'head-forged';
}

/** No line is as long: who may be named in it, and how, is bounded. What is longer was not written by this program. */
export const MOST_LINE_BYTES = 65_536;

/** What the first line names as the one before it. */
export const NO_LINE = '0'.repeat(64);

export function lineText(line: AuditLine): string {
  const { seq, prev, at, ...rest } = line;
  return JSON.stringify({ seq, prev, at, ...rest });
}

export function lineDigest(text: string | Uint8Array): string {
  return sha256(text);
}
