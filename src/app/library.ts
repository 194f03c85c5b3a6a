/** An open library: everything an operation may touch, put together by the container and closed by the surface. */
import type { Classification } from '../domain/classification.js';
import type { ContextPolicy } from '../domain/context-policy.js';
import type { ModelProfile } from '../domain/model-profile.js';
import type { Permissions, Policy } from '../domain/policy.js';
import type { Problem } from '../domain/problem.js';
import type { RankingPolicy } from '../domain/ranking-policy.js';
import type { ClientProfile } from '../domain/requester.js';
import type { SourceRegistration } from '../domain/source.js';
import type { ToolPolicy } from '../domain/tool-policy.js';
import type { Vocabulary } from '../domain/vocabulary.js';
import type { Clock } from '../kernel/clock.js';
import type { Connector } from '../ports/connector.js';
import type { IndexReader } from '../ports/index-reader.js';
import type { IndexWriter, PackPages } from '../ports/index-writer.js';
import type { Embedder, Reranker } from '../ports/models.js';
import type { Records } from '../ports/records.js';
import type { SecretScanner } from '../ports/secret-scanner.js';
import type { ContextCache, SearchCache } from './asking/context-cache.js';
import type { ServeConfig } from './configuration/serve-config.js';

export interface Rights {
  readonly tenants: readonly string[];
  readonly purposes: readonly string[];
  readonly groups: readonly string[];
  readonly ceiling: Classification;
}

export interface PolicyPlace {
  /** A folder of policy files, or one file. */
  readonly path: string;
  /** Nobody named it: it was found there, or was once, and is missed when it is gone. */
  readonly isDefault?: true;
  /** What colophon.yaml leaves this process of what the policy gives its principal. */
  readonly identity: Partial<Rights>;
}

/** colophon.yaml, or its absence, resolved. */
export interface LibraryConfig {
  readonly profile: 'personal' | 'team';
  /** The folder the configuration stands in, or the folder asked about. */
  readonly root: string;
  /** Holds records.db and index.db. */
  readonly stateFolder: string;
  /** Absent when the library is an unconfigured folder. */
  readonly file?: string;
  readonly sources: readonly SourceRegistration[];
  /** Permissions ref → who may read. */
  readonly permissions: Permissions;
  /** Who this process may be: fixed at launch, arguments may only narrow. */
  readonly identity: Rights & { readonly principal: string };
  /** Whom `--as` may name, and what they hold; what both hold is what counts. */
  readonly people?: Readonly<Record<string, Rights>>;
  /** What else the policy says, and its version; absent in configurations made by hand for a replay. */
  readonly policy?: Policy;
  /** Where the policy stands when it has files of its own; those are looked at again for every request. */
  readonly policyPlace?: PolicyPlace;
  readonly clients: readonly ClientProfile[];
  /** What is declared, and the families. */
  readonly models: readonly ModelProfile[];
  /** Where more models may stand; looked at only when one is asked for that is not among these. */
  readonly modelsFile?: { readonly path: string; readonly isDefault?: true };
  readonly ranking: RankingPolicy;
  /** Where names of things stand; looked at again for every request. */
  readonly vocabularyFile?: string;
  /** Names that were recorded, in the place of a file. */
  readonly vocabulary?: Vocabulary;
  /** How packages are filled, and what governs them; the default where nothing is declared. */
  readonly context?: ContextPolicy;
  /** Which tools could carry text out; the default where nothing is declared. */
  readonly gate?: ToolPolicy;
  /** Whose tokens a server of this library takes, and how much it lets through; the default where nothing is declared. */
  readonly serve?: ServeConfig;
  /** When a file of the audit log is full; the default where nothing is declared. */
  readonly auditFileBytes?: number;
  /** What is odd about the configuration and stopped nothing: overlapping sources. */
  readonly problems?: readonly Problem[];
}

export interface Library {
  readonly config: LibraryConfig;
  readonly clock: Clock;
  readonly reader: IndexReader;
  readonly records: Records;
  readonly scanner: SecretScanner;
  readonly embedder: Embedder;
  readonly reranker: Reranker;
  /** Where a process that answers many questions keeps what it compiled; absent in one that answers one. */
  readonly contexts?: ContextCache;
  /** What was found for questions before, likewise. */
  readonly searches?: SearchCache;
  /** Who else may run an operation of the catalogue, as it would be run here. */
  readonly answering?: { run(operation: object, input: unknown, call: object): Promise<unknown> };
  connector(kind: SourceRegistration['location']['connector']): Connector;
  /** Takes the single writer's lease, with the first change at the latest; `index/busy` when another process holds it. */
  writer(holder: string): Promise<IndexWriter>;
  /** Packs pages as the writer files them; needs no index. */
  packer(): Promise<PackPages>;
  close(): Promise<void>;
}
