/** Other processes on the same store, for proofs about killed writers and concurrent readers. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import type { TemporaryFolder } from './temporary-folder.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface StoreProcess {
  readonly child: ChildProcessByStdio<null, Readable, null>;
  /** Lines it has written so far. */
  lines(): readonly string[];
  ended(): Promise<void>;
  /** Waits for that many lines; fails at once when the process ends without them. */
  said(count: number): Promise<void>;
}

/** Joins programs of this folder into files that plain Node can run, and says where each is. */
export async function buildStoreProcesses<const Names extends readonly string[]>(
  folder: TemporaryFolder,
  ...names: Names
): Promise<{ readonly [At in keyof Names]: string }> {
  folder.write('package.json', '{ "name": "colophon", "version": "0.0.0", "type": "module" }');
  for (const each of ['node_modules', 'schemas']) folder.link(each, join(ROOT, each));
  const bundle = await rolldown({
    input: names.map((name) => join(ROOT, 'tests', 'support', `${name}.ts`)),
    platform: 'node',
    external: [/^node:/, /^@photostructure\//, /^@secretlint\//, /^chokidar/, 'fast-check', 'picomatch'],
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  });
  await bundle.write({ dir: folder.path, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
  await bundle.close();
  return names.map((name) => join(folder.path, `${name}.mjs`)) as { [At in keyof Names]: string };
}

/** `before`: command words it is run under. */
export function startStoreProcess(program: string, args: readonly string[], before: readonly string[] = []): StoreProcess {
  const [command = process.execPath, ...rest] = [...before, process.execPath, program, ...args];
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  const lines = () => text.split('\n').slice(0, -1);
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    child.emit('said');
  });
  let isOver = false;
  const end = once(child, 'close').then(() => {
    isOver = true;
    child.emit('said');
  });
  return {
    child,
    lines,
    said: async (count) => {
      while (lines().length < count) {
        if (isOver) throw new Error(`${args[0]} ended before it said ${count} lines: ${text}`);
        await once(child, 'said');
      }
    },
    ended: async () => {
      await end;
    },
  };
}
