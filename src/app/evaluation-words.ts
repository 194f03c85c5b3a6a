/** What the words of an evaluation report mean, for the surfaces: they may not look into stages, so it stands here. */
import { MISS_SENTENCES } from '../evaluation/misses.js';

export function missSentence(kind: string): string {
  return new Map<string, string>(Object.entries(MISS_SENTENCES)).get(kind) ?? '';
}
