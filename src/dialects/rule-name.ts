import type { Handler } from "../rule.ts";

/** A short name for a rule that has none. */
export function nameOf(handler: Handler): string {
  if (handler.type === "wasm")
    return handler.module
      .replace(/^builtin:/, "")
      .replace(/^.*[/\\]/, "")
      .replace(/\.wasm$/, "");
  if (handler.type === "broken") return "unreadable rule";
  // Without what may be a secret: names are shown to models.
  if (handler.type === "http") return shortened(handler.url.replace(/[?#].*$/, "").replace(/\/\/.*@/, "//"));
  if (handler.type === "context") return "context";
  if (handler.type === "function") return handler.run.name === "" ? "function" : handler.run.name;
  if (handler.type === "model" || handler.type === "agent") return handler.model ?? handler.type;
  if (handler.type === "mcp_tool") return `${handler.server}/${handler.tool}`;
  if (handler.type === "builtin") return handler.name;
  const line = [handler.command, ...(handler.args ?? [])].join(" ").replace(/\s+/g, " ").trim();
  return shortened(line);
}

function shortened(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}
