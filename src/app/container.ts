/**
 * Puts a library together: the only file that knows which adapter stands behind which port.
 *
 * Invariant: what a question does not need is not loaded, and a store is opened by the first who reads or writes it, so that
 * a damaged one is the finding of that command and not of all.
 */
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { noEmbedder, noReranker } from '../adapters/models/none.js';
import { SCANNER_VERSION } from '../adapters/secrets/scanner-version.js';
import type { SourceRegistration } from '../domain/source.js';
import type { Clock, Instant } from '../kernel/clock.js';
import { Fault } from '../kernel/errors.js';
import type { Connector } from '../ports/connector.js';
import type { IndexReader } from '../ports/index-reader.js';
import type { Records } from '../ports/records.js';
import type { SecretScanner } from '../ports/secret-scanner.js';
import type { Library, LibraryConfig } from './library.js';
import { isUnwritable, prepareStateFolder, refuseForeignState, rememberPolicy } from './state-folder.js';

type Kind = SourceRegistration['location']['connector'];

const systemClock: Clock = { now: () => Date.now() as Instant };

export async function openContainer(config: LibraryConfig, clock: Clock = systemClock): Promise<Library> {
  const indexFile = join(config.stateFolder, INDEX_FILE);
  const connectors = await connectorsFor(config);
  const reader = lazily(async () => {
    const [{ openIndexReader }] = await Promise.all([
      import('../adapters/stores/sqlite/index-reader.js'),
      refuseForeignState(config.stateFolder),
    ]);
    return openIndexReader({ file: indexFile, clock });
  });
  const records = lazily(async () => {
    const file = join(config.stateFolder, RECORDS_FILE);
    const { openRecords, openRecordsToRead } = await import('../adapters/stores/sqlite/records.js');
    try {
      await prepareState(config);
    } catch (error) {
      // What is there can still be asked.
      const readable = isUnwritable(error) && (await stat(file).catch(() => undefined))?.isFile() === true;
      if (!readable) throw error;
      return openRecordsToRead({ file });
    }
    return openRecords({ file });
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
      await prepareState(config);
      const [{ openIndexWriter }, { ANALYZER_VERSION }, { SEGMENTER_VERSION }] = await Promise.all([
        import('../adapters/stores/sqlite/index-writer.js'),
        import('../text/analyze.js'),
        import('../text/segment.js'),
      ]);
      const manifest = { analyzer: ANALYZER_VERSION, segmenter: SEGMENTER_VERSION, embedder: noEmbedder.id };
      return openIndexWriter({ file: indexFile, clock, holder, manifest, onChange: true });
    },
    packer: async () => (await import('../adapters/stores/sqlite/page-packing.js')).packPages,
    close: async () => {
      await reader.close();
      await records.close();
    },
  };
}

/** Whoever makes state under a policy that nobody named keeps in mind that there was one. */
async function prepareState({ stateFolder, policyPlace }: LibraryConfig): Promise<void> {
  await prepareStateFolder(stateFolder);
  if (policyPlace?.isDefault === true) await rememberPolicy(stateFolder);
}

/** What people said they did to the files below a folder, newest first; empty where git knows nothing of it. */
export async function readHistory(folder: string, most: number, signal: AbortSignal) {
  const { commitSubjects } = await import('../adapters/connectors/git/commit-subjects.js');
  return commitSubjects(folder, most, signal);
}

const INDEX_FILE = 'index.db';
const RECORDS_FILE = 'records.db';
/** Logs go first: beside a new file, that of an old one would be taken for its own. */
const COMPANIONS = ['-wal', '-shm', '-journal', '.sums', ''];

/** Takes a damaged index.db out of the way of a rebuild, and can put it back. */
export async function setIndexAside({ config, reader }: Library) {
  await reader.close();
  const files = COMPANIONS.map((ending) => join(config.stateFolder, `${INDEX_FILE}${ending}`));
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

/** Puts a damaged records.db beside the place of a new one, and names it. Nothing is deleted. */
export async function setRecordsAside({ config, records }: Library): Promise<string> {
  await records.close().catch((error: unknown) => {
    // What is damaged may not close in order; nothing of it is written any more.
    if (!(error instanceof Fault)) throw error;
  });
  const file = join(config.stateFolder, RECORDS_FILE);
  for (let count = 1; ; count += 1) {
    const aside = `${file}.damaged-${count}`;
    const taken = await stat(aside).catch(() => undefined);
    if (taken !== undefined) continue;
    for (const ending of COMPANIONS) await renameIfThere(`${file}${ending}`, `${aside}${ending}`);
    return aside;
  }
}

/** Records that last as long as this library is open: enough to rebuild an index while the true ones cannot be read. */
export async function provisionalRecords(): Promise<Records> {
  return (await import('../adapters/stores/sqlite/records.js')).openRecords({ file: ':memory:' });
}

async function renameIfThere(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

async function connectorsFor({ sources }: LibraryConfig): Promise<ReadonlyMap<Kind, Connector>> {
  const kinds = new Set(sources.map(({ location }) => location.connector));
  const apart = sources.some(({ sections }) => sections === 'apart');
  const cut = apart ? (await import('../sources/sections-apart.js')).sectionsApart : (connector: Connector) => connector;
  const found = await Promise.all([...kinds].map(async (kind) => [kind, cut(await loadConnector(kind))] as const));
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
    held: async (source, path) => (await reader.get()).held(source, path),
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
      records: async () => (await records.get()).registry.records(),
      command: async (...given) => (await records.get()).registry.command(...given),
      note: async (...given) => (await records.get()).registry.note(...given),
      history: async (...given) => (await records.get()).registry.history(...given),
      registrations: async (...given) => (await records.get()).registry.registrations(...given),
    },
    pages: {
      command: async (...given) => (await records.get()).pages.command(...given),
      standings: async (...given) => (await records.get()).pages.standings(...given),
      history: async (...given) => (await records.get()).pages.history(...given),
    },
    packages: {
      store: async (...given) => (await records.get()).packages.store(...given),
      get: async (...given) => (await records.get()).packages.get(...given),
      identified: async (...given) => (await records.get()).packages.identified(...given),
      bindingsOf: async (...given) => (await records.get()).packages.bindingsOf(...given),
      entries: async (...given) => (await records.get()).packages.entries(...given),
    },
    approvals: {
      settle: async (...given) => (await records.get()).approvals.settle(...given),
      rule: async (...given) => (await records.get()).approvals.rule(...given),
      find: async (...given) => (await records.get()).approvals.find(...given),
      asked: async (...given) => (await records.get()).approvals.asked(...given),
      taint: async (...given) => (await records.get()).approvals.taint(...given),
      taintsOf: async (...given) => (await records.get()).approvals.taintsOf(...given),
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
