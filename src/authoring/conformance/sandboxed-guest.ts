import { DEFAULT_WASM_LIMITS } from "../../executors/wasm/module-rule.ts";
import type { Grants } from "../../grants.ts";
import { type AdmittedModule, admit } from "../../sandbox/admission/admission.ts";
import type { RefusedModule } from "../../sandbox/admission/refusal.ts";
import { DEFAULT_HOST_LIMITS } from "../../sandbox/guest/host.ts";
import type { GivenWorld, GuestAnswer } from "../../sandbox/guest/protocol.ts";
import { ThreadPool } from "../../sandbox/pool/thread-pool.ts";
import type { Ask } from "./own-tests.ts";

/** A module in the real sandbox with the default limits. Its input is bytes instead of an event. */
export class SandboxedGuest {
  readonly #admitted: AdmittedModule;
  readonly #grants: Grants;
  readonly #pool = new ThreadPool({ threads: 1 });
  readonly #setups = new Map<string, number>();

  constructor(admitted: AdmittedModule, grants: Grants) {
    this.#admitted = admitted;
    this.#grants = grants;
  }

  /** Calls the guest. Rejects if no thread could make the call. */
  async ask({ input, config, given }: Ask): Promise<Answered> {
    const { fuel, fuelPerInputByte, depth } = DEFAULT_WASM_LIMITS;
    const { key: moduleKey, module, memoryBytes } = this.#admitted;
    const name = JSON.stringify(config);
    const setupKey = this.#setups.get(name) ?? this.#setups.size + 1;
    this.#setups.set(name, setupKey);
    const grants = this.#grants;
    const limits = DEFAULT_HOST_LIMITS;
    const setup = { moduleKey, module, function: "handle", config, limits, depth, memoryBytes, grants };
    const { state = {}, ...world } = given;
    const kept = Object.entries(state).map(([key, text]) => [key, new TextEncoder().encode(text)] as const);
    const task = {
      setupKey,
      setup,
      input,
      fuel: fuel + fuelPerInputByte * input.byteLength,
      state: new Map(kept),
      given: world as GivenWorld,
    };
    const answer = await this.#pool.run(task, AbortSignal.timeout(TIMEOUT_MS));
    if (answer.kind === "needs-setup") throw new Error("a thread forgot what it was sent");
    return answer;
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }
}

/** The timeout of a call. Normally fuel ends a guest long before. */
const TIMEOUT_MS = 60_000;

export type Answered = Exclude<GuestAnswer, { readonly kind: "needs-setup" }>;

export async function openGuest(wasm: Uint8Array, grants: Grants): Promise<SandboxedGuest | RefusedModule> {
  const { memoryBytes } = DEFAULT_WASM_LIMITS;
  const admitted = await admit(Uint8Array.from(wasm), { function: "handle", memoryBytes, sha256: undefined, grants });
  return admitted.ok ? new SandboxedGuest(admitted, grants) : admitted;
}
