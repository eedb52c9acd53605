import { basename, join, relative } from "node:path";
import { isJsonObject } from "../event.ts";
import { accountHome, environmentHome } from "../project-folder.ts";
import type { Handler, Rule } from "../rule.ts";
import type { ConfigDocument, ParseContext } from "./dialect.ts";

/**
 * A name for a rule that has none, of what it names itself. `undefined` for commands and addresses: names are shown to
 * models and written into logs, and those may hold secrets.
 */
export function nameOf(handler: Handler): string | undefined {
  if (handler.type === "command" || handler.type === "http") return undefined;
  if (handler.type === "wasm") return nameOfModule(handler.module.replace(/^builtin:/, ""));
  if (handler.type === "broken") return "unreadable rule";
  if (handler.type === "context") return "context";
  if (handler.type === "function") return handler.run.name === "" ? "function" : handler.run.name;
  if (handler.type === "model" || handler.type === "agent") return handler.model ?? handler.type;
  if (handler.type === "mcp_tool") return `${handler.server}/${handler.tool}`;
  return handler.name;
}

/** The name that somebody gave a rule. */
export function givenName({ name, unnamed, handler }: Rule): string | undefined {
  return unnamed === true || name === nameOf(handler) ? undefined : name;
}

/** `new` and `build` call every guard "guard.wasm": the folder is what tells one from another. */
function nameOfModule(module: string): string {
  const [file = "", folder = ""] = module.split(/[/\\]/).reverse();
  const name = file.replace(/\.wasm$/, "");
  return name === "guard" && !["", ".", ".."].includes(folder) ? folder : name;
}

/** `FILE EVENT #N`: the hook's file, its event in the words of the file, and which of that event's hooks it is. */
export function nameOfPlace(
  { file, value }: ConfigDocument,
  path: readonly (string | number)[],
  { event, layer }: { readonly event: string } & Pick<ParseContext, "layer">,
): string {
  const at = path.findLastIndex((part) => typeof part === "string" && part !== "hooks");
  // A list of hooks that each say their event.
  const isFlat = at < 0;
  const list = valueAt(value, isFlat ? path.slice(0, -1) : path.slice(0, at + 1));
  const own = isFlat ? valueAt(value, [...path, "event"]) : path[at];
  const [index, , inner] = isFlat ? path.slice(-1) : path.slice(at + 1);
  const before = (Array.isArray(list) ? list.slice(0, Number(index ?? 0)) : []).filter(
    (one) => !isFlat || (isJsonObject(one) && one["event"] === own),
  );
  const number = before.reduce<number>((sum, one) => sum + hooksIn(one), Number(inner ?? 0) + 1);
  return `${shownFile(file, layer)} ${typeof own === "string" ? own : event} #${number}`;
}

function hooksIn(entry: unknown): number {
  const hooks = isJsonObject(entry) ? entry["hooks"] : undefined;
  return Array.isArray(hooks) ? hooks.length : 1;
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inside, part) => (typeof inside === "object" && inside !== null ? Reflect.get(inside, part) : undefined),
    value,
  );
}

/** The user's own files have the names of a project's. */
function shownFile(file: string, layer: ParseContext["layer"]): string {
  const home = [accountHome(), environmentHome()].find((one) => one !== undefined && file.startsWith(join(one, "/")));
  return layer === "user" && home !== undefined ? join("~", relative(home, file)) : basename(file);
}
