/** What a server over HTTP is given: a library, the catalogue, who it was started as, and the agent's protocol to speak. */
import type { Server } from '@modelcontextprotocol/server';
import type { KeyFor } from '../../app/access/local-key.js';
import type { AuditLog } from '../../app/audit/audit-log.js';
import type { Narrowing } from '../../app/identity.js';
import type { Library, LibraryConfig } from '../../app/library.js';
import type { Operation, Progress } from '../../app/operations/catalogue.js';
import type { Problem } from '../../domain/problem.js';
import type { Ask } from '../../domain/requester.js';
import type { Settings } from './settings.js';

/** One request that has been let in. */
export interface Door {
  readonly library: Library;
  /** By the policy of the moment. */
  readonly ask: (config: LibraryConfig) => Ask;
  /** The id its answer carries. */
  readonly request: string;
}

export interface HttpHost {
  readonly version: string;
  readonly operations: readonly Operation[];
  readonly library: Library;
  readonly launch: Narrowing;
  readonly settings: Settings;
  readonly audit: AuditLog;
  readonly indexing: {
    beforeAnswer(signals: readonly AbortSignal[], progress: (progress: Progress) => void): Promise<void>;
    problems(whole: boolean): readonly Problem[];
  };
  /** Keys for tokens; the user's own unless given. */
  readonly keyFor?: KeyFor;
  /** A server of the agent's protocol for one request. */
  readonly mcp: (door: Door, leaving: AbortSignal) => Server;
  /** Aborted when the server is to stop: whoever waits should answer with what is there. */
  readonly stopping: AbortSignal;
  /** For people, on stderr; never a token, never content. */
  readonly log: (text: string) => void;
}
