import type { Handler } from "../rule.ts";

/** A short name for a rule that has none. */
export function nameOf(handler: Handler): string {
  if (handler.type === "wasm")
    return handler.module
      .replace(/^builtin:/, "")
      .replace(/^.*[/\\]/, "")
      .replace(/\.wasm$/, "");
  if (handler.type === "broken") return "unreadable rule";
  const line = [handler.command, ...(handler.args ?? [])].join(" ").replace(/\s+/g, " ").trim();
  return line.length <= 60 ? line : `${line.slice(0, 59)}…`;
}
