import type { Handler } from "../rule.ts";

/** A short name for a rule that has none. */
export function nameOf(handler: Handler): string {
  if (handler.type === "wasm") return nameOfModule(handler.module.replace(/^builtin:/, ""));
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

/** `new` and `build` call every guard "guard.wasm": the folder is what tells one from another. */
function nameOfModule(module: string): string {
  const [file = "", folder = ""] = module.split(/[/\\]/).reverse();
  const name = file.replace(/\.wasm$/, "");
  return name === "guard" && !["", ".", ".."].includes(folder) ? folder : name;
}

function shortened(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}
