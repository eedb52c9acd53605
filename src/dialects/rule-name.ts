import { basename, join, relative } from "node:path";
import { isJsonObject } from "../json.ts";
import { accountHome, environmentHome } from "../project-folder.ts";
import type { Handler, Rule } from "../rule.ts";
import type { ConfigDocument, ParseContext } from "./dialect.ts";

/**
 * Returns a name for a rule without one, taken from the name of what the rule runs. `undefined` for commands and URLs,
 * because names are shown to models and written to logs, and commands and URLs may contain secrets.
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

/** Returns the name that the rule's author gave the rule. */
export function givenName({ name, unnamed, handler }: Rule): string | undefined {
  return unnamed === true || name === nameOf(handler) ? undefined : name;
}

/** `new` and `build` call every guard "guard.wasm", so the folder's name is used instead. */
function nameOfModule(module: string): string {
  const [file = "", folder = ""] = module.split(/[/\\]/).reverse();
  const name = file.replace(/\.wasm$/, "");
  return name === "guard" && !["", ".", ".."].includes(folder) ? folder : name;
}

/**
 * Returns `FILE EVENT #N`: the hook's file, its event as written in the file, and its number among the hooks of that
 * event.
 */
export function nameOfPlace(
  { file, value }: ConfigDocument,
  path: readonly (string | number)[],
  { event, layer }: { readonly event: string } & Pick<ParseContext, "layer">,
): string {
  const at = path.findLastIndex((part) => typeof part === "string" && part !== "hooks");
  // A flat list, in which each hook names its event.
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

/** The user's files have the same names as a project's, so they are shown with `~`. */
function shownFile(file: string, layer: ParseContext["layer"]): string {
  const home = [accountHome(), environmentHome()].find((one) => one !== undefined && file.startsWith(join(one, "/")));
  return layer === "user" && home !== undefined ? join("~", relative(home, file)) : basename(file);
}
