/** One case folder as it stands on disk: `input/`, `case.json`, sometimes `setup.sh` and `expected/`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Expectations = Readonly<Record<string, unknown>>;

/** A step: `op` names its kind; the other keys are its arguments. */
export interface Step extends Readonly<Record<string, unknown>> {
  readonly op: string;
  readonly expect?: Expectations | boolean;
}

export interface CaseFile {
  readonly id: string;
  readonly area: string;
  readonly title: string;
  /** What the runner must have; without it the case is skipped, loudly. */
  readonly needs: readonly string[];
  readonly steps: readonly Step[];
  readonly folder: string;
}

export function loadCases(root: string, only: ReadonlySet<string> | undefined): CaseFile[] {
  const folders = existsSync(join(root, 'case.json'))
    ? [root]
    : readdirSync(root, { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && existsSync(join(root, entry.name, 'case.json')))
        .map((entry) => join(root, entry.name))
        .sort();
  return folders.map(loadCase).filter(({ id }) => only === undefined || only.has(id));
}

export function loadCase(folder: string): CaseFile {
  const file = join(folder, 'case.json');
  const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const top = record(value, file);
  const steps = record(top['expect'], `${file}: expect`)['steps'];
  if (typeof top['id'] !== 'string' || !Array.isArray(steps) || steps.length === 0) throw new Error(`${file} needs an id and steps`);
  return {
    id: top['id'],
    area: typeof top['area'] === 'string' ? top['area'] : '',
    title: typeof top['title'] === 'string' ? top['title'] : '',
    needs: Array.isArray(top['needs']) ? top['needs'].map(String) : [],
    steps: steps.map((step) => asStep(step, file)),
    folder,
  };
}

export function asStep(value: unknown, where: string): Step {
  const step = record(value, where);
  if (typeof step['op'] !== 'string') throw new Error(`${where}: a step without op`);
  return step as Step;
}

/** Expectations that are a plain `true` name the step itself. */
export function expectationsOf(step: Step): Expectations {
  return typeof step.expect === 'object' ? step.expect : {};
}

/** An argument of a step; some cases write it among the expectations. */
export function argument(step: Step, ...names: readonly string[]): unknown {
  const among = expectationsOf(step);
  for (const name of names) {
    if (step[name] !== undefined) return step[name];
    if (among[name] !== undefined) return among[name];
  }
  return undefined;
}

export function textArgument(step: Step, name: string): string {
  const value = argument(step, name);
  if (typeof value !== 'string') throw new Error(`step ${step.op} needs a text ${name}`);
  return value;
}

export function numberArgument(step: Step, name: string, otherwise: number): number {
  const value = argument(step, name);
  return typeof value === 'number' ? value : otherwise;
}

export function record(value: unknown, where: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${where} must be an object`);
  return value as Readonly<Record<string, unknown>>;
}
