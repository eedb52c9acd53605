import type { ErrorCode } from "../../../src/errors.ts";
import type { Attack, Ending } from "../attacks.ts";
import { type Body, type GuestParts, reaching } from "./reaching-guest.ts";
import type { World } from "./world.ts";

/** Attacks by guards with a grant, and by the same guards without it. */

export interface ReachParts extends GuestParts, Partial<Pick<Attack, "calls" | "timeoutMs" | "fuel" | "sessions">> {
  /** The rule's function. Default: `handle`. */
  readonly function?: string;
  /** How the module is refused without the grant. Default: because of an import. `null`: it needs no grant. */
  readonly ungranted?: ErrorCode | null;
  /** Applied to the module at the end. */
  readonly wrap?: (module: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>;
}

/** Returns the attack with the grant, and the attack without it. */
export function reach(
  grants: (world: World) => object,
  name: string,
  ends: Ending,
  body: Body,
  parts: ReachParts = {},
): readonly Attack[] {
  const { calls = 1, timeoutMs, fuel, sessions, ungranted = "HOOK_MODULE_IMPORT", wrap = (it) => it } = parts;
  const common = {
    module: name,
    source: (world: World) => wrap(reaching(body, world, parts)),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(fuel === undefined ? {} : { fuel }),
    ...(sessions === undefined ? {} : { sessions }),
    ...(parts.function === undefined ? {} : { function: parts.function }),
  };
  const refused: Ending = ungranted === null ? ends : { kind: "capability", code: ungranted };
  return [
    { ...common, name, ends, calls, grants },
    { ...common, name: `${name}-ungranted`, ends: refused, calls: 1 },
  ];
}
