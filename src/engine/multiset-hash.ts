/**
 * A digest of a set that can be added to and taken from: the sum of the members' SHA-256 values modulo 2^256.
 *
 * Invariant: adding and removing the same member leaves the sum as it was; the order of steps does not matter.
 */
const SPACE = 1n << 256n;

export const EMPTY_SUM = '0'.repeat(64);

export function addMember(sum: string, digest: string): string {
  return asHex((BigInt(`0x${sum}`) + BigInt(`0x${digest}`)) % SPACE);
}

export function removeMember(sum: string, digest: string): string {
  return asHex((BigInt(`0x${sum}`) - BigInt(`0x${digest}`) + SPACE) % SPACE);
}

function asHex(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}
