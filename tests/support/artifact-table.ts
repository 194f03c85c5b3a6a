/**
 * The table of the requirements, SM-A1 to SM-A12, written down a second time and in other terms than the program's: from which state to
 * which, by whom. The proofs compare the program with it.
 */
import type { ArtifactEvent, ArtifactState } from '../../src/domain/artifact-state.js';

/** KO knowledge owner, SEC security, SYS pipeline (a cascade included), DET detector. */
type ArtifactWho = 'KO' | 'SEC' | 'SYS' | 'DET';

interface LegalArtifactMove {
  readonly id: string;
  readonly from: ArtifactState;
  readonly to: ArtifactState;
  readonly event: ArtifactEvent;
  readonly anyOf: readonly ArtifactWho[];
}

const rows = (
  id: string,
  from: readonly ArtifactState[],
  to: ArtifactState,
  event: ArtifactEvent,
  anyOf: readonly ArtifactWho[],
): LegalArtifactMove[] => from.map((each) => ({ id, from: each, to, event, anyOf }));

export const LEGAL_ARTIFACT_MOVES: readonly LegalArtifactMove[] = [
  ...rows('SM-A2', ['processing'], 'indexed', 'index', ['SYS']),
  ...rows('SM-A3', ['processing'], 'invalid', 'fail', ['SYS']),
  ...rows('SM-A4', ['processing', 'indexed', 'stale', 'invalid'], 'quarantined', 'quarantine', ['DET', 'SEC', 'SYS']),
  ...rows('SM-A5', ['indexed'], 'stale', 'outdate', ['SYS']),
  ...rows('SM-A6', ['stale'], 'indexed', 'refresh', ['SYS']),
  ...rows('SM-A7', ['indexed', 'stale'], 'invalid', 'invalidate', ['SYS', 'KO', 'SEC']),
  ...rows('SM-A8', ['invalid'], 'processing', 'reprocess', ['SYS']),
  ...rows('SM-A9', ['quarantined'], 'indexed', 'release', ['SEC']),
  ...rows('SM-A10', ['quarantined'], 'invalid', 'confirm', ['SEC']),
  ...rows('SM-A11', ['processing', 'stale', 'invalid', 'quarantined', 'indexed'], 'deleted', 'delete', ['SYS']),
];

/** Who each actor of the proofs is, in the words of the table. */
export const ARTIFACT_ACTORS: Readonly<Record<string, readonly ArtifactWho[]>> = {
  'person:nobody': [],
  'person:knowledge': ['KO'],
  'person:owner': [],
  'person:source-role': [],
  'person:security': ['SEC'],
  'person:workflow': [],
  'person:quality': [],
  'person:all': ['KO', 'SEC'],
  'agent:helper': [],
  'workload://colophon/index': ['SYS'],
  'workload://colophon/detector': ['DET'],
  'workload://elsewhere': [],
};
