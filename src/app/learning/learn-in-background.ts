/** A run of the indexer beside a server: a job of its own, recorded under its own identity, whoever asks meanwhile (ATH-12). */
import type { AuditLog } from '../audit/audit-log.js';
import { recordJob } from '../audit/audited.js';
import type { LibraryConfig } from '../library.js';
import type { LearnOptions } from './learn.js';
import { learnInWorker } from './learn-worker.js';

export const INDEXER = 'workload://colophon/indexer';

export async function learnInBackground(config: LibraryConfig, log: AuditLog, options: LearnOptions): Promise<void> {
  await recordJob({ log, config }, { verb: 'index', workload: INDEXER }, () => learnInWorker(config, options));
}
