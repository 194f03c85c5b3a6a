/** How sensitive a piece of knowledge is, as a total order from least to most. */
export const CLASSIFICATIONS = ['public', 'internal', 'confidential', 'restricted'] as const;
export type Classification = (typeof CLASSIFICATIONS)[number];

/** True when a requester cleared to `ceiling` may see `level`; a level we cannot rank is above everything. */
export function admits(ceiling: Classification, level: Classification): boolean {
  const rank = CLASSIFICATIONS.indexOf(level);
  return rank >= 0 && rank <= CLASSIFICATIONS.indexOf(ceiling);
}

/** The stricter of two levels; an unknown one counts as `restricted`. */
export function stricter(a: Classification, b: Classification): Classification {
  const rank = Math.max(rankOf(a), rankOf(b));
  return CLASSIFICATIONS[rank] ?? 'restricted';
}

function rankOf(level: Classification): number {
  const rank = CLASSIFICATIONS.indexOf(level);
  return rank < 0 ? CLASSIFICATIONS.length - 1 : rank;
}
