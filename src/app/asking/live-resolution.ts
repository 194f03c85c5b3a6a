/**
 * Live resolution: what is acted upon is read from its source at the time of asking, and compared with the index (RET-26).
 *
 *   compile → read the pages anew → the same: done · another: index the source, compile again · not to be had: blocked
 *
 * For a consequential request every page counts that something came from; for any other those that call themselves critical
 * (`freshness: critical`).
 *
 * Invariant: a package that leaves here unblocked holds nothing of such a page that its source did not say a moment ago.
 */
import { isFenced } from '../../domain/authority.js';
import type { Page } from '../../domain/page.js';
import type { SourceRegistration } from '../../domain/source.js';
import { Fault } from '../../kernel/errors.js';
import type { Call } from '../operations/catalogue.js';
import { isUnwritable } from '../state-folder.js';
import { type CompiledPackage, compilePackage, type PackageRequest } from './compile-package.js';

export interface Live {
  /** Pages whose sources were read. */
  readonly read: number;
  /** Of those, what had changed since it was indexed. */
  readonly changed: readonly { readonly source: string; readonly path: string }[];
}

/** A source that changes faster than it can be indexed is not waited for. */
const MOST_ROUNDS = 2;

export async function compileLive(call: Call, request: PackageRequest): Promise<CompiledPackage & { readonly live?: Live }> {
  const changed = new Map<string, Place>();
  let caughtUp = false;
  for (let round = 0; ; round += 1) {
    const made = await compilePackage(call, request);
    const looked = await closingOnError(made, () => lookAgain(call, request, made, { round, caughtUp }));
    for (const each of looked.changed) changed.set(keyOf(each), each);
    caughtUp ||= looked.caughtUp;
    const live = looked.read === 0 ? {} : { live: { read: looked.read, changed: [...changed.values()].map(placeOf) } };
    if (looked.verdict === 'done') return { ...made, ...live };
    await made.asked.snapshot.close();
    if (looked.verdict === 'blocked') return { ...(await compilePackage(call, { ...request, refusals: looked.refusals })), ...live };
  }
}

interface Looked {
  readonly verdict: 'done' | 'again' | 'blocked';
  readonly read: number;
  readonly changed: readonly Page[];
  readonly refusals: readonly string[];
  /** Sources were brought up to date for what was missing; once is enough. */
  readonly caughtUp: boolean;
}

async function lookAgain(
  call: Call,
  request: PackageRequest,
  made: CompiledPackage,
  { round, caughtUp }: { readonly round: number; readonly caughtUp: boolean },
): Promise<Looked> {
  const pages = made.pages.filter((page) => request.consequential === true || isCritical(page));
  const { changed, refusals } = await lookAt(call, pages);
  const isMissing: boolean = request.consequential === true && !caughtUp && made.compiled.package.body.status === 'blocked';
  const looked = { read: pages.length, changed, refusals, caughtUp: isMissing };
  if (changed.length === 0 && refusals.length === 0 && !isMissing) return { ...looked, verdict: 'done' };
  const behind = new Set([...changed.map(({ source }) => source), ...(isMissing ? readableSources(call, made) : [])]);
  const trouble = round < MOST_ROUNDS ? await catchUp(call, behind) : 'it keeps changing while it is read';
  const stale = trouble === undefined ? [] : changed.map((each) => cannotCatchUp(each, trouble));
  if (refusals.length + stale.length > 0) return { ...looked, verdict: 'blocked', refusals: [...refusals, ...stale] };
  return { ...looked, verdict: trouble === undefined ? 'again' : 'done' };
}

async function closingOnError<T>({ asked }: CompiledPackage, body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    await asked.snapshot.close();
    throw error;
  }
}

type Place = Pick<Page, 'source' | 'path'>;

function isCritical({ meta }: Page): boolean {
  const stated = meta.other['freshness'];
  return stated === 'critical';
}

const keyOf = ({ source, path }: Place): string => JSON.stringify([source, path]);
const placeOf = ({ source, path }: Place): Place => ({ source, path });

/** What is missing may have come since; only sources the asker sees something of are brought up to date for it. */
function readableSources({ library }: Call, { asked }: CompiledPackage): readonly string[] {
  const seen = new Set(asked.retrieved.eligible.compartments.map(({ source }) => source));
  return library.config.sources.map(({ id }) => id).filter((id) => seen.has(id));
}

async function lookAt(call: Call, pages: readonly Page[]) {
  const changed: Page[] = [];
  const refusals: string[] = [];
  for (const registration of call.library.config.sources) {
    const own = pages.filter(({ source }) => source === registration.id);
    if (own.length === 0) continue;
    try {
      const blobs = await blobsNow(call, registration, own);
      changed.push(...own.filter((page) => blobs.get(page.path) !== page.blob));
    } catch (error) {
      if (!(error instanceof Fault) || (error.kind !== 'unavailable' && error.kind !== 'invalid')) throw error;
      refusals.push(...own.map((page) => `${called(page)} cannot be checked against its source, which cannot be read`));
    }
  }
  return { changed, refusals };
}

/** Path → blob, as the source has it at this moment; absent when it is gone. */
async function blobsNow({ library, signal }: Call, registration: SourceRegistration, pages: readonly Page[]) {
  const connector = library.connector(registration.location.connector);
  const blobs = new Map<string, string>();
  if (registration.location.ref !== undefined) {
    // The ref may have moved; its tree tells every blob without reading one.
    const { documents } = await connector.list(registration, signal);
    for (const { path, blob } of documents) if (blob !== undefined) blobs.set(path, blob);
    return blobs;
  }
  const listed = pages.map(({ path }) => ({ path, sizeBytes: 0 }));
  for await (const found of connector.read(registration, listed, signal)) if (!('problem' in found)) blobs.set(found.path, found.blob);
  return blobs;
}

/** Brings the sources up to date; says why not where it cannot. */
async function catchUp({ library, signal, progress }: Call, sources: ReadonlySet<string>): Promise<string | undefined> {
  if (sources.size === 0) return 'there is nothing to bring up to date';
  try {
    const { learn } = await import('../learning/learn.js');
    await learn(library, { sources: [...sources], signal, progress });
    return undefined;
  } catch (error) {
    if (isUnwritable(error)) return 'it may not be written from here';
    if (error instanceof Fault && error.code === 'index/busy') return 'another process is writing it';
    if (error instanceof Fault && error.kind === 'unavailable') return 'the source cannot be read';
    throw error;
  }
}

/** What a stranger calls a page is not repeated where it is read outside a fence. */
function called({ source, path, tier }: Page): string {
  return isFenced(tier) ? `a page of tier ${tier} in ${source}` : `${source} ${path}`;
}

function cannotCatchUp(page: Page, reason: string): string {
  return `${called(page)} changed since it was indexed, and the index could not be brought up to date: ${reason}`;
}
