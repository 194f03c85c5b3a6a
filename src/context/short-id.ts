/**
 * Short ids: an artifact id as the lines of one package write it, long enough to tell its items apart.
 *
 * Invariant: no two ids of one set share a short form, and leaving some out makes none of the others longer.
 */
const PREFIX_LENGTH = 3;
const DIGITS = 8;

export function shortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = [...new Set(ids)].sort();
  return new Map(
    sorted.map((id, at) => {
      const shared = Math.max(sharedLength(id, sorted[at - 1]), sharedLength(id, sorted[at + 1]));
      return [id, id.slice(0, Math.max(PREFIX_LENGTH + DIGITS, shared + 1))] as const;
    }),
  );
}

/** What `name` stands for among `ids`: itself, or each id that it begins. More than one is no name. */
export function idsNamed(name: string, ids: readonly string[]): readonly string[] {
  if (ids.includes(name)) return [name];
  return name.length < PREFIX_LENGTH + DIGITS ? [] : [...new Set(ids.filter((id) => id.startsWith(name)))];
}

function sharedLength(a: string, b: string | undefined): number {
  let length = 0;
  while (b !== undefined && length < a.length && a[length] === b[length]) length += 1;
  return length;
}
