/** One case from start to verdict, in a workspace of its own. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CaseFile } from './case-file.js';
import { brief } from './check.js';
import type { Journey } from './journey.js';
import { Product } from './product.js';
import { registersSources, runSteps } from './steps.js';
import { Workspace } from './workspace.js';

export interface Outcome {
  readonly id: string;
  readonly area: string;
  readonly result: 'passed' | 'failed' | 'skipped';
  /** What is wrong, or what is missing for a skipped case. */
  readonly findings: readonly string[];
  readonly elapsedMs: number;
}

const NOT_ROOT = 'not running as root';

/** What a case may ask of its runner, and whether it is here. */
const ABILITIES: Readonly<Record<string, () => boolean>> = {
  'wiki-link support': () => true,
  [NOT_ROOT]: () => true,
};

export async function runCase(file: CaseFile, main: string): Promise<Outcome> {
  const startedAt = performance.now();
  const outcome = (result: Outcome['result'], findings: readonly string[]): Outcome => ({
    id: file.id,
    area: file.area,
    result,
    findings,
    elapsedMs: Math.round(performance.now() - startedAt),
  });
  const missing = file.needs.filter((need) => ABILITIES[need]?.() !== true);
  if (missing.length > 0) return outcome('skipped', [`needs ${missing.join(', ')}`]);
  const admin = process.getuid?.() === 0;
  const workspace = new Workspace(file.folder, admin && file.needs.includes(NOT_ROOT));
  try {
    const setup = join(file.folder, 'setup.sh');
    if (existsSync(setup)) {
      const run = await workspace.run('bash', [setup]);
      if (run.exit !== 0) return outcome('failed', [`setup.sh failed: ${brief(run.stderr)}`]);
    }
    const journey: Journey = {
      file,
      product: new Product(workspace, main, registersSources(file.steps)),
      lastIndex: undefined,
      indexed: false,
      watcher: undefined,
      saved: new Map(),
    };
    const findings = await runSteps(file.steps, journey);
    return outcome(findings.length === 0 ? 'passed' : 'failed', findings);
  } catch (error) {
    return outcome('failed', [error instanceof Error ? error.message : String(error)]);
  } finally {
    workspace.dispose();
  }
}

/** Runs cases side by side; the order of the outcomes is that of the cases. */
export async function runCases(
  files: readonly CaseFile[],
  main: string,
  atOnce: number,
  done?: (outcome: Outcome) => void,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < files.length; index = next++) {
      const file = files[index];
      if (file === undefined) return;
      const outcome = await runCase(file, main);
      outcomes[index] = outcome;
      done?.(outcome);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return outcomes;
}
