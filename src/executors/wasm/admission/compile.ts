import { describeThrown } from "../../../errors.ts";
import type { Admission, AdmittedCode } from "./admission.ts";
import { PAGE_BYTES } from "./module-checks.ts";
import { refusedModule } from "./refusal.ts";

export async function compile({
  digest,
  bytes,
  codeBytes,
  state,
  memoryPages,
  imports,
  startExports,
  claims,
}: AdmittedCode): Promise<Admission> {
  try {
    // Validates once more: what the rewrite has made of a module must be one, too.
    const compiled = await WebAssembly.compile(bytes);
    const key = `${digest}:${memoryPages}`;
    return {
      ok: true,
      key,
      digest,
      module: { compiled, state, codeBytes },
      memoryBytes: memoryPages * PAGE_BYTES,
      imports,
      startExports,
      claims,
    };
  } catch (error) {
    return refusedModule("HOOK_MODULE_INVALID", "unavailable", `cannot be compiled: ${describeThrown(error)}`);
  }
}
