/**
 * Connector for git: the working tree, or the objects of a ref.
 *
 * Invariant: with a ref, what is read depends on the commit alone; without one, on the files on disk alone.
 */
import type { SourceRegistration } from '../../../domain/source.js';
import type { Connector, ListedDocument, Listing, SourceDocument, UnreadDocument } from '../../../ports/connector.js';
import { listingOf } from '../disk/listing.js';
import { MAX_DOCUMENT_BYTES, readDocument, tooLarge, unread } from '../disk/read-document.js';
import { sameBytes } from '../disk/same-bytes.js';
import { selectionOf } from '../disk/selection.js';
import { signaturesAt } from '../disk/signature.js';
import { sourceRoot, unreachable } from '../disk/source-root.js';
import { Gathering, type Module } from './gathering.js';
import { type ObjectAnswer, readObjects } from './object-reader.js';
import { listRefTree } from './ref-tree.js';
import { commitOf, missingRef, openRepository, type Repository, withSignal } from './repository.js';
import { WorkingTree } from './working-tree.js';

/** Where the refs of a repository may be kept. */
const REFS = ['refs', 'packed-refs', 'reftable'];

type Objects = AsyncGenerator<ObjectAnswer, void, undefined>;

class GitConnector implements Connector {
  readonly identity = 'workload://colophon/git';
  readonly version = 'git@1';
  /** Which repository serves which part of a source, from its last listing. */
  readonly #modules = new Map<string, { readonly location: string; readonly modules: readonly Module[] }>();

  async list(registration: SourceRegistration, signal: AbortSignal): Promise<Listing> {
    signal.throwIfAborted();
    const root = sourceRoot(registration);
    const repository = await repositoryAt(registration, root, signal);
    const { ref } = registration.location;
    const found = new Gathering(registration.id, selectionOf(registration.location));
    const commit = await commitOf(repository, ref);
    if (ref !== undefined) {
      if (commit === undefined) throw unreachable(registration.id, registration.location.path, await missingRef(repository, ref));
      await listRefTree(root, repository, commit, found, signal);
    } else {
      await new WorkingTree(root, found, signal).list(repository);
    }
    if (sourceRoot(registration) !== root)
      throw unreachable(registration.id, registration.location.path, 'it was replaced during the walk');
    if (repository.shallow) noteShallow(found);
    this.#modules.set(registration.id, { location: JSON.stringify(registration.location), modules: found.modules });
    return listingOf(registration.id, found, { ...(commit === undefined ? {} : { commit }), pinned: ref !== undefined });
  }

  async *read(
    registration: SourceRegistration,
    documents: readonly ListedDocument[],
    signal: AbortSignal,
  ): AsyncIterable<SourceDocument | UnreadDocument> {
    const root = sourceRoot(registration);
    const streams = await this.#objectStreams(registration, documents, signal);
    try {
      for (const document of documents) {
        signal.throwIfAborted();
        const { blob } = document;
        if (blob === undefined) yield readDocument(registration.id, root, document.path);
        else yield fromObject(registration.id, document.path, blob, await nextOf(streams, document.path));
      }
    } finally {
      for (const { objects } of streams) await objects.return();
    }
  }

  /** What git names a blob for is compared by that name; the rest lies on disk. */
  async same(
    registration: SourceRegistration,
    documents: readonly ListedDocument[],
    held: ReadonlyMap<string, string>,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    signal.throwIfAborted();
    const named = documents.filter(({ path, blob }) => blob !== undefined && blob === held.get(path)).map(({ path }) => path);
    const onDisk = documents.filter(({ blob }) => blob === undefined);
    return new Set([...named, ...(await sameBytes(sourceRoot(registration), onDisk, held, signal))]);
  }

  signatures({ location }: SourceRegistration, paths: readonly string[]): ReadonlyMap<string, string> {
    return location.ref === undefined ? signaturesAt(location.path, paths) : new Map();
  }

  async watch(registration: SourceRegistration, changed: () => void): Promise<() => Promise<void>> {
    const root = sourceRoot(registration);
    const { gitDir, commonDir } = await repositoryAt(registration, root);
    const extra = [
      { folder: gitDir, entries: gitDir === commonDir ? ['HEAD', ...REFS] : ['HEAD'] },
      ...(gitDir === commonDir ? [] : [{ folder: commonDir, entries: REFS }]),
    ];
    const selection = selectionOf(registration.location);
    const { watchFolder } = await import('../disk/watch-folder.js');
    return watchFolder({ ...(registration.location.ref === undefined ? { root } : {}), selection, extra }, changed);
  }

  /** One stream per repository that is asked for objects, innermost prefix first. */
  async #objectStreams(
    registration: SourceRegistration,
    documents: readonly ListedDocument[],
    signal: AbortSignal,
  ): Promise<{ readonly prefix: string; readonly objects: Objects }[]> {
    const asked = documents.filter(({ blob }) => blob !== undefined);
    if (asked.length === 0) return [];
    const modules = [...(await this.#modulesOf(registration, signal))].sort((a, b) => b.prefix.length - a.prefix.length);
    return modules.map(({ prefix, repository }) => {
      const own = asked.filter(({ path }) => modules.find((module) => path.startsWith(module.prefix))?.prefix === prefix);
      const ids = own.map(({ blob }) => blob ?? '');
      return { prefix, objects: readObjects(ids, withSignal(repository.options, signal), MAX_DOCUMENT_BYTES) };
    });
  }

  async #modulesOf(registration: SourceRegistration, signal: AbortSignal): Promise<readonly Module[]> {
    const held = () => this.#modules.get(registration.id);
    if (held()?.location !== JSON.stringify(registration.location)) await this.list(registration, signal);
    return held()?.modules ?? [];
  }
}

export function gitConnector(): Connector {
  return new GitConnector();
}

async function repositoryAt(registration: SourceRegistration, root: string, signal?: AbortSignal): Promise<Repository> {
  const repository = await openRepository(root, signal);
  const { path, ref } = registration.location;
  if (repository === undefined)
    throw unreachable(registration.id, path, 'it is not in a git checkout; `connector: directory` reads it as a plain folder');
  if (repository.bare && ref === undefined) throw unreachable(registration.id, path, 'the repository has no work tree; name a `ref`');
  return repository;
}

async function nextOf(streams: readonly { readonly prefix: string; readonly objects: Objects }[], path: string): Promise<ObjectAnswer> {
  const stream = streams.find(({ prefix }) => path.startsWith(prefix));
  const answer = await stream?.objects.next();
  return answer === undefined || answer.done === true ? { got: 'missing' } : answer.value;
}

function fromObject(source: string, path: string, blob: string, answer: ObjectAnswer): SourceDocument | UnreadDocument {
  if (answer.got === 'bytes') return { path, blob, bytes: answer.bytes };
  if (answer.got === 'too-large') return tooLarge(source, path, answer.sizeBytes);
  const [what, hint] =
    answer.got === 'damaged'
      ? ['is damaged in the repository: its bytes do not match its object name', 'Run `git fsck` in the repository.']
      : ['is not in the local repository', 'Run `git fetch --refetch` or fetch the whole history; nothing is downloaded from here.'];
  return unread(source, path, 'page/unreadable', what, hint);
}

function noteShallow(found: Gathering): void {
  const message = 'The clone is shallow: its history says nothing about the age of a page, and is not used.';
  found.problem('source/shallow', 'info', '', message, 'Nothing needs to be done; dates come from front matter.');
}
