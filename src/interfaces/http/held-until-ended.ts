/**
 * An answer that is a stream is handed on when it begins, and keeps its place among those worked on until it ends: the work goes on
 * while it is streamed.
 *
 * Invariant: a stream that is over, is given up by the client or has lasted too long frees its place, whether it is read or not.
 * Invariant: whoever still listens when the time is over is told so, in place of the answer, and does not find the connection cut.
 */
type InPlace = (run: (signal: AbortSignal) => Promise<void>) => Promise<void>;

/** What the stream ends with when its time is over; undefined where there is nothing to say, and it is cut. */
type LastWords = (reason: unknown) => string | undefined;

/** `inPlace` takes a place, runs what it is given within its time, and gives the place back. */
export function heldUntilEnded(
  inPlace: InPlace,
  answer: (signal: AbortSignal) => Promise<Response>,
  lastWords: LastWords = () => undefined,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    // After the answer has begun a refusal reaches nobody; the stream is cut by the signal.
    inPlace(async (signal) => {
      const begun = await answer(signal);
      if (begun.body === null || !isStream(begun)) return resolve(begun);
      // Takes all there is at once: a slow reader holds memory of its own connection, and no place of others.
      const onward = new TransformStream<Uint8Array, Uint8Array>(undefined, undefined, { highWaterMark: Number.POSITIVE_INFINITY });
      const ended = begun.body
        .pipeTo(onward.writable, { signal, preventAbort: true })
        .catch((error: unknown) => finish(onward.writable, signal.aborted ? lastWords(signal.reason) : undefined, error));
      resolve(new Response(onward.readable, begun));
      await ended;
    }).catch(reject);
  });
}

/** A client that has left cannot be told anything: to tell it fails, which ends the stream too. */
async function finish(stream: WritableStream<Uint8Array>, words: string | undefined, error: unknown): Promise<void> {
  const writer = stream.getWriter();
  try {
    if (words === undefined) return await writer.abort(error);
    await writer.write(new TextEncoder().encode(words));
    await writer.close();
  } catch {
    // It had ended by itself.
  }
}

function isStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true;
}
