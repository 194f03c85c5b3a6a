/**
 * Watching: after something below a source changed, the index is brought up to date, one run at a time.
 *
 * Invariant: a change during a run leads to another run; none is lost and none overlap.
 */
import { Fault } from '../../kernel/errors.js';
import type { Call } from '../operations/catalogue.js';

/** Resolves when the call is aborted and everything has been closed. */
export async function watchSources({ library, signal }: Pick<Call, 'library' | 'signal'>, update: () => Promise<void>): Promise<void> {
  let wake: () => void = () => undefined;
  let dirty = false;
  const changed = (): void => {
    dirty = true;
    wake();
  };
  const stops: (() => Promise<void>)[] = [];
  signal.addEventListener('abort', changed, { once: true });
  try {
    for (const source of library.config.sources) stops.push(await library.connector(source.location.connector).watch(source, changed));
    // Whatever changed between the first run and the moment the watchers stood.
    dirty = true;
    while (!signal.aborted) {
      if (!dirty) await new Promise<void>((resolve) => (wake = resolve));
      dirty = false;
      if (!signal.aborted) await updateUnlessBusy(update, changed);
    }
  } finally {
    await Promise.all(stops.map((stop) => stop()));
  }
}

const RETRY_MS = 1_000;

async function updateUnlessBusy(update: () => Promise<void>, again: () => void): Promise<void> {
  try {
    await update();
  } catch (error) {
    if (!(error instanceof Fault) || (error.code !== 'index/busy' && error.kind !== 'unavailable')) throw error;
    // Another writer, or a source that is away for a moment: try again rather than stop watching.
    setTimeout(again, RETRY_MS).unref();
  }
}
