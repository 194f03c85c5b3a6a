/** As whom a refused request is recorded: whom it was asked as, where that is somebody here; else the identity of the process. */
import { type Narrowing, rightsOf } from '../identity.js';
import type { LibraryConfig } from '../library.js';

/** What the process was started as comes first: whoever it is does not become another by asking. */
export function principalHeld(config: Pick<LibraryConfig, 'identity' | 'people'>, { as, within }: Narrowing): string {
  const wanted = within?.as ?? as;
  return wanted !== undefined && rightsOf(config, wanted) !== undefined ? wanted : config.identity.principal;
}
