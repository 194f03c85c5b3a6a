/**
 * source list, show, history, profile: what is registered, in which state, since when and by whom.
 *
 * Invariant: all of it is for who bears a role or answers for every source. Who may read pages of a source is told where it stands, as by
 * `status`; to anyone else it is not there.
 */
import { z } from 'zod';
import type { SourceRecord, StateEvent } from '../../domain/source-record.js';
import { Fault } from '../../kernel/errors.js';
import { statedBy } from '../registry/order-move.js';
import { lastProfile, profileSource } from '../registry/source-profile.js';
import { mayReadDeclared, sourceReading } from '../registry/source-readers.js';
import { type Call, operation } from './catalogue.js';
import { eventOut } from './order-event.js';
import { movedOut, sourceEvent, sourceOnWire, sourceOut, standingOut } from './source-wire.js';
import { answer } from './wire.js';

const source = z.object({ id: z.string().min(1) });
const SURFACES = ['cli'] as const;

interface Readable {
  readonly record: SourceRecord;
  readonly whole: boolean;
}

async function recordNamed(call: Call, id: string): Promise<Readable> {
  const record = (await call.library.records.registry.records()).find((each) => each.id === id);
  const reading = (await sourceReading(call))(record);
  if (record === undefined || reading === 'nothing') throw new Fault('source/unknown', { sourceId: id });
  return { record, whole: reading === 'whole' };
}

const declaredAs = ({ library }: Call, id: string) => library.config.sources.find((each) => each.id === id);

export const sourceList = operation({
  name: 'source list',
  summary: 'Every source that is registered or declared, with its state and version.',
  authority: 'read',
  surfaces: SURFACES,
  input: z.object({}),
  output: answer('source-list', {
    sources: z.array(z.object(sourceOnWire)),
    unregistered: z.array(z.string()).describe('Declared in colophon.yaml, and not brought in yet.'),
  }),
  async run(_, call) {
    const { library, ask } = call;
    const [records, readingOf] = await Promise.all([library.records.registry.records(), sourceReading(call)]);
    const known = new Set(records.map(({ id }) => id));
    const keeps = readingOf(undefined) === 'whole';
    const fresh = library.config.sources.filter((each) => !known.has(each.id) && (keeps || mayReadDeclared(call, each)));
    return {
      schema: 'colophon/source-list@1' as const,
      problems: [],
      sources: records.flatMap((each) => {
        const reading = readingOf(each);
        if (reading === 'nothing') return [];
        const out = sourceOut(each, declaredAs(call, each.id), ask.at);
        return [reading === 'whole' ? out : standingOut(out, ask)];
      }),
      unregistered: fresh.map(({ id }) => id),
    };
  },
});

export const sourceShow = operation({
  name: 'source show',
  summary: 'One source: state, version, declaration, and its last profile.',
  authority: 'read',
  surfaces: SURFACES,
  input: source,
  output: answer('source-show', {
    source: z.object(sourceOnWire),
    declaration: z.record(z.string(), z.unknown()),
    profile: z.record(z.string(), z.unknown()).nullable(),
  }),
  async run({ id }, call) {
    const { record, whole } = await recordNamed(call, id);
    const { registry } = call.library.records;
    const out = sourceOut(record, declaredAs(call, id), call.ask.at);
    const base = { schema: 'colophon/source-show@1' as const, problems: [] };
    if (!whole) return { ...base, source: standingOut(out, call.ask), declaration: {}, profile: null };
    const [history, registrations] = await Promise.all([registry.history(id), registry.registrations(id)]);
    return {
      ...base,
      source: out,
      declaration: { ...registrations.at(-1)?.declared },
      profile: profileIn(history),
    };
  },
});

function profileIn(history: readonly StateEvent[]): Record<string, unknown> | null {
  const last = lastProfile(history);
  return last === undefined ? null : { ...last.detail };
}

export const sourceHistory = operation({
  name: 'source history',
  summary: 'Everything that happened to a source, the oldest first, refusals too, and every version of its declaration.',
  authority: 'read',
  surfaces: SURFACES,
  input: source,
  output: answer('source-history', {
    id: z.string(),
    events: z.array(sourceEvent),
    declarations: z.array(z.object({ digest: z.string(), actor: z.string(), at: z.string(), declared: z.record(z.string(), z.unknown()) })),
  }),
  async run({ id }, call) {
    const { whole } = await recordNamed(call, id);
    const { registry } = call.library.records;
    const [events, registrations] = await Promise.all([registry.history(id), registry.registrations(id)]);
    const base = { schema: 'colophon/source-history@1' as const, problems: [], id };
    if (!whole) {
      const made = events.filter(({ event, outcome, from, to }) => outcome === 'made' && (event === 'register' || from !== to));
      return { ...base, events: made.map(eventOut).map(movedOut), declarations: [] };
    }
    return {
      ...base,
      events: events.map(eventOut),
      declarations: registrations.map(({ digest, actor, at, declared }) => ({
        digest,
        actor,
        at: new Date(at).toISOString(),
        declared: { ...declared },
      })),
    };
  },
});

export const sourceProfile = operation({
  name: 'source profile',
  summary: 'Finds out what a source is like and keeps the answers: completeness, currency, stability, duplicates, owner, deletion path.',
  authority: 'operate',
  surfaces: SURFACES,
  input: source,
  output: answer('source-profile', { id: z.string(), profile: z.record(z.string(), z.unknown()) }),
  async run({ id }, call) {
    const { record, whole } = await recordNamed(call, id);
    if (!whole) throw new Fault('source/not-allowed', { asked: 'Profiling a source' });
    const declared = declaredAs(call, id);
    if (declared === undefined) throw new Fault('source/undeclared', { sourceId: id });
    const profile = { ...(await profileSource(call, declared, record)) };
    await call.library.records.registry.note(id, 'profile', statedBy(call, 'profile'), call.ask.at, profile);
    return { schema: 'colophon/source-profile@1' as const, problems: [], id, profile };
  },
});
