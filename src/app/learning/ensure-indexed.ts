/**
 * How fresh the index must be before a command goes on, and the run that makes it so.
 *
 * Invariant: another process that is indexing, or a state folder that cannot be written, never stops an answer; what is there is
 * used, and the answer says so. Only where nothing is stored yet there is no answer.
 */
import type { Problem } from '../../domain/problem.js';
import { Fault } from '../../kernel/errors.js';
import type { Library } from '../library.js';
import type { Call } from '../operations/catalogue.js';
import { isUnwritable } from '../state-folder.js';
import type { LearnReport } from './learn.js';

/**
 * `untouched`: whatever is there, or its absence, is the answer.
 * `present`: built when it never was. Whoever runs a command holds the files, so that is theirs to do; an agent's server decides for itself.
 * `current`: as `present`, and brought up to date with its sources first.
 */
export type Freshness = 'untouched' | 'present' | 'current';

export interface Indexed {
  /** What the run did, when there was one. */
  readonly learned?: LearnReport;
  /** What every answer given now must say of the index. */
  readonly standing?: Problem;
}

export async function ensureIndexed(
  { library, signal, progress }: Pick<Call, 'library' | 'signal' | 'progress'>,
  wanted: Freshness,
): Promise<Indexed> {
  if (wanted === 'untouched') return {};
  const built = await isBuilt(library);
  if (built && wanted === 'present') return {};
  try {
    // Parsers and the like: only for those who index.
    const { learn } = await import('./learn.js');
    return { learned: await learn(library, { signal, progress }) };
  } catch (error) {
    const elsewhere = error instanceof Fault && error.code === 'index/busy';
    if (!elsewhere && !isUnwritable(error)) throw error;
    if (await isBuilt(library)) return {};
    if (!elsewhere) throw error;
    if (await isBegun(library)) return { standing: FIRST_RUN };
    throw new Fault('index/begun', (error as Fault<'index/busy'>).data);
  }
}

/** How many pages there are, or will be, is not for everyone who may ask. */
const FIRST_RUN: Problem = {
  code: 'index/building',
  severity: 'warning',
  source: '',
  path: '',
  message: 'Another process is indexing this library for the first time; this answer knows only the pages stored so far.',
  hint: 'Ask again when it has finished; `colophon status` says how far it has come.',
};

/** An answer that has a place for problems carries it there, for people and programs alike. */
export function withStanding<T>(answer: T, standing: Problem | undefined): T {
  if (standing === undefined || typeof answer !== 'object' || answer === null) return answer;
  const hasPlace = 'problems' in answer && Array.isArray(answer.problems);
  return hasPlace ? { ...answer, problems: [standing, ...(answer.problems as readonly Problem[])] } : answer;
}

/** True once a run has finished a source. */
export function isBuilt({ reader }: Library): Promise<boolean> {
  return unlessMissing(async () => (await reader.checkpoints()).length > 0);
}

/** True once a page is stored. */
function isBegun({ reader }: Library): Promise<boolean> {
  return unlessMissing(async () => {
    const snapshot = await reader.snapshot();
    try {
      return (await snapshot.compartments()).length > 0;
    } finally {
      await snapshot.close();
    }
  });
}

async function unlessMissing(ask: () => Promise<boolean>): Promise<boolean> {
  try {
    return await ask();
  } catch (error) {
    // An index of another version of the program is as good as none: the files are here, and a run makes it anew.
    if (error instanceof Fault && (error.code === 'index/not-built' || error.code === 'index/version-mismatch')) return false;
    throw error;
  }
}
