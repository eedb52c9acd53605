import { existsSync } from "node:fs";
import { MAIN } from "../e2e/cli.ts";

/** What is shown is what ships. */
export function setup(): void {
  if (!existsSync(MAIN)) throw new Error("hookbox is not built: npm run build comes first");
}
