import type { Host } from "../host.ts";

/** The time of day, for guards that want `clock`. `Date` tells the same. Without the grant it is 1970. */
export interface Clock {
  /** The rule's clock: by default one that always shows 2000-01-01, and the real one where the rule says so. In UTC. */
  now(): Date;
}

export function makeClock({ now }: Host): Clock {
  return Object.freeze({ now: () => new Date(now()) });
}
