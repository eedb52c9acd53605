import type { AdmittedModule } from "../../src/sandbox/admission/admitted-module.ts";
import { DEFAULT_HOST_LIMITS } from "../../src/sandbox/guest/host.ts";
import type { GuestTask } from "../../src/sandbox/guest/protocol.ts";

let made = 0;

/** Returns a call of an admitted module with its setup, as the executor sends it to a thread without the setup. */
export function guestTask({ key, module, memoryBytes }: AdmittedModule, parts: Partial<GuestTask> = {}): GuestTask {
  made += 1;
  return {
    setupKey: made,
    setup: {
      moduleKey: key,
      module,
      function: "handle",
      config: {},
      limits: DEFAULT_HOST_LIMITS,
      depth: 262_144,
      memoryBytes,
    },
    input: "{}",
    fuel: 100_000_000,
    ...parts,
  };
}
