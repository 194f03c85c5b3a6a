/** Reads what a command is fed: stdin, or a file, up to a size. */
import { open } from 'node:fs/promises';
import { Fault } from '../../kernel/errors.js';

export async function readStdin(mostBytes: number, what: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > mostBytes) throw new Fault('input/invalid', { field: what, expected: `at most ${mostBytes} bytes` });
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** `-` is stdin. */
export async function readTextFile(file: string, mostBytes: number): Promise<string> {
  if (file === '-') return readStdin(mostBytes, 'stdin');
  try {
    const handle = await open(file, 'r');
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(mostBytes + 1), 0, mostBytes + 1, 0);
      if (bytesRead > mostBytes) throw new Fault('input/invalid', { field: file, expected: `at most ${mostBytes} bytes` });
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof Fault) throw error;
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new Fault('config/unreadable', { file, reason }, { cause: error });
  }
}
