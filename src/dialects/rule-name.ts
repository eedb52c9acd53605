import { basename, join, relative } from "node:path";
import { isJsonObject } from "../json.ts";
import { accountHome, environmentHome } from "../project-folder.ts";
import type { Handler, Rule } from "../rule.ts";
import type { ConfigDocument, ParseContext } from "./dialect.ts";

/**
 * Returns a name for a rule without a name, taken from what the rule runs. Returns `undefined` for commands and URLs,
 * because models and logs see names, and commands and URLs may contain secrets.
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

/** Returns the name of a module. For "guard.wasm", which `new` and `build` write, returns the folder's name. */
function nameOfModule(module: string): string {
  const [file = "", folder = ""] = module.split(/[/\\]/).reverse();
  const name = file.replace(/\.wasm$/, "");
  return name === "guard" && !["", ".", ".."].includes(folder) ? folder : name;
}

/** Returns `FILE EVENT #N`: the hook's file, its event as written, and its number among the event's hooks. */
export function nameOfPlace(
  { file, value }: ConfigDocument,
  path: readonly (string | number)[],
  { event, layer }: { readonly event: string } & Pick<ParseContext, "layer">,
): string {
  const at = path.findLastIndex((part) => typeof part === "string" && part !== "hooks");
  // A negative index means a flat list, in which each hook names its event.
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

/** Returns the file's name for users. `~` marks the user's files, whose names equal those of a project. */
function shownFile(file: string, layer: ParseContext["layer"]): string {
  const home = [accountHome(), environmentHome()].find((one) => one !== undefined && file.startsWith(join(one, "/")));
  return layer === "user" && home !== undefined ? join("~", relative(home, file)) : basename(file);
}
