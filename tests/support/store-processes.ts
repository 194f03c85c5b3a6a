/** Other processes on the same store, for proofs about killed writers and concurrent readers. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import type { TemporaryFolder } from './temporary-folder.js';

const ENTRY = fileURLToPath(new URL('./store-process.ts', import.meta.url));
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

export interface StoreProcess {
  readonly child: ChildProcessByStdio<null, Readable, null>;
  /** Lines it has written so far. */
  lines(): readonly string[];
  ended(): Promise<void>;
}

/** Joins the program into one file that plain Node can run. */
export async function buildStoreProcess(folder: TemporaryFolder): Promise<string> {
  folder.link('node_modules', MODULES);
  const bundle = await rolldown({
    input: ENTRY,
    platform: 'node',
    external: [/^node:/, /^@photostructure\//, 'fast-check', 'picomatch'],
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  });
  const file = join(folder.path, 'store-process.mjs');
  await bundle.write({ file, format: 'esm' });
  await bundle.close();
  return file;
}

export function startStoreProcess(program: string, args: readonly string[]): StoreProcess {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const end = once(child, 'close');
  return {
    child,
    lines: () => text.split('\n').slice(0, -1),
    ended: async () => {
      await end;
    },
  };
}
