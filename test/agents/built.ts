import { existsSync } from "node:fs";
import { MAIN } from "../e2e/cli.ts";

/** The tests use the built files, which are the ones that ship. */
export function setup(): void {
  if (!existsSync(MAIN)) throw new Error("hookbox is not built: npm run build comes first");
}
