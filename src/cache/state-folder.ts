import { isAbsolute, join } from "node:path";
import { homeFolder } from "./home-folder.ts";

/** `$XDG_STATE_HOME/hookbox`, or `~/.local/state/hookbox`. Relative values are ignored, as its specification asks. */
export function defaultStateFolder(): string {
  const configured = process.env["XDG_STATE_HOME"];
  const home = configured !== undefined && isAbsolute(configured) ? configured : join(homeFolder(), ".local", "state");
  return join(home, "hookbox");
}
