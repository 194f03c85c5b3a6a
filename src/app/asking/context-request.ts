/**
 * What a caller may bring to `context` beside its question: the profile, facts it cannot do without, and text of its own.
 *
 * Invariant: a caller's word raises nothing: text is fenced unless a person vouches for it, and an agent is no person; nothing is
 * system-verified by being handed over (INJ-04, INJ-06).
 * Invariant: secrets are out before anything is kept (INJ-10).
 */
import { z } from 'zod';
import { TRUST_TIERS, type TrustTier } from '../../domain/authority.js';
import { admits, CLASSIFICATIONS } from '../../domain/classification.js';
import { CONTEXT_PROFILES, type PackageBody, type PackageItem } from '../../domain/context-package.js';
import { FACT_KINDS, type RequiredFact, SUPPLIED_CLASSES, type SuppliedItem } from '../../domain/required-material.js';
import { sha256 } from '../../kernel/digest.js';
import { Fault } from '../../kernel/errors.js';
import { queryTokens } from '../../text/analyze.js';
import { maskSecrets } from '../mask-secrets.js';
import type { Call } from '../operations/catalogue.js';

const MOST_ITEMS = 200;
const MOST_FACTS = 20;
const LONGEST_TEXT = 200_000;
const LONGEST_LINE = 500;

const line = z.string().min(1).max(LONGEST_LINE);

const words = (expected: string) => ({ error: () => expected });

const suppliedItem = z.lazy(() =>
  z.strictObject({
    class: z.enum(SUPPLIED_CLASSES),
    text: z.string().min(1).max(LONGEST_TEXT),
    origin: line.describe('A tool and its call, a file, a person, a run.'),
    title: line.optional(),
    tier: z.enum(TRUST_TIERS).optional().describe('Untrusted unless given; an agent may vouch up to advisory, a person up to trusted.'),
    classification: z.enum(CLASSIFICATIONS).optional(),
    at: z.string().refine(isInstant, words('a time, such as 2026-03-31T14:00:00Z')).optional().describe('When observed, RFC 3339.'),
    digest: z
      .string()
      .refine((text) => /^[0-9a-f]{64}$/.test(text), words('a SHA-256 digest, 64 lower-case hexadecimal digits'))
      .optional()
      .describe('SHA-256 of the text.'),
  }),
);

function isInstant(text: string): boolean {
  return z.iso.datetime({ offset: true }).safeParse(text).success;
}

/** What `context` takes of these. */
export const requestInput = {
  profile: z.enum(CONTEXT_PROFILES).optional().describe('`attempt`: all that a run starts from.'),
  consequential: z.boolean().optional().describe('You will act on it: sources are read anew, what is missing blocks.'),
  facts: z.array(line).max(MOST_FACTS).optional().describe('Pages, identifiers or questions the task cannot do without.'),
  items: z.array(suppliedItem).max(MOST_ITEMS).optional().describe('Text of your own, the most important first.'),
};

type Given<K extends keyof typeof requestInput> = NonNullable<z.output<(typeof requestInput)[K]>>;

/** `page:`, `identifier:` or `question:` before a fact says what it is; without, it is read off its form. */
export function factsOf(facts: Given<'facts'>): readonly RequiredFact[] {
  return facts.map((written): RequiredFact => {
    const said = FACT_KINDS.find((kind) => written.startsWith(`${kind}:`));
    const text = written.slice(said === undefined ? 0 : said.length + 1).trim();
    return { kind: said ?? kindOf(text), text };
  });
}

/** A path or an id names a page, one name with a sign inside is an identifier, all else is asked. */
function kindOf(text: string): RequiredFact['kind'] {
  if (/\.(?:md|mdx|markdown|mdown|txt)(?:#|$)/i.test(text) || /^[a-z][a-z0-9+.-]*:[^\s/]/.test(text)) return 'page';
  if (/\s/.test(text)) return 'question';
  return queryTokens(text).some(({ kind, role }) => kind === 'identifier' && role === 'whole') ? 'identifier' : 'question';
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
