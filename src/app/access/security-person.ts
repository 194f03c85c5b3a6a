/**
 * Who may hand out tokens and read the audit log: whoever the policy gives the role `security`; where it gives that to nobody, the
 * identity the library was opened with. Both tell of everybody, so neither is for somebody asking as another.
 */
import { Fault } from '../../kernel/errors.js';
import type { Call } from '../operations/catalogue.js';

/** `asked` begins the sentence that refuses: `To make a token`. */
export function requireSecurityPerson({ library, ask }: Pick<Call, 'library' | 'ask'>, asked: string): void {
  const { policy, identity } = library.config;
  const { principal } = ask.requester;
  const named = policy?.roles.security ?? [];
  const may = named.length === 0 ? principal === identity.principal : named.includes(principal);
  if (!may) throw new Fault('access/role-needed', { asked, role: 'security', isGiven: named.length > 0 });
}
