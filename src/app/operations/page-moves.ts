/**
 * page quarantine, release, confirm, invalidate, list, history: orders about single pages, judged by the table SM-A1 to SM-A12 and recorded.
 *
 * Invariant: what may be selected follows the state with the next question; nothing is indexed anew for it.
 * Invariant: a page that is kept from everybody is named by its path alone, and only to who bears a role or answers for every source.
 */
import { z } from 'zod';
import { ARTIFACT_STATES, type ArtifactEvent } from '../../domain/artifact-state.js';
import { orderedState } from '../../domain/page-standing.js';
import { Fault } from '../../kernel/errors.js';
import { answersForAll } from '../answers-for-all.js';
import { isBearer } from '../registry/order-move.js';
import { knownPage, orderPageMove } from '../registry/order-page-move.js';
import { placeOf } from '../registry/page-place.js';
import { heldOf } from '../registry/page-signs.js';
import { type Call, operation } from './catalogue.js';
import { eventOut, orderEvent } from './order-event.js';
import { answer } from './wire.js';

const SURFACES = ['cli'] as const;

const place = {
  path: z.string().min(1).describe('The page: a path, `source:path`, or an artifact id of it.'),
  source: z.string().min(1).optional().describe('The source it is of, where several have such a path.'),
};
const order = {
  ...place,
  reason: z.string().max(2_000).default('').describe('Why; kept for good.'),
  key: z.string().min(1).max(200).optional().describe('Names the order: the same one again does nothing more.'),
  expect: z.int().nonnegative().optional().describe('The version of its standing this is meant for; another one is refused.'),
};
const pageEvent = orderEvent(ARTIFACT_STATES);
const moved = {
  source: z.string(),
  path: z.string(),
  state: z.enum(ARTIFACT_STATES).describe('As it is now.'),
  event: pageEvent,
  repeats: z.boolean().describe('An order of this key was carried out before, which `event` tells of; nothing was done now.'),
};
type Given = z.output<z.ZodObject<typeof order>>;

async function moveAs(call: Call, event: ArtifactEvent, given: Given, falseSignal?: boolean) {
  const { reason, key, expect } = given;
  if (call.ask.requester.principal.startsWith('person:') && reason.trim() === '')
    throw new Fault('input/invalid', { field: '--reason', expected: 'given: why this is done, which is kept for good' });
  const named = await placeOf(call, given);
  const { pages } = call.library.records;
  const before = (await pages.history(named.source, named.path)).at(-1)?.seq ?? 0;
  const made = await orderPageMove(call, { ...named, event, reason, key, expectedVersion: expect, falseSignal });
  const now = await knownPage(call, named);
  return { problems: [], ...named, state: now?.state ?? made.to, event: eventOut(made), repeats: made.seq <= before };
}

export const pageQuarantine = operation({
  name: 'page quarantine',
  summary: 'Takes a page out of every answer at once, whatever it says, as long as a suspicion lasts.',
  authority: 'operate',
  surfaces: SURFACES,
  input: z.object(order),
  output: answer('page-quarantine', moved),
  async run(given, call) {
    return { schema: 'colophon/page-quarantine@1' as const, ...(await moveAs(call, 'quarantine', given)) };
  },
});

export const pageRelease = operation({
  name: 'page release',
  summary: 'Ends a quarantine: the signal was false, and the page says what it said.',
  authority: 'operate',
  surfaces: SURFACES,
  input: z.object({
    ...order,
    falseSignal: z.boolean().default(false).describe('The signal was ruled false; what the index holds must be what it was.'),
  }),
  output: answer('page-release', moved),
  async run({ falseSignal, ...given }, call) {
    return { schema: 'colophon/page-release@1' as const, ...(await moveAs(call, 'release', given, falseSignal)) };
  },
});

export const pageConfirm = operation({
  name: 'page confirm',
  summary: 'Ends a quarantine the other way: the signal was right, and this text of the page answers no more.',
  authority: 'operate',
  surfaces: SURFACES,
  input: z.object(order),
  output: answer('page-confirm', moved),
  async run(given, call) {
    return { schema: 'colophon/page-confirm@1' as const, ...(await moveAs(call, 'confirm', given)) };
  },
});

export const pageInvalidate = operation({
  name: 'page invalidate',
  summary:
    'Takes this text of a page out of every answer at once: it is wrong, superseded, or not for here. Another text of it answers again.',
  authority: 'operate',
  surfaces: SURFACES,
  input: z.object(order),
  output: answer('page-invalidate', moved),
  async run(given, call) {
    return { schema: 'colophon/page-invalidate@1' as const, ...(await moveAs(call, 'invalidate', given)) };
  },
});

export const pageList = operation({
  name: 'page list',
  summary: 'Pages that somebody gave an order about: where they stand, and since when.',
  authority: 'read',
  surfaces: SURFACES,
  input: z.object({ source: place.source }),
  output: answer('page-list', {
    pages: z.array(
      z.object({
        source: z.string(),
        path: z.string(),
        state: z.enum(ARTIFACT_STATES),
        version: z.int(),
        since: z.string(),
        texts: z.array(z.string()).describe('Versions of the page and its sections that the last order was about.'),
        barred: z.array(z.string()).describe('Versions that orders keep out.'),
      }),
    ),
  }),
  async run({ source }, call) {
    requireKeeper(call);
    const standings = await call.library.records.pages.standings(source);
    const pages = [];
    for (const standing of standings) {
      const held = await heldOf(call, standing);
      // What an order said of another text of the page does not count for this one.
      const state = orderedState(standing, held?.texts ?? []) ?? (held === undefined ? ('processing' as const) : ('indexed' as const));
      pages.push({
        ...standing,
        texts: [...standing.texts],
        barred: [...standing.barred],
        state,
        since: new Date(standing.since).toISOString(),
      });
    }
    return { schema: 'colophon/page-list@1' as const, problems: [], pages };
  },
});

export const pageHistory = operation({
  name: 'page history',
  summary: 'The state of one page, and every order about it, the oldest first, refusals too.',
  authority: 'read',
  surfaces: SURFACES,
  input: z.object(place),
  output: answer('page-history', {
    source: z.string(),
    path: z.string(),
    state: z.enum(ARTIFACT_STATES),
    version: z.int().describe('Of its standing, for `--expect`; 0 where no order about it was carried out.'),
    events: z.array(pageEvent),
  }),
  async run(given, call) {
    requireKeeper(call);
    const named = await placeOf(call, given);
    const known = await knownPage(call, named);
    if (known === undefined) throw new Fault('not-found', { what: given.path });
    const events = await call.library.records.pages.history(named.source, named.path);
    const { state, standing } = known;
    const told = { state, version: standing?.version ?? 0, events: events.map(eventOut) };
    return { schema: 'colophon/page-history@1' as const, problems: [], ...named, ...told };
  },
});

function requireKeeper(call: Call): void {
  if (!isBearer(call, undefined) && !answersForAll(call))
    throw new Fault('source/not-allowed', { asked: 'Reading about pages that are kept back' });
}
