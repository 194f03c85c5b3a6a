/**
 * What a session has read, by its own record: does it hold the line that Colophon begins a stranger's text with?
 *
 * A conversation that is resumed or forked may go on under another name than the one its text was bound to, and what came through the
 * tool server is bound to no session at all. The client's record of the conversation holds both.
 */
import { createReadStream } from 'node:fs';

/** As it stands in JSON or in plain text: the fence of a preamble, with its 128 random bits. */
const FENCE = /<<<data [0-9a-f]{32}/;
const LONGEST = '<<<data '.length + 32;

/** False where there is no such file, or none that can be read. */
export async function showsStrangersText(transcript: string): Promise<boolean> {
  if (transcript === '') return false;
  try {
    let before = '';
    for await (const chunk of createReadStream(transcript, { encoding: 'latin1', highWaterMark: 1 << 20 })) {
      const text = before + String(chunk);
      if (FENCE.test(text)) return true;
      before = text.slice(-LONGEST);
    }
    return false;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}
