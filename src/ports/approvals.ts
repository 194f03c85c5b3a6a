/**
 * Port: what was asked of people before a tool ran, what they said, and what it was used for.
 *
 * Contract (tests/contract/approvals.contract.ts): events are added, never changed or taken away; an approval is judged and spent in
 * one step, so that two processes cannot both use the last of it; an acknowledged event survives power loss.
 */
import type { ApprovalEvent, ApprovalStanding, Ruling, ToolCall } from '../domain/approval.js';
import type { Instant } from '../kernel/clock.js';
import type { Digest } from '../kernel/digest.js';

export interface AskedCall {
  readonly key: Digest;
  readonly call: ToolCall;
  /** What the person is shown of the payload; its secrets are masked. */
  readonly shown: string;
  readonly events: readonly ApprovalEvent[];
}

export interface ApprovalLedger {
  /** Where the call stands. An approved one has one use less from here on; one nobody ruled on is remembered as asked. */
  settle(call: ToolCall, shown: string, at: Instant): Promise<ApprovalStanding>;
  /** Adds a person's word on a call that was asked for; false when none was. */
  rule(key: Digest, ruling: Ruling): Promise<boolean>;
  /** Calls whose key begins like this, at least 6 characters; the oldest first. */
  find(prefix: string): Promise<readonly AskedCall[]>;
  /** The calls that were asked for, the last asked first. */
  asked(page: { readonly limit: number }): Promise<readonly AskedCall[]>;
  /** Remembers that the attempt has been shown strangers' text by other ways than a package. */
  taint(attempt: string, by: string, at: Instant): Promise<void>;
  /** By what; empty when nothing was remembered. */
  taintsOf(attempt: string): Promise<readonly string[]>;
}
