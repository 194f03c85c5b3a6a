/**
 * The gate: may this tool run now? Capable of carrying text out, in an attempt that has read strangers' text, it needs a person's word
 * (INJ-07, INJ-08, INJ-09).
 *
 * Invariant: what is not known counts against the call: an unknown tool is capable, an attempt that cannot be read up is tainted.
 */
import type { ApprovalStanding } from './approval.js';
import type { TrustTier } from './authority.js';
import type { ToolReach } from './tool-policy.js';

export const GATE_DECISIONS = ['allow', 'ask', 'deny'] as const;
export type GateDecision = (typeof GATE_DECISIONS)[number];

/** What an attempt has read that strangers wrote. It only ever grows: a clean context afterwards takes nothing of it back. */
export interface Taint {
  /** Of passages in packages compiled for it. */
  readonly tiers: readonly TrustTier[];
  /** Packages that hold such passages. */
  readonly packages: number;
  /** Tools that brought text in by other ways. */
  readonly tools: readonly string[];
  /** Packages that cannot be read, so that nobody can tell. */
  readonly unreadable: number;
}

export function isTainted({ packages, tools, unreadable }: Taint): boolean {
  return packages > 0 || tools.length > 0 || unreadable > 0;
}

/** `standing` is asked for only where it decides; it may be spent by that. */
export async function decideGate(
  reach: ToolReach,
  taint: () => Promise<boolean>,
  standing: () => Promise<ApprovalStanding>,
): Promise<{ readonly decision: GateDecision; readonly standing?: ApprovalStanding }> {
  if (reach === 'contained' || !(await taint())) return { decision: 'allow' };
  const found = await standing();
  const decision = { open: 'ask', approved: 'allow', refused: 'deny' } as const;
  return { decision: decision[found.status], standing: found };
}
