/** Starts `one-process.ts` and reads what it found. */
import { spawnSync } from 'node:child_process';
import type { ProcessFigures } from '../one-process.js';
import type { Fts5Form } from './fts5.js';

export interface ChildTask {
  readonly engine: 'colophon' | Fts5Form;
  readonly file: string;
  readonly groups: number;
  readonly allGroups: number;
  readonly rounds: number;
  readonly questions: readonly string[];
}

export function inOwnProcess(child: string, task: ChildTask): ProcessFigures {
  const { engine, file, groups, allGroups, rounds, questions } = task;
  const run = spawnSync(process.execPath, [child, engine, file, String(groups), String(allGroups), String(rounds), ...questions], {
    encoding: 'utf8',
    env: { ...process.env, COLOPHON_BENCH_CHILD: '1' },
    maxBuffer: 1 << 24,
  });
  if (run.status !== 0) throw new Error(`${engine} over ${file} failed: ${run.stderr}`);
  return JSON.parse(run.stdout) as ProcessFigures;
}
