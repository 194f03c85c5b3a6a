/**
 * Problems ride beside a result: something about a page or a source that a person should know, which stopped nothing else.
 *
 * Invariant: a message never carries page text or a secret; it names the place.
 */
export const PROBLEM_CODES = [
  'page/front-matter-invalid',
  'page/front-matter-not-yaml',
  'page/front-matter-second-block',
  'page/field-invalid',
  'page/governance-unreadable',
  'page/section-directive',
  'page/fence-unclosed',
  'page/hidden-text',
  'page/secret-masked',
  'page/superseded-by-missing',
  'page/decoded-with-replacement',
  'page/binary',
  'page/too-large',
  'page/too-many-blocks',
  'page/lfs-pointer',
  'page/unreadable',
  'page/active-content',
  'page/case-twin',
  'page/gone',
  'page/changed',
  'page/withheld',
  'walk/folder-unreadable',
  'walk/link-broken',
  'walk/link-outside',
  'walk/link-cycle',
  'walk/hard-link',
  'walk/sparse-absent',
  'walk/submodule-absent',
  'walk/ignored',
  'source/overlap',
  'source/empty',
  'source/emptied',
  'source/unreachable',
  'source/shallow',
  'source/forgotten',
  'source/closed',
  'source/declared-state',
  'index/damaged-row',
  'index/building',
  'query/no-words',
  'query/unknown-path',
  'query/unknown-version',
  'query/unknown-tag',
  'query/near-match',
  'query/did-you-mean',
  'query/old-name',
  'query/ambiguous-name',
  'package/not-stored',
  'audit/not-written',
  'model/unavailable',
] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];
export type Severity = 'error' | 'warning' | 'info';

export interface Problem {
  readonly code: ProblemCode;
  readonly severity: Severity;
  readonly source: string;
  /** POSIX, from the source's root; empty when the problem is the source's. */
  readonly path: string;
  /** 1-based line of the file on disk. */
  readonly line?: number;
  readonly message: string;
  readonly hint: string;
}
