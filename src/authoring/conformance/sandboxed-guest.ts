import { DEFAULT_WASM_LIMITS } from "../../executors/wasm/module-rule.ts";
import type { Grants } from "../../grants.ts";
import { type AdmittedModule, loadAdmission, type RefusedModule, Sandbox } from "../../sandbox/index.ts";
import type { Ask } from "./own-tests.ts";

type Given = NonNullable<Parameters<Sandbox["call"]>[2]["given"]>;
type Settings = Parameters<Sandbox["call"]>[0];

/** A module in the real sandbox with the default limits. Its input is bytes instead of an event. */
export class SandboxedGuest {
  readonly #admitted: AdmittedModule;
  readonly #grants: Grants;
  readonly #sandbox = new Sandbox({ threads: 1 });
  readonly #settings = new Map<string, Settings>();

  constructor(admitted: AdmittedModule, grants: Grants) {
    this.#admitted = admitted;
    this.#grants = grants;
  }

  ask({ input, config, given }: Ask) {
    const name = JSON.stringify(config);
    const settings = this.#settings.get(name) ?? {
      function: "handle",
      config,
      limits: DEFAULT_WASM_LIMITS,
      grants: this.#grants,
    };
    this.#settings.set(name, settings);
    return this.#sandbox.call(settings, this.#admitted, {
      input: { text: input, bytes: input.byteLength },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      // Safe, because values from JSON are never `undefined`.
      given: given as Given,
      owner: { layer: "command-line", session: "", rule: "" },
      read: (text) => ({ ok: true as const, text }),
    });
  }

  async close(): Promise<void> {
    await this.#sandbox.close();
  }
}

/** The timeout of a call. Normally fuel ends a guest long before. */
const TIMEOUT_MS = 60_000;

export type Answered = Awaited<ReturnType<SandboxedGuest["ask"]>>;

export async function openGuest(wasm: Uint8Array, grants: Grants): Promise<SandboxedGuest | RefusedModule> {
  const { memoryBytes } = DEFAULT_WASM_LIMITS;
  const { admit } = await loadAdmission();
  const admitted = await admit(Uint8Array.from(wasm), { function: "handle", memoryBytes, sha256: undefined, grants });
  return admitted.ok ? new SandboxedGuest(admitted, grants) : admitted;
}
