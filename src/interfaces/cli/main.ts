#!/usr/bin/env node
/**
 * The command. Answers `--version` by itself and loads the rest only when there is something to do.
 *
 * Invariant: the process ends by running out of work, so that everything written to a pipe arrives.
 */
import * as nodeModule from 'node:module';
import { packageVersion } from '../../app/package-version.js';

const argv = process.argv.slice(2);
// Only as the first word: after a verb, `--version` asks for a product version.
if (argv[0] === '--version' || argv[0] === '-V') {
  process.stdout.write(`${packageVersion()}\n`);
} else {
  // Node 22 keeps compiled code between runs; a second question then starts in half the time.
  if ('enableCompileCache' in nodeModule && typeof nodeModule.enableCompileCache === 'function') nodeModule.enableCompileCache();
  const { runProgram } = await import('./program.js');
  process.exitCode = await runProgram(argv, process);
}
