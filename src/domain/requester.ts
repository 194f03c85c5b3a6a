/** Who is asking, through what, for whom, and why: resolved once at the door and carried unchanged from there. */
import type { Instant } from '../kernel/clock.js';
import type { Classification } from './classification.js';

export interface Requester {
  /** `person:name` or `agent:name`. */
  readonly principal: string;
  /** The process that calls on the requester's behalf, `workload://…`. */
  readonly workload: string;
  readonly tenant: string;
  readonly purpose: string;
  readonly groups: ReadonlySet<string>;
  /** The most sensitive classification this request may touch. */
  readonly ceiling: Classification;
  /** Where the answer goes. A client that is not declared is remote. */
  readonly client: ClientProfile;
}

export interface ClientProfile {
  readonly name: string;
  readonly locality: 'local' | 'remote';
}

/** One request, with the time it is judged at. */
export interface Ask {
  readonly requester: Requester;
  /** Fixed once per request, so that a replay reaches the same verdicts. */
  readonly at: Instant;
  readonly freshnessCritical: boolean;
}
