import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { packageFolder } from "../../package-info.ts";

/** The JavaScript engine that is shipped inside of guards. */
export function readEngine(): Promise<Uint8Array> {
  return readFile(join(packageFolder(), "guest-sdk/typescript/engine/engine.wasm"));
}
