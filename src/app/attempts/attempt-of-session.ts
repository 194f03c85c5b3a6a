/** The attempt that a client's session is: both hooks of one conversation must come to the same name. */
import { isAttemptName } from '../../domain/package-id.js';
import { sha256 } from '../../kernel/digest.js';

/** Undefined when the client does not say which session it is. */
export function attemptOfSession(session: string): string | undefined {
  if (session === '') return undefined;
  return isAttemptName(session) ? session : `session-${sha256(session)}`;
}
