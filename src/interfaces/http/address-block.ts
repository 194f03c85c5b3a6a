/**
 * Who counts as one when requests and connections of strangers are counted: an address of IPv4, or the 64 bits of IPv6 that one
 * customer is given whole.
 */
import { isIPv6 } from 'node:net';

const MAPPED = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;
const GROUPS = 8;
const GROUPS_GIVEN = 4;

/** `address` as a socket has it. */
export function addressBlock(address: string): string {
  const plain = address.replace(MAPPED, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.replace(/%.*$/, '').toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, GROUPS - groups.length - after.length) }, () => '0');
  const given = [...groups, ...(tail === undefined ? [] : zeros), ...after].slice(0, GROUPS_GIVEN);
  return `${given.map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`;
}
