/** What the words of an evaluation report mean, for the surfaces: they may not look into stages, so it stands here. */
import { MISS_SENTENCES } from '../../evaluation/misses.js';
import { WEAK_KIND_SENTENCES } from '../../evaluation/weak-labels.js';

export function missSentence(kind: string): string {
  return new Map<string, string>(Object.entries(MISS_SENTENCES)).get(kind) ?? '';
}

export function weakKindSentence(kind: string): string {
  return new Map<string, string>(Object.entries(WEAK_KIND_SENTENCES)).get(kind) ?? '';
}
