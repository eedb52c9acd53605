import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { packageFolder } from "../../package-info.ts";

/** Reads the JavaScript engine that is inside every TypeScript guard. */
export function readEngine(): Promise<Uint8Array> {
  return readFile(join(packageFolder(), "guest-sdk/typescript/engine/engine.wasm"));
}
