/**
 * What a caller may bring to `context` beside its question: the profile, facts it cannot do without, and text of its own.
 *
 * Invariant: a caller's word raises nothing: text is fenced unless a person vouches for it, and an agent is no person; nothing is
 * system-verified by being handed over (INJ-04, INJ-06).
 * Invariant: secrets are out before anything is kept (INJ-10).
 */
import { z } from 'zod';
import { TRUST_TIERS, type TrustTier } from '../domain/authority.js';
import { admits, CLASSIFICATIONS } from '../domain/classification.js';
import { CONTEXT_PROFILES, type PackageBody, type PackageItem } from '../domain/context-package.js';
import { type RequiredFact, SUPPLIED_CLASSES, type SuppliedItem } from '../domain/required-material.js';
import { sha256 } from '../kernel/digest.js';
import { Fault } from '../kernel/errors.js';
import { queryTokens } from '../text/analyze.js';
import { maskSecrets } from './mask-secrets.js';
import type { Call } from './operations/catalogue.js';

const MOST_ITEMS = 200;
const MOST_FACTS = 20;
const LONGEST_TEXT = 200_000;
const LONGEST_LINE = 500;

const line = z.string().min(1).max(LONGEST_LINE);

const fact = z.union([
  line.describe('A page’s path, title, alias or id (with `#anchor`: a section), an identifier, or a question.'),
  z.strictObject({ page: line }),
  z.strictObject({ identifier: line }),
  z.strictObject({ question: line }),
]);

const suppliedItem = z.strictObject({
  class: z.enum(SUPPLIED_CLASSES),
  text: z.string().min(1).max(LONGEST_TEXT),
  origin: line.describe('Where it comes from: a tool and its call, a file, a person, a run.'),
  title: line.optional(),
  tier: z.enum(TRUST_TIERS).optional().describe('Untrusted unless given. A person may vouch up to `trusted`, an agent up to `advisory`.'),
  classification: z.enum(CLASSIFICATIONS).optional().describe('As high as the caller may read, unless given.'),
  at: z.iso.datetime({ offset: true }).optional().describe('When it was observed.'),
  digest: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional()
    .describe('SHA-256 of the text; refused when it is another.'),
});

/** What `context` takes of these. */
export const requestInput = {
  profile: z
    .enum(CONTEXT_PROFILES)
    .optional()
    .describe('`preamble` (default): a turn’s worth. `attempt`: all that a run starts from, in seven classes.'),
  consequential: z
    .boolean()
    .optional()
    .describe('Something is done on the strength of this: sources are read anew, and what is missing or stale blocks.'),
  facts: z.array(fact).max(MOST_FACTS).optional().describe('What the task cannot do without; what is not found is a gap.'),
  items: z.array(suppliedItem).max(MOST_ITEMS).optional().describe('Text of the caller’s own, the most important of each class first.'),
};

type Given<K extends keyof typeof requestInput> = NonNullable<z.output<(typeof requestInput)[K]>>;

export function factsOf(facts: Given<'facts'>): readonly RequiredFact[] {
  return facts.map((each): RequiredFact => {
    if (typeof each === 'string') return { kind: kindOf(each), text: each };
    if ('page' in each) return { kind: 'page', text: each.page };
    return 'identifier' in each ? { kind: 'identifier', text: each.identifier } : { kind: 'question', text: each.question };
  });
}

/** A path or an id names a page, one name with a sign inside is an identifier, all else is asked. */
function kindOf(text: string): RequiredFact['kind'] {
  const plain = text.trim();
  if (/\.(?:md|mdx|markdown|mdown|txt)(?:#|$)/i.test(plain) || /^[a-z][a-z0-9+.-]*:[^\s/]/.test(plain)) return 'page';
  if (/\s/.test(plain)) return 'question';
  return queryTokens(plain).some(({ kind, role }) => kind === 'identifier' && role === 'whole') ? 'identifier' : 'question';
}

/** Who may vouch for text: a person at the keys or the program that holds the library. */
export async function suppliedOf(
  items: Given<'items'>,
  { library, ask }: Pick<Call, 'library' | 'ask'>,
  isPerson: boolean,
): Promise<readonly SuppliedItem[]> {
  const mask = (text: string) => maskSecrets(text, library.scanner);
  const supplied: SuppliedItem[] = [];
  for (const [at, item] of items.entries()) {
    const field = (name: string) => `items.${at}.${name}`;
    const { digest, classification = ask.requester.ceiling } = item;
    if (digest !== undefined && sha256(item.text) !== digest)
      throw new Fault('input/invalid', { field: field('digest'), expected: 'the SHA-256 of the text it stands beside' });
    if (!admits(ask.requester.ceiling, classification))
      throw new Fault('input/invalid', {
        field: field('classification'),
        expected: `at most ${ask.requester.ceiling}, which is what you may read`,
      });
    const text = await mask(item.text);
    supplied.push({
      class: item.class,
      text,
      title: await mask(item.title ?? TITLES[item.class]),
      origin: await mask(item.origin),
      tier: vouchedTier(item.tier, isPerson),
      classification,
      ...(item.at === undefined ? {} : { at: item.at }),
      // Of a text with a secret in it the digest could give the secret away.
      ...(digest === undefined || text !== item.text ? {} : { digest }),
    });
  }
  return supplied;
}

const TITLES: Readonly<Record<SuppliedItem['class'], string>> = {
  'task-facts': 'Task fact',
  'tool-results': 'Tool result',
  history: 'History',
  examples: 'Example',
};

function vouchedTier(claimed: TrustTier | undefined, isPerson: boolean): TrustTier {
  const most: TrustTier = isPerson ? 'trusted' : 'advisory';
  if (claimed === undefined) return 'untrusted';
  return TRUST_TIERS.indexOf(claimed) <= TRUST_TIERS.indexOf(most) ? claimed : most;
}

/** The same, as a package recorded it. Of supplied text that was left out only the name is left. */
export function requestedIn({ request, facts = [], items }: PackageBody) {
  return {
    profile: request.profile,
    ...(request.consequential === undefined ? {} : { consequential: request.consequential }),
    facts: facts.map(({ kind, fact: text }): RequiredFact => ({ kind, text })),
    supplied: items.flatMap(suppliedAgain),
  };
}

function suppliedAgain({ class: name, excerpt, title, tier, classification, provenance }: PackageItem): readonly SuppliedItem[] {
  const own = SUPPLIED_CLASSES.find((each) => each === name);
  if (provenance === undefined || own === undefined) return [];
  return [{ class: own, text: excerpt, title, tier, classification, ...provenance }];
}
