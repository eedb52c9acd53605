import { ownFolder } from "../cache/home-folder.ts";

/** Returns `$XDG_STATE_HOME/hookbox`, or `~/.local/state/hookbox`. */
export function defaultStateFolder(): string {
  return ownFolder("XDG_STATE_HOME", ".local", "state");
}
