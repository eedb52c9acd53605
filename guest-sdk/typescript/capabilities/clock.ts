import type { Host } from "../host.ts";

/** The time of day, for guards that want `clock`. `Date` shows the same time. Without the grant it shows 1970. */
export interface Clock {
  /** The time of the rule's clock, in UTC. By default always 2000-01-01; the real time if the rule says so. */
  now(): Date;
}

export function makeClock({ now }: Host): Clock {
  return Object.freeze({ now: () => new Date(now()) });
}
