/**
 * The table of the requirements, SM-S1 to SM-S14, written down a second time and in other terms than the program's: from which state to
 * which, by whom. The proofs compare the program with it.
 */
import type { SourceEvent, SourceState } from '../../src/domain/source.js';

/** KO knowledge owner, SO source owner, SEC security, SYS pipeline, DET detector. */
export type Who = 'KO' | 'SO' | 'SEC' | 'SYS' | 'DET' | 'PROPOSER';

interface LegalMove {
  readonly id: string;
  readonly from: SourceState;
  readonly to: SourceState;
  readonly event: SourceEvent;
  /** Any one of them. */
  readonly anyOf: readonly Who[];
  /** Both of them, as two people. */
  readonly bothOf?: readonly [Who, Who];
}

const row = (
  id: string,
  from: SourceState,
  to: SourceState,
  event: SourceEvent,
  anyOf: readonly Who[],
  bothOf?: readonly [Who, Who],
): LegalMove => ({
  id,
  from,
  to,
  event,
  anyOf,
  ...(bothOf === undefined ? {} : { bothOf }),
});

/** For a source classified below confidential. */
export const LEGAL_MOVES: readonly LegalMove[] = [
  row('SM-S2', 'proposed', 'approved', 'approve', ['KO']),
  row('SM-S3', 'proposed', 'deleted', 'delete', ['PROPOSER', 'KO']),
  row('SM-S4', 'approved', 'active', 'activate', ['SYS', 'KO']),
  row('SM-S5', 'active', 'degraded', 'degrade', ['SYS']),
  row('SM-S6', 'degraded', 'active', 'recover', ['SYS']),
  row('SM-S7', 'approved', 'suspended', 'suspend', ['DET', 'SEC', 'KO']),
  row('SM-S7', 'active', 'suspended', 'suspend', ['DET', 'SEC', 'KO']),
  row('SM-S7', 'degraded', 'suspended', 'suspend', ['DET', 'SEC', 'KO']),
  row('SM-S7', 'retiring', 'suspended', 'suspend', ['DET', 'SEC', 'KO']),
  row('SM-S8', 'suspended', 'approved', 'rebuild', [], ['SEC', 'KO']),
  row('SM-S9', 'suspended', 'active', 'clear', ['SEC']),
  row('SM-S10', 'approved', 'revoked', 'revoke', ['SEC', 'SO', 'KO']),
  row('SM-S10', 'active', 'revoked', 'revoke', ['SEC', 'SO', 'KO']),
  row('SM-S10', 'degraded', 'revoked', 'revoke', ['SEC', 'SO', 'KO']),
  row('SM-S10', 'suspended', 'revoked', 'revoke', ['SEC', 'SO', 'KO']),
  row('SM-S10', 'retiring', 'revoked', 'revoke', ['SEC', 'SO', 'KO']),
  row('SM-S11', 'active', 'retiring', 'retire', ['SO', 'KO']),
  row('SM-S11', 'degraded', 'retiring', 'retire', ['SO', 'KO']),
  row('SM-S12', 'retiring', 'active', 'keep', [], ['SO', 'KO']),
  row('SM-S13', 'retiring', 'deleted', 'delete', ['KO', 'SO']),
  row('SM-S13', 'suspended', 'deleted', 'delete', ['KO', 'SO']),
  row('SM-S13', 'revoked', 'deleted', 'delete', ['KO', 'SO']),
];

/** Who each actor of the proofs is, in the words of the table. */
export const ACTORS: Readonly<Record<string, readonly Who[]>> = {
  'person:nobody': [],
  'person:knowledge': ['KO'],
  'person:owner': ['SO'],
  'person:source-role': ['SO'],
  'person:security': ['SEC'],
  'person:workflow': [],
  'person:quality': [],
  'person:proposer': ['PROPOSER'],
  'person:all': ['KO', 'SO', 'SEC'],
  'agent:helper': [],
  'agent:proposer': [],
  'workload://colophon/index': ['SYS'],
  'workload://colophon/detector': ['DET'],
  'workload://elsewhere': [],
};
