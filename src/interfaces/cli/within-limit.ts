/**
 * Answers a client that waits for the whole process: what takes too long is given up, and nothing keeps the process afterwards.
 *
 * Invariant: time is counted from the start of the process, since that is what the client waits for.
 */
const LINGER_MS = 250;

/** `usualMs` unless COLOPHON_HOOK_LIMIT_MS sets another. Rejects when the time is over; the signal tells the work so. */
export async function withinLimit<T>(
  env: Readonly<Record<string, string | undefined>>,
  usualMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const limitMs = Number(env['COLOPHON_HOOK_LIMIT_MS']) || usualMs;
  const clock = setTimeout(() => late.abort(), Math.max(1, limitMs - performance.now()));
  try {
    return await Promise.race([work(late.signal), tooLate(late.signal, limitMs)]);
  } finally {
    clearTimeout(clock);
    process.stdin.destroy();
    // What was given up may still be at work; nobody waits for it.
    setTimeout(() => process.exit(), LINGER_MS).unref();
  }
}

async function tooLate(signal: AbortSignal, limitMs: number): Promise<never> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  throw new Error(`it took longer than ${limitMs} ms`);
}
