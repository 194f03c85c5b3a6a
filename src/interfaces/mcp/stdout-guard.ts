/**
 * Keeps standard output for protocol frames alone.
 *
 * Whatever else writes to it (console.log in a dependency, a worker's output, a debug print) goes to standard error instead.
 *
 * Invariant: after `guardStdout`, only the returned stream reaches the real standard output.
 * Invariant: a frame is one line for every line splitter: U+2028, U+2029 and U+0085 are written as JSON escapes.
 */
import { Console } from 'node:console';
import { Writable } from 'node:stream';

const LINE_SEPARATORS = /[\u0085\u2028\u2029]/g;

/** These characters occur in JSON only inside strings, so the escape means the same text. */
export function escapeSeparators(frame: string): string {
  return frame.replace(LINE_SEPARATORS, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export interface OutputStreams {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/** Diverts `stdout.write` and the global console to standard error; returns the one way left to the client. */
export function guardStdout(streams: OutputStreams = process): Writable {
  const { stdout, stderr } = streams;
  const toClient = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  globalThis.console = new Console({ stdout: stderr, stderr });

  const frames = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      toClient(escapeSeparators(typeof chunk === 'string' ? chunk : chunk.toString('utf8')), (error) => done(error ?? null));
    },
  });
  // A reader that went away is an end of the conversation, not a crash.
  stdout.on('error', (error) => frames.destroy(error));
  return frames;
}
