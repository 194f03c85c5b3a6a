/**
 * A person's signature on one order about one source, at one version of it: how two people answer for a move together.
 *
 * Invariant: a signature is worth nothing for another source, move, version or declaration, nor after its time; and it counts only under
 * a key that the policy gives to the person it names.
 */
import { createPublicKey, verify } from 'node:crypto';
import type { Instant } from '../kernel/clock.js';
import { canonicalJson, type Digest } from '../kernel/digest.js';
import type { SourceEvent } from './source.js';

export const APPROVAL_FORMAT = 'colophon/source-approval@1';

/** What is signed: the canonical JSON of this. */
export interface ApprovalStatement {
  readonly format: typeof APPROVAL_FORMAT;
  readonly source: string;
  readonly event: SourceEvent;
  /** The version of the source that the order is for. */
  readonly version: number;
  /** Digest of the declaration that was looked at. */
  readonly registration: Digest;
  readonly by: string;
  readonly reason: string;
  readonly until: Instant;
}

export interface SignedApproval {
  readonly statement: ApprovalStatement;
  /** ed25519, base64. */
  readonly signature: string;
}

export function approvalBytes(statement: ApprovalStatement): Buffer {
  return Buffer.from(canonicalJson(statement), 'utf8');
}

export interface Approving {
  readonly source: string;
  readonly event: SourceEvent;
  readonly version: number;
  readonly registration: Digest;
  readonly at: Instant;
  readonly keys: Readonly<Record<string, readonly string[]>>;
}

/** The person whose approval of exactly this order it is, or why it is none. */
export function signerOf(
  { statement, signature }: SignedApproval,
  order: Approving,
): { readonly person: string } | { readonly fault: string } {
  const { by } = statement;
  if (statement.format !== APPROVAL_FORMAT) return { fault: 'it is of another format' };
  if (statement.source !== order.source || statement.event !== order.event)
    return { fault: `it is for ${statement.event} of ${statement.source}` };
  if (statement.version !== order.version)
    return { fault: `it is for version ${statement.version} of the source, which is at ${order.version}` };
  if (statement.registration !== order.registration) return { fault: 'the declaration of the source is not the one that was approved' };
  if (order.at >= statement.until) return { fault: 'its time is over' };
  const keys = Object.hasOwn(order.keys, by) ? (order.keys[by] ?? []) : [];
  if (!by.startsWith('person:') || keys.length === 0) return { fault: `the policy has no key of ${by}` };
  return keys.some((key) => isSignedBy(key, statement, signature)) ? { person: by } : { fault: `it is not signed with a key of ${by}` };
}

function isSignedBy(key: string, statement: ApprovalStatement, signature: string): boolean {
  const publicKey = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
  return publicKey.asymmetricKeyType === 'ed25519' && verify(null, approvalBytes(statement), publicKey, Buffer.from(signature, 'base64'));
}
