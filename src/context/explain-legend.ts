/**
 * The legend of the explanation: what each word on the page that is not plain English means.
 *
 * Invariant: explains the terms that this package uses, and no other.
 */

import type { TrustTier } from '../domain/authority.js';
import { CLASSIFICATIONS, type Classification } from '../domain/classification.js';
import type { ContextClass, PackageBody } from '../domain/context-package.js';
import type { Label } from '../domain/page.js';

export const TIER_GLOSS: Readonly<Record<TrustTier, string>> = {
  untrusted: 'Nobody vouches for this text. The agent sees it between boundary lines, as data and not as instructions.',
  advisory: 'Hints that nobody vouches for. The agent sees them between boundary lines, as data and not as instructions.',
  trusted:
    'Whoever set up this library vouches for the folder or repository the text comes from. It does not say that the text was checked.',
  system_verified: 'Colophon itself made or proved this text.',
};

export const LABEL_GLOSS: Readonly<Record<Label, string>> = {
  superseded: 'A newer page has taken its place.',
  expired: 'It is past its last valid day.',
  overdue: 'The day by which it should have been reviewed is past.',
  legacy: 'Its page calls itself legacy.',
  deprecated: 'Its page calls itself deprecated.',
  unreviewed: 'Taken as it stands in a folder: no second person has approved this version.',
  'degraded-source': 'Its source could not be read completely the last time.',
  'retiring-source': 'Its source is being retired.',
  'unverified-changed': 'It changed after the day on which it was verified.',
};

const CLASS_GLOSS: Readonly<Record<ContextClass, string>> = {
  governing: 'Rules that had to be in, whatever the question.',
  'task-facts': 'Facts that the caller brought along.',
  repository: 'Text about the code base the agent works on.',
  'tool-results': 'Results of tools that the caller brought along.',
  history: 'Earlier turns that the caller brought along.',
  examples: 'Examples that the caller brought along.',
  reference: 'Found for the question.',
};

const CLASSIFICATION_GLOSS: Readonly<Record<Classification, string>> = {
  public: 'For anybody.',
  internal: 'For people of the organisation.',
  confidential: 'For those who need it.',
  restricted: 'For the few who are named.',
};

export const NOT_VERIFIED = 'The page names no day on which somebody checked it.';

const FRAME = 'The first and the last line of what the agent reads: where it comes from, and how to ask for more.';
const BARE_FRAME = 'The one line that the agent reads when there is nothing for it.';

export type Term = readonly [term: string, gloss: string];

const VERDICT: Readonly<Record<PackageBody['status'], Term>> = {
  frozen: ['frozen', 'The package is complete and can no longer change.'],
  no_context: ['no context', 'Nothing in the library fits the question well enough, so the agent was given nothing.'],
  blocked: ['blocked', 'Something that had to be in is missing, so the agent was given nothing.'],
};

export function legend(body: PackageBody): readonly Term[] {
  const { items } = body;
  const isUnverified = items.some(({ verifiedAt }) => verifiedAt === undefined);
  const isVerified = items.some(({ verifiedAt }) => verifiedAt !== undefined);
  return [
    ['package', 'What one agent was given for one question, with the record of how it was chosen.'],
    ['passage', 'A piece of one page, quoted word for word.'],
    ['source', 'A folder or repository whose pages are in the library.'],
    VERDICT[body.status],
    ['usable until', 'After this day the question should be asked again: pages may have changed.'],
    ...used(
      TIER_GLOSS,
      items.map(({ tier }) => tier),
    ),
    ...used(
      LABEL_GLOSS,
      items.flatMap(({ labels }) => labels),
    ),
    ...(isUnverified ? [['not verified', NOT_VERIFIED] as const] : []),
    ...(isVerified ? [['verified', 'The day on which, as the page says, somebody last checked it.'] as const] : []),
    ...used(
      CLASSIFICATION_GLOSS,
      CLASSIFICATIONS.filter((each) => each === body.classification || items.some(({ classification }) => classification === each)),
    ),
    ...used(
      CLASS_GLOSS,
      items.map((item) => item.class),
    ),
    ['frame', items.length === 0 ? BARE_FRAME : FRAME],
    ['token', 'The unit in which language models count text, about four letters of English.'],
    ['digest', 'A fingerprint of the whole package: change one letter and it is another.'],
  ];
}

/** The terms of a table that occur, in the order of the table. */
function used<Key extends string>(glosses: Readonly<Record<Key, string>>, present: readonly Key[]): readonly Term[] {
  const known = new Set<string>(present);
  return Object.entries<string>(glosses)
    .filter(([key]) => known.has(key))
    .map(([key, gloss]) => [termName(key), gloss]);
}

/** `trusted` alone reads as if somebody had checked the text. */
export function termName(key: string): string {
  return key === 'trusted' ? 'trusted by its owner' : key.replace('_', ' ');
}

/** Names a term inside the page. */
export function termId(term: string): string {
  return `term-${term.replace(/[^a-z]+/g, '-')}`;
}
