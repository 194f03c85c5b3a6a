/**
 * The states of an artifact and the moves between them, SM-A1 to SM-A12. Who makes which move: `artifact-moves.ts`.
 *
 * Invariant: `deleted` is left by no move; what comes back is another artifact.
 */
import type { TransitionTable } from '../kernel/lifecycle.js';

export const ARTIFACT_STATES = ['processing', 'indexed', 'stale', 'invalid', 'quarantined', 'deleted'] as const;
export type ArtifactState = (typeof ARTIFACT_STATES)[number];

export type ArtifactEvent =
  | 'index'
  | 'fail'
  | 'quarantine'
  | 'outdate'
  | 'refresh'
  | 'invalidate'
  | 'reprocess'
  | 'release'
  | 'confirm'
  | 'delete';

const refuse = {
  index: null,
  fail: null,
  quarantine: null,
  outdate: null,
  refresh: null,
  invalidate: null,
  reprocess: null,
  release: null,
  confirm: null,
  delete: null,
} as const;

export const ARTIFACT_LIFECYCLE: TransitionTable<ArtifactState, ArtifactEvent> = {
  processing: { ...refuse, index: 'indexed', fail: 'invalid', quarantine: 'quarantined', delete: 'deleted' },
  indexed: { ...refuse, quarantine: 'quarantined', outdate: 'stale', invalidate: 'invalid', delete: 'deleted' },
  stale: { ...refuse, quarantine: 'quarantined', refresh: 'indexed', invalidate: 'invalid', delete: 'deleted' },
  invalid: { ...refuse, quarantine: 'quarantined', reprocess: 'processing', delete: 'deleted' },
  quarantined: { ...refuse, release: 'indexed', confirm: 'invalid', delete: 'deleted' },
  deleted: refuse,
};
