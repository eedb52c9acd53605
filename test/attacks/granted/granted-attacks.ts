import type { Attack } from "../attacks.ts";
import { ABSENT_ATTACKS } from "./absent.ts";
import { CLOCK_ATTACKS } from "./clock-and-random.ts";
import { FILE_ATTACKS } from "./files.ts";
import { NETWORK_ATTACKS } from "./network.ts";
import { STATE_ATTACKS } from "./state.ts";
import { WASI_ATTACKS } from "./wasi.ts";

/** Attacks by guards with a narrow grant, each with the grant and without it. */
export const GRANTED_ATTACKS: readonly Attack[] = [
  ...NETWORK_ATTACKS,
  ...FILE_ATTACKS,
  ...STATE_ATTACKS,
  ...CLOCK_ATTACKS,
  ...WASI_ATTACKS,
  ...ABSENT_ATTACKS,
];
