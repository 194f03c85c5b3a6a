/**
 * What a source is like, found out once when it comes in and kept with its history (SRC-18): completeness, currency, schema stability,
 * duplicates, owner, tenants, transforms, deletion path.
 */
import type { SourceRegistration } from '../../domain/source.js';
import { ownersOf } from '../../domain/source-moves.js';
import type { SourceRecord, StateEvent } from '../../domain/source-record.js';
import { resolveEligible } from '../../retrieval/eligible.js';
import type { Call } from '../operations/catalogue.js';
import { policyOf } from '../policy/resolve-policy.js';

export interface SourceProfile {
  readonly completeness: { readonly listed: number; readonly indexed: number; readonly troubled: number; readonly walk: string };
  readonly currency: { readonly confirmedAt: string | null; readonly freshnessSloHours: number; readonly withinPromise: boolean };
  readonly schemaStability: { readonly declarations: number; readonly problems: Readonly<Record<string, number>> };
  readonly duplicates: { readonly pages: number };
  readonly owner: { readonly name: string; readonly people: readonly string[] };
  readonly tenants: readonly string[];
  readonly transforms: { readonly connector: string; readonly pipeline: string };
  readonly deletion: { readonly mode: string; readonly retention: string; readonly legalHold: boolean };
}

const PAGES_AT_ONCE = 5_000;

export async function profileSource(call: Call, source: SourceRegistration, record: SourceRecord): Promise<SourceProfile> {
  const { library, signal, ask } = call;
  const connector = library.connector(source.location.connector);
  const [listing, checkpoints, problems, registrations] = await Promise.all([
    connector.list(source, signal),
    library.reader.checkpoints(),
    library.reader.problems(source.id),
    library.records.registry.registrations(source.id),
  ]);
  const checkpoint = checkpoints.find((each) => each.source === source.id);
  const { pages, doubled } = await pagesOf(call, source.id);
  const { confirmedAt } = record;
  const counted: Record<string, number> = {};
  for (const { code } of problems) counted[code] = (counted[code] ?? 0) + 1;
  return {
    completeness: {
      listed: listing.documents.length,
      indexed: pages,
      troubled: new Set(problems.map(({ path }) => path)).size,
      walk: checkpoint?.walk ?? 'never',
    },
    currency: {
      confirmedAt: confirmedAt === undefined ? null : new Date(confirmedAt).toISOString(),
      freshnessSloHours: source.freshnessSloMs / 3_600_000,
      withinPromise: confirmedAt !== undefined && ask.at - confirmedAt <= source.freshnessSloMs,
    },
    schemaStability: { declarations: registrations.length, problems: counted },
    duplicates: { pages: doubled },
    owner: { name: source.owner, people: ownersOf(source.owner, policyOf(library.config)) },
    tenants: source.tenantScope,
    transforms: { connector: checkpoint?.connectorVersion ?? connector.version, pipeline: checkpoint?.transformation ?? '' },
    deletion: { mode: source.correctionAndDeletion, retention: source.retentionPolicy, legalHold: source.legalHold === true },
  };
}

/** The profile that was kept last. */
export function lastProfile(history: readonly StateEvent[]): StateEvent | undefined {
  return history.findLast(({ event }) => event === 'profile');
}

/** Of what whoever asks may see: an operator asks. */
async function pagesOf({ library, ask }: Call, source: string): Promise<{ readonly pages: number; readonly doubled: number }> {
  const snapshot = await library.reader.snapshot();
  try {
    const standings = await library.records.registry.standings();
    const eligible = await resolveEligible({ snapshot, standings, permissions: library.config.permissions }, ask);
    const pages = await snapshot.pages(eligible, { sources: [source] }, { limit: PAGES_AT_ONCE });
    const blobs = new Set(pages.map(({ blob }) => blob));
    return { pages: pages.length, doubled: pages.length - blobs.size };
  } finally {
    await snapshot.close();
  }
}
