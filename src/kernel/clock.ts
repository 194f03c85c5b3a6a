/**
 * Time as data: milliseconds since the epoch and calendar days, always passed in, never read from the wall inside the core.
 *
 * Invariant: a calendar day is text (`YYYY-MM-DD`) and compares as text, whatever the time zone of the machine.
 */
export type Instant = number & { readonly __brand: 'Instant' };
/** A calendar day, `YYYY-MM-DD`. */
export type Day = string & { readonly __brand: 'Day' };

export interface Clock {
  now(): Instant;
}

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;

/** The day named by `text`, or undefined when it names none (`2026-02-30` names none). */
export function parseDay(text: string): Day | undefined {
  const parts = DAY.exec(text);
  if (parts === null) return undefined;
  const iso = new Date(Date.UTC(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]))).toISOString();
  return iso.slice(0, 10) === text ? (text as Day) : undefined;
}

/** The UTC day an instant falls in. */
export function dayOf(at: Instant): Day {
  return new Date(at).toISOString().slice(0, 10) as Day;
}
