import { type AdmittedModule, admit } from "../../executors/wasm/admission/admission.ts";
import type { RefusedModule } from "../../executors/wasm/admission/refusal.ts";
import { DEFAULT_HOST_LIMITS } from "../../executors/wasm/guest/host.ts";
import type { GuestAnswer } from "../../executors/wasm/guest/protocol.ts";
import { DEFAULT_WASM_LIMITS } from "../../executors/wasm/modules/module-rule.ts";
import { ThreadPool } from "../../executors/wasm/pool/thread-pool.ts";

/** A module under the usual limits, in the real sandbox, that is given bytes rather than an event. */
export class SandboxedGuest {
  readonly #admitted: AdmittedModule;
  readonly #pool = new ThreadPool({ threads: 1 });
  readonly #setups = new Map<string, number>();

  constructor(admitted: AdmittedModule) {
    this.#admitted = admitted;
  }

  /** `config` as the guest reads it: texts. Rejects when no thread could make the call. */
  async ask(input: Uint8Array, config: Readonly<Record<string, string>>): Promise<Answered> {
    const { fuel, fuelPerInputByte, depth } = DEFAULT_WASM_LIMITS;
    const { key: moduleKey, module, memoryBytes } = this.#admitted;
    const name = JSON.stringify(config);
    const setupKey = this.#setups.get(name) ?? this.#setups.size + 1;
    this.#setups.set(name, setupKey);
    const setup = { moduleKey, module, function: "handle", config, limits: DEFAULT_HOST_LIMITS, depth, memoryBytes };
    const task = { setupKey, setup, input, fuel: fuel + fuelPerInputByte * input.byteLength };
    const answer = await this.#pool.run(task, AbortSignal.timeout(TIMEOUT_MS));
    if (answer.kind === "needs-setup") throw new Error("a thread forgot what it was sent");
    return answer;
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }
}

/** Fuel ends a guest long before. */
const TIMEOUT_MS = 60_000;

export type Answered = Exclude<GuestAnswer, { readonly kind: "needs-setup" }>;

export async function openGuest(wasm: Uint8Array): Promise<SandboxedGuest | RefusedModule> {
  const { memoryBytes } = DEFAULT_WASM_LIMITS;
  const admitted = await admit(Uint8Array.from(wasm), { function: "handle", memoryBytes, sha256: undefined });
  return admitted.ok ? new SandboxedGuest(admitted) : admitted;
}
