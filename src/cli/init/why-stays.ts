import { isAbsolute } from "node:path";
import { isJsonObject } from "../../json.ts";
import { isOwn } from "./own-entries.ts";

/** Returns why a hook stays in the agent's settings. `undefined`: the hook can move. */
export function whyStays(hook: unknown, event: string | null): string | undefined {
  if (!isJsonObject(hook) || event === null) return "hookbox does not know it";
  if (isOwn(hook)) return "it is hookbox's own";
  const { type = "command" } = hook;
  if (type !== "command" && type !== "http") return "the agent has its model or server";
  if (hook["async"] === true || hook["asyncRewake"] === true) return "no call waits for it";
  if (hook["once"] !== undefined) return "the agent counts its runs";
  if (
    Array.isArray(hook["args"]) &&
    /^[^/\\~$][^/\\]*[/\\]/.test(String(hook["command"])) &&
    !isAbsolute(String(hook["command"]))
  )
    return "it names a program by a path that depends on the folder of the file";
  return event === "WorktreeCreate" ? "it prints the path of a folder" : undefined;
}
