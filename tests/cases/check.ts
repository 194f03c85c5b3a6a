/** What a step found wrong, and the tables of checks by expectation key. */
import type { Expectations } from './case-file.js';

/** Sentences; none means the step holds. */
export type Findings = readonly string[];

export type Check<Subject> = (subject: Subject, expected: unknown) => Findings | Promise<Findings>;
export type Checks<Subject> = Readonly<Record<string, Check<Subject>>>;

/** Runs every expectation; one that no check knows is a finding, never passed over. */
export async function checkAll<Subject>(
  checks: Checks<Subject>,
  subject: Subject,
  expectations: Expectations,
  inputs: ReadonlySet<string> = new Set(),
): Promise<string[]> {
  const findings: string[] = [];
  for (const [key, expected] of Object.entries(expectations)) {
    if (inputs.has(key)) continue;
    const check = Object.hasOwn(checks, key) ? checks[key] : undefined;
    if (check === undefined) findings.push(`expectation \`${key}\` is not known to the runner`);
    else findings.push(...(await check(subject, expected)));
  }
  return findings;
}

export function verdict(holds: boolean, otherwise: string): Findings {
  return holds ? [] : [otherwise];
}

export function brief(value: unknown, limit = 160): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return text.length <= limit ? text : `${text.slice(0, limit)}…`;
}

export function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.map(String);
  throw new Error(`expected a list of texts, got ${brief(value)}`);
}

export function number(value: unknown): number {
  if (typeof value === 'number') return value;
  throw new Error(`expected a number, got ${brief(value)}`);
}
