import type { Host } from "../host.ts";

/** The time of day, for guards that want `clock`. `Date` shows the same time. Without the grant, `Date` shows 1970. */
export interface Clock {
  /**
   * Returns the time of the rule's clock, in UTC: by default always 2000-01-01, or the real time if the rule grants it.
   */
  now(): Date;
}

export function makeClock({ now }: Host): Clock {
  return Object.freeze({ now: () => new Date(now()) });
}
