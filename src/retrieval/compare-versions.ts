/** Orders product versions: number by number, a release after its pre-releases, text by code unit. */
export function compareVersions(a: string, b: string): number {
  const left = partsOf(a);
  const right = partsOf(b);
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const order = compareParts(left[at], right[at]);
    if (order !== 0) return order;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

function partsOf(version: string): readonly string[] {
  return (
    version
      .toLowerCase()
      .match(/\d+|[a-z]+/g)
      ?.filter((part, at) => at > 0 || part !== 'v') ?? []
  );
}

/** A missing part counts as 0 before a number and as later than a word: 1.0 = 1.0.0 > 1.0.0-beta. */
function compareParts(a: string | undefined, b: string | undefined): number {
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined && y !== undefined) return x - y;
  if (x === undefined && y === undefined) return (a ?? '') < (b ?? '') ? -1 : (a ?? '') > (b ?? '') ? 1 : 0;
  return x === undefined ? -1 : 1;
}

function numberOf(part: string | undefined): number | undefined {
  if (part === undefined) return 0;
  return /^\d/.test(part) ? Number(part) : undefined;
}
