/** What to say of a client that nobody declared: it counts as remote, which a slip of the hand should not do in silence. */
import type { LibraryConfig } from '../../app/library.js';
import type { Ask } from '../../domain/requester.js';

/** Undefined for one that is known, and for the one that stands where none was named. */
export function unknownClient({ clients }: Pick<LibraryConfig, 'clients'>, { requester }: Ask, unnamed: string): string | undefined {
  const { name } = requester.client;
  if (name === unnamed || clients.some((each) => each.name === name)) return undefined;
  const known = clients.map((each) => each.name).join(', ');
  return `No client is known as ${name}, so it counts as remote; there is ${known}, and colophon.yaml may declare others under \`clients\`.`;
}
