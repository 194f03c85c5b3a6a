/** What a token may be used for: the authority an operation needs, as a scope, and that of reading the server's own figures. */
import type { Authority } from '../operations/catalogue.js';

export const SCOPES = ['colophon:read', 'colophon:index', 'colophon:operate', 'colophon:metrics'] as const;
export type Scope = (typeof SCOPES)[number];

export const SCOPE_OF = {
  read: 'colophon:read',
  index: 'colophon:index',
  operate: 'colophon:operate',
} as const satisfies Record<Authority, Scope>;

export function isScope(text: string): text is Scope {
  return SCOPES.some((each) => each === text);
}
