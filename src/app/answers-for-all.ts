/** Does the asker hold the owner group of every source: the person of profile `personal`, or an operator of a team? */
import type { Call } from './operations/catalogue.js';

export function answersForAll({ library, ask }: Pick<Call, 'library' | 'ask'>): boolean {
  const { sources, identity } = library.config;
  const { requester } = ask;
  const wide = requester.client.locality === 'local' && requester.ceiling === 'restricted' && identity.ceiling === 'restricted';
  return (
    wide && sources.every(({ owner, tenantScope }) => requester.groups.has(`owner:${owner}`) && tenantScope.includes(requester.tenant))
  );
}
