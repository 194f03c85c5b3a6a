/**
 * Puts a library together: the only file that knows which adapter stands behind which port.
 *
 * Invariant: what a question does not need is not loaded, and a store is opened by the first who reads or writes it, so that
 * a damaged one is the finding of that command and not of all.
 */
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { noEmbedder, noReranker } from '../adapters/models/none.js';
import { SCANNER_VERSION } from '../adapters/secrets/scanner-version.js';
import type { SourceRegistration } from '../domain/source.js';
import type { Clock, Instant } from '../kernel/clock.js';
import type { Connector } from '../ports/connector.js';
import type { IndexReader } from '../ports/index-reader.js';
import type { Records } from '../ports/records.js';
import type { SecretScanner } from '../ports/secret-scanner.js';
import type { Library, LibraryConfig } from './library.js';
import { prepareStateFolder } from './state-folder.js';

type Kind = SourceRegistration['location']['connector'];

const systemClock: Clock = { now: () => Date.now() as Instant };

export async function openContainer(config: LibraryConfig, clock: Clock = systemClock): Promise<Library> {
  const indexFile = join(config.stateFolder, INDEX_FILE);
  const connectors = await connectorsFor(config);
  const reader = lazily(async () => {
    const { openIndexReader } = await import('../adapters/stores/sqlite/index-reader.js');
    return openIndexReader({ file: indexFile, clock });
  });
  const records = lazily(async () => {
    const [{ openRecords }] = await Promise.all([import('../adapters/stores/sqlite/records.js'), prepareStateFolder(config.stateFolder)]);
    return openRecords({ file: join(config.stateFolder, 'records.db') });
  });
  return {
    config,
    clock,
    reader: lazyReader(reader),
    records: lazyRecords(records),
    scanner: lazyScanner(),
    embedder: noEmbedder,
    reranker: noReranker,
    connector: (kind) => {
      const found = connectors.get(kind);
      if (found === undefined) throw new Error(`no source of this library needs the ${kind} connector`);
      return found;
    },
    writer: async (holder) => {
      await prepareStateFolder(config.stateFolder);
      const [{ openIndexWriter }, { ANALYZER_VERSION }, { SEGMENTER_VERSION }] = await Promise.all([
        import('../adapters/stores/sqlite/index-writer.js'),
        import('../text/analyze.js'),
        import('../text/segment.js'),
      ]);
      const manifest = { analyzer: ANALYZER_VERSION, segmenter: SEGMENTER_VERSION, embedder: noEmbedder.id };
      return openIndexWriter({ file: indexFile, clock, holder, manifest });
    },
    packer: async () => (await import('../adapters/stores/sqlite/page-packing.js')).packPages,
    close: async () => {
      await reader.close();
      await records.close();
    },
  };
}

const INDEX_FILE = 'index.db';

/** Takes a damaged index.db out of the way of a rebuild, and can put it back. */
export async function setIndexAside({ config, reader }: Library) {
  await reader.close();
  const files = ['', '-wal', '-shm'].map((ending) => join(config.stateFolder, `${INDEX_FILE}${ending}`));
  const aside = files.map((file) => `${file}.aside`);
  const move = async (from: readonly string[], to: readonly string[]) => {
    for (const [at, file] of from.entries()) await renameIfThere(file, to[at] ?? file);
  };
  await move(files, aside);
  return {
    drop: async () => {
      for (const file of aside) await rm(file, { force: true });
    },
    putBack: async () => {
      for (const file of files) await rm(file, { force: true });
      await move(aside, files);
    },
  };
}

async function renameIfThere(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

async function connectorsFor({ sources }: LibraryConfig): Promise<ReadonlyMap<Kind, Connector>> {
  const kinds = new Set(sources.map(({ location }) => location.connector));
  const found = await Promise.all([...kinds].map(async (kind) => [kind, await loadConnector(kind)] as const));
  return new Map(found);
}

async function loadConnector(kind: Kind): Promise<Connector> {
  if (kind === 'git') return (await import('../adapters/connectors/git/git-connector.js')).gitConnector();
  return (await import('../adapters/connectors/directory/directory-connector.js')).directoryConnector();
}

interface Lazy<T> {
  get(): Promise<T>;
  /** Closes what was opened; a later `get` opens anew. */
  close(): Promise<void>;
}

function lazily<T extends { close(): Promise<void> }>(open: () => Promise<T>): Lazy<T> {
  let opened: Promise<T> | undefined;
  return {
    get: () => {
      if (opened === undefined) {
        const opening = open();
        // What failed once, for want of a file or of space, may succeed the next time.
        opening.catch(() => {
          if (opened === opening) opened = undefined;
        });
        opened = opening;
      }
      return opened;
    },
    close: async () => {
      const closing = opened;
      opened = undefined;
      if (closing !== undefined) await (await closing).close();
    },
  };
}

function lazyReader(reader: Lazy<IndexReader>): IndexReader {
  return {
    snapshot: async () => (await reader.get()).snapshot(),
    totals: async () => (await reader.get()).totals(),
    checkpoints: async () => (await reader.get()).checkpoints(),
    pending: async () => (await reader.get()).pending(),
    problems: async (source) => (await reader.get()).problems(source),
    integrity: async () => (await reader.get()).integrity(),
    close: () => reader.close(),
  };
}

function lazyRecords(records: Lazy<Records>): Records {
  return {
    registry: {
      standings: async () => (await records.get()).registry.standings(),
      register: async (...given) => (await records.get()).registry.register(...given),
      confirm: async (...given) => (await records.get()).registry.confirm(...given),
      move: async (...given) => (await records.get()).registry.move(...given),
    },
    packages: {
      store: async (...given) => (await records.get()).packages.store(...given),
      get: async (...given) => (await records.get()).packages.get(...given),
      find: async (...given) => (await records.get()).packages.find(...given),
      list: async (...given) => (await records.get()).packages.list(...given),
    },
    integrity: async () => (await records.get()).integrity(),
    close: () => records.close(),
  };
}

/** The scanner is the heaviest thing there is, and only indexing needs it. */
function lazyScanner(): SecretScanner {
  let loading: Promise<SecretScanner> | undefined;
  return {
    version: SCANNER_VERSION,
    scan: async (text) => {
      loading ??= import('../adapters/secrets/secret-scanner.js').then(({ secretScanner }) => secretScanner());
      return (await loading).scan(text);
    },
  };
}
