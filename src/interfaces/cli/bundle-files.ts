/**
 * Packages on the command line: a name of the ledger, or the file of a bundle. A bundle needs no library, so one command over
 * bundles alone opens an empty one of its own.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Call } from '../../app/operations/catalogue.js';
import type { Cli, GlobalOptions } from './cli.js';
import type { SessionNeeds } from './session.js';

export interface Subject {
  readonly name?: string;
  readonly bundle?: string;
}

/** A name has neither a folder nor an ending. */
export function subjectOf(cli: Cli, written: string): Subject {
  return /[/\\]|\.json$/.test(written) ? { bundle: resolve(cli.terminal.cwd, written) } : { name: written };
}

/** As `withCall`, without a library where every subject is a bundle. */
export async function withSubjects<T>(
  cli: Cli,
  options: GlobalOptions,
  needs: SessionNeeds,
  subjects: readonly Subject[],
  body: (call: Call) => Promise<T>,
): Promise<T> {
  const { withCall } = await import('./session.js');
  if (subjects.some(({ bundle }) => bundle === undefined) || options.root !== undefined) return withCall(cli, options, needs, body);
  const folder = await mkdtemp(join(tmpdir(), 'colophon-bundle-'));
  try {
    const env = { ...cli.terminal.env, COLOPHON_HOME: join(folder, 'state') };
    // No command that we tell of may name a folder that is gone when it is given.
    const apart: Cli = { ...cli, terminal: { ...cli.terminal, env }, about: () => undefined };
    return await withCall(apart, { ...options, root: folder }, { ...needs, index: 'untouched' }, body);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
