/**
 * An order about one page: who gives it, what is known of the page; judged by the table SM-A1 to SM-A12 and recorded in one step.
 *
 * Invariant: whoever bears no role is told the same of every page, there or not (ATH-06), and is recorded where the page is there.
 * Invariant: an order that is refused is recorded like one that is carried out, and changes nothing.
 */
import { artifactStateOf, ruleOnArtifact } from '../../domain/artifact-moves.js';
import type { ArtifactEvent, ArtifactState } from '../../domain/artifact-state.js';
import { orderedState, type PageEvent, type PageStanding } from '../../domain/page-standing.js';
import type { SourceRecord } from '../../domain/source-record.js';
import { Fault } from '../../kernel/errors.js';
import type { Call } from '../operations/catalogue.js';
import { policyOf } from '../policy/resolve-policy.js';
import { isBearer, statedBy } from './order-move.js';
import { type PagePlace, type PageSigns, signsOf } from './page-signs.js';

export interface OrderedPageMove extends PagePlace {
  readonly event: ArtifactEvent;
  readonly reason: string;
  readonly key?: string | undefined;
  readonly expectedVersion?: number | undefined;
  readonly falseSignal?: boolean | undefined;
}

export async function orderPageMove(call: Call, order: OrderedPageMove): Promise<PageEvent> {
  const { library, ask } = call;
  const { source, path, event, reason, key, expectedVersion, ...terms } = order;
  const actor = ask.requester.principal;
  const bears = isBearer(call, undefined);
  const found = await knownPage(call, order);
  if (found === undefined) {
    if (!bears) throw notAllowed();
    throw new Fault('not-found', { what: `${source}:${path}` });
  }
  const { record, signs } = found;
  const made = await library.records.pages.command(
    {
      source,
      path,
      event,
      by: statedBy(call, reason),
      at: ask.at,
      texts: signs.texts,
      // A key of somebody who may order nothing is not looked up and takes none away.
      ...(key === undefined || !bears ? {} : { key }),
      ...(expectedVersion === undefined || !bears ? {} : { expectedVersion }),
      terms,
    },
    (standing) => {
      const from = stateWith(standing, signs);
      const facts = {
        policy: policyOf(library.config),
        state: from,
        source: record.state,
        unchanged: JSON.stringify(standing?.texts) === JSON.stringify(signs.texts),
        newPipeline: signs.outdated,
        ordered: standing !== undefined,
        gone: !signs.named || record.state === 'deleted',
      };
      const ruling = bears ? ruleOnArtifact({ event, actor, reason, at: ask.at, ...terms }, facts) : STRANGER;
      const { profile } = library.config;
      if (ruling.made) return { made: true, from, to: ruling.to, detail: { row: ruling.row, profile } };
      return { made: false, from, detail: { row: ruling.row, why: ruling.why, said: ruling.detail } };
    },
  );
  if (made.outcome === 'refused') throw bears ? refusalOf(made) : notAllowed();
  return made;
}

export interface KnownPage {
  readonly record: SourceRecord;
  readonly signs: PageSigns;
  readonly standing: PageStanding | undefined;
  readonly state: ArtifactState;
}

/** Undefined for what neither the index nor its source has, and nobody gave an order about. */
export async function knownPage(call: Call, place: PagePlace): Promise<KnownPage | undefined> {
  const { records } = call.library;
  const record = (await records.registry.records()).find(({ id }) => id === place.source);
  if (record === undefined) return undefined;
  const standing = (await records.pages.standings(place.source)).find(({ path }) => path === place.path);
  const signs = await signsOf(call, record, place);
  if (standing === undefined && !signs.held && signs.texts.length === 0 && !signs.failed) return undefined;
  return { record, signs, standing, state: stateWith(standing, signs) };
}

function stateWith(standing: PageStanding | undefined, signs: PageSigns): ArtifactState {
  return artifactStateOf({ ...signs, ordered: standing === undefined ? undefined : orderedState(standing, signs.texts) });
}

/** An order is a person's, and of one who bears a role; what the pipeline does, it does elsewhere. */
const STRANGER = { made: false, why: 'role', row: '', detail: 'whoever ordered it bears no role' } as const;

function notAllowed(): Fault {
  return new Fault('source/not-allowed', { asked: 'Moving pages' });
}

function refusalOf({ source, path, event, detail }: PageEvent): Fault {
  const said = typeof detail['said'] === 'string' ? detail['said'] : 'it is not allowed';
  if (detail['why'] === 'role') return new Fault('source/not-allowed', { asked: `To ${event} ${source}:${path}`, said });
  return new Fault('page/refused', { page: `${source}:${path}`, event, said });
}
