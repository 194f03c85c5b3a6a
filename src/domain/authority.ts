/**
 * The axes beside classification: how far a text may govern, and how it got in. Neither is derived from the other.
 *
 * Invariant: nothing has a trust tier by default; whoever writes names it.
 */
export const AUTHORITY_CLASSES = ['governing', 'authoritative', 'reference', 'evidence', 'working'] as const;
export type AuthorityClass = (typeof AUTHORITY_CLASSES)[number];

export const TRUST_TIERS = ['untrusted', 'advisory', 'trusted', 'system_verified'] as const;
export type TrustTier = (typeof TRUST_TIERS)[number];

/** Text of these tiers is fenced when an agent sees it, and taints the attempt. */
export function isFenced(tier: TrustTier): boolean {
  return tier === 'untrusted' || tier === 'advisory';
}

/** How a human let a source's text in (K-29). A working tree or a plain folder is `local-unreviewed` and never curated. */
export const ADMISSIONS = ['protected-ref', 'signed', 'trust-branch', 'local-unreviewed'] as const;
export type Admission = (typeof ADMISSIONS)[number];

export const EGRESS = ['any', 'local-only'] as const;
/** Which models a text may be sent to. */
export type Egress = (typeof EGRESS)[number];
