import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { packageFolder } from "../../package-info.ts";

/** The JavaScript engine that is shipped inside of guards: `base`, or `state` for those that want to keep some. */
export function readEngine(name: "base" | "state"): Promise<Uint8Array> {
  return readFile(join(packageFolder(), "guest-sdk/typescript/engine", `${name}.wasm`));
}
