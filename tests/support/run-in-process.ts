/** Runs the program in this process, as somebody at a terminal in `folder` would, with a state folder of its own there. */
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { runProgram } from '../../src/interfaces/cli/program.js';
import type { ProcessLike } from '../../src/interfaces/cli/terminal.js';

export async function runInProcess(folder: string, argv: readonly string[]) {
  const said = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof said) =>
    Object.assign(new EventEmitter(), {
      columns: 100,
      write: (text: string) => {
        said[name] += text;
        return true;
      },
    });
  const host = {
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    env: { HOME: join(folder, '.home'), COLOPHON_HOME: join(folder, '.state') },
    cwd: () => folder,
    on: () => host,
    exit: () => undefined,
  } as unknown as ProcessLike;
  return { code: await runProgram(argv, host), ...said };
}
