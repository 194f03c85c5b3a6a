/** A reader that leaves changes nothing of what a run says by its exit. */
import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { runProgram } from './program.js';
import { openTerminal, type ProcessLike } from './terminal.js';

function fakeProcess() {
  const exits: number[] = [];
  const [stdout, stderr] = [new EventEmitter(), new EventEmitter()];
  const stream = (emitter: EventEmitter) => Object.assign(emitter, { write: () => true, columns: 80 });
  const host = {
    stdout: stream(stdout),
    stderr: stream(stderr),
    env: {},
    cwd: () => process.cwd(),
    on: () => host,
    exit: (code: number) => void exits.push(code),
  } as unknown as ProcessLike;
  const leave = () => stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  return { host, exits, leave };
}

it('keeps the code of the run when the pipe is closed, whatever it came to', async () => {
  const { host, exits, leave } = fakeProcess();
  let code = 0;
  openTerminal(host, [], () => code);
  leave();
  code = 1;
  leave();
  expect(exits).toEqual([0, 1]);
});

it('keeps the code of a fault as well', async () => {
  const { host, exits, leave } = fakeProcess();
  expect(await runProgram(['search', '--no-such-option'], host)).toBe(2);
  leave();
  expect(exits).toEqual([2]);
});
