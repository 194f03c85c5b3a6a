/** ISO 8601 durations of fixed length: weeks, days, hours, minutes, seconds. Months and years have no length and are refused. */
const SHAPE = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;
const UNITS_MS = [7 * 86_400_000, 86_400_000, 3_600_000, 60_000, 1_000] as const;

/** Milliseconds, or undefined when the text names no duration. */
export function durationMs(text: string): number | undefined {
  const parts = SHAPE.exec(text);
  if (parts === null || text.endsWith('P') || text.endsWith('T')) return undefined;
  return UNITS_MS.reduce((sum, unit, index) => sum + Number(parts[index + 1] ?? 0) * unit, 0);
}
