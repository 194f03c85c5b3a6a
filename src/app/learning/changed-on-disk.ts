/**
 * Does the file still say what the index says? Checked at answer time, for the few pages an answer shows.
 *
 * Sources read from a ref cannot change under us; folders and working trees can. What changed is labelled, never hidden.
 *
 * A file is read once; while the system says that it was not written since, it is not read again.
 *
 * Invariant: bounded, in pages and in bytes; beyond the bound a page is left unmarked, as if the check had not run.
 */
import type { Candidate } from '../../domain/candidate.js';
import type { Problem } from '../../domain/problem.js';
import type { SourceRegistration } from '../../domain/source.js';
import type { Connector, SourceDocument } from '../../ports/connector.js';
import type { Call } from '../operations/catalogue.js';

const MAX_PAGES = 20;

type State = 'same' | 'changed' | 'gone';
interface Shown {
  readonly source: string;
  readonly path: string;
  readonly blob: string;
}
type Asking = Pick<Call, 'library' | 'signal'>;

export async function markChanged(
  call: Asking,
  candidates: readonly Candidate[],
): Promise<{ readonly candidates: readonly Candidate[]; readonly gone: ReadonlySet<Candidate>; readonly problems: readonly Problem[] }> {
  const states = await statesOf(
    call,
    candidates.map(({ page }) => page),
  );
  const stateOf = ({ page }: Candidate) => states.get(keyOf(page)) ?? 'same';
  const marked = new Map(candidates.map((each) => [each, stateOf(each) === 'same' ? each : labelled(each)]));
  return {
    candidates: [...marked.values()],
    gone: new Set(candidates.filter((each) => stateOf(each) === 'gone').map((each) => marked.get(each) ?? each)),
    problems: candidates.flatMap((each) => problemFor(each.page, stateOf(each))),
  };
}

export async function checkPage(call: Asking, page: Shown): Promise<{ readonly same: boolean; readonly problems: readonly Problem[] }> {
  const state = (await statesOf(call, [page])).get(keyOf(page)) ?? 'same';
  return { same: state === 'same', problems: problemFor(page, state) };
}

function labelled(candidate: Candidate): Candidate {
  return { ...candidate, labels: [...candidate.labels, 'unverified-changed'] };
}

function problemFor({ source, path }: Shown, state: State): Problem[] {
  if (state === 'same') return [];
  const gone = state === 'gone';
  return [
    {
      code: gone ? 'page/gone' : 'page/changed',
      severity: 'warning',
      source,
      path,
      message: gone ? 'The file is gone; this is what it said when it was last indexed.' : 'The file changed since it was indexed.',
      hint: 'Run `colophon index` to bring the index up to date.',
    },
  ];
}

async function statesOf({ library, signal }: Asking, pages: readonly Shown[]): Promise<ReadonlyMap<string, State>> {
  const states = new Map<string, State>();
  const distinct = [...new Map(pages.map((each) => [keyOf(each), each])).values()].slice(0, MAX_PAGES);
  for (const registration of library.config.sources.filter(canChange)) {
    const shown = distinct.filter(({ source }) => source === registration.id);
    if (shown.length === 0) continue;
    const connector = library.connector(registration.location.connector);
    const unknown = notAsRead(connector, registration, shown, states);
    if (unknown.length === 0) continue;
    const listed = unknown.map(({ path }) => ({ path, sizeBytes: 0 }));
    const expected = new Map(unknown.map((each) => [each.path, each]));
    for await (const found of connector.read(registration, listed, signal)) {
      const page = expected.get(found.path);
      if (page === undefined) continue;
      states.set(keyOf(page), 'problem' in found ? 'gone' : stateOf(found, page));
      if (!('problem' in found)) remember(registration, found);
    }
  }
  return states;
}

function stateOf({ blob }: { readonly blob: string }, page: Shown): State {
  return blob === page.blob ? 'same' : 'changed';
}

type Read = Pick<SourceDocument, 'signature' | 'blob'>;

/** What files held when they were last read here, the latest last. What lies on a disk is the same for every library of a process. */
const asRead = new Map<string, Read>();
const MOST_READ = 50_000;

function remember({ location }: SourceRegistration, { path, signature, blob }: SourceDocument): void {
  const key = placeOf(location, path);
  asRead.delete(key);
  if (signature === undefined) return;
  const oldest = asRead.keys().next();
  if (asRead.size >= MOST_READ && !oldest.done) asRead.delete(oldest.value);
  asRead.set(key, { signature, blob });
}

/** Pages whose files must be read; of the others it is noted in `states` what they hold. */
function notAsRead(
  connector: Connector,
  registration: SourceRegistration,
  shown: readonly Shown[],
  states: Map<string, State>,
): readonly Shown[] {
  const known = new Map(
    shown.flatMap((page) => {
      const read = asRead.get(placeOf(registration.location, page.path));
      return read === undefined ? [] : [[page.path, read] as const];
    }),
  );
  if (known.size === 0) return shown;
  const now = connector.signatures?.(registration, [...known.keys()]) ?? new Map<string, string>();
  return shown.filter((page) => {
    const read = known.get(page.path);
    if (read === undefined || now.get(page.path) !== read.signature) return true;
    states.set(keyOf(page), stateOf(read, page));
    return false;
  });
}

function placeOf({ connector, path: root }: SourceRegistration['location'], path: string): string {
  return `${connector}\0${root}\0${path}`;
}

function canChange({ location }: SourceRegistration): boolean {
  return location.ref === undefined;
}

const keyOf = ({ source, path }: Pick<Shown, 'source' | 'path'>): string => `${source}\0${path}`;
