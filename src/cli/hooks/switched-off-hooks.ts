import { sha256 } from "../../cache/cache-folder.ts";
import type { Path } from "../../dialects/editing.ts";
import { HookError } from "../../errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import { readForChange } from "./write-file.ts";

/**
 * Disabled hooks of agents that cannot disable a hook. Such an agent would ignore an unknown key and run the hook, so
 * hookbox keeps disabled hooks in a second file next to the agent's file.
 */
export interface AsideHook {
  readonly event: string;
  /** The hook's number among all hooks of its event, as `hookbox hooks` showed it. */
  readonly number: number;
  /** The path of the event's list. */
  readonly list: Path;
  /** The hook's matcher group without its hooks. `null`: the dialect has no groups. */
  readonly group: JsonObject | null;
  /** Whether the group never had another hook. */
  readonly ownGroup: boolean;
  /** The value that was removed from the file: the hook, or its whole group. */
  readonly item: JsonValue;
  /** The original text of `item`, with its comments. */
  readonly text: string | null;
  readonly hook: JsonValue;
  /** Whether the user disabled only this hook, or all hooks. */
  readonly by: "hook" | "all";
  /** The digest of the agent's file while the hook is still in it. With this digest, the change was not finished. */
  readonly presentIn: string | null;
}

const NOTE = "Hooks that are switched off. hookbox hooks puts them back where they were.";

export function asideFileOf(file: string): string {
  return `${file}.hooks-off.json`;
}

interface Aside {
  /** The dialect of the agent's file. Without its hooks, the agent's file may not show the dialect. */
  readonly format: string | undefined;
  readonly hooks: readonly AsideHook[];
  /** The text of the second file. `undefined`: the file does not exist. */
  readonly content: string | undefined;
}

/** Reads the disabled hooks. Leaves out hooks that are still in the agent's file, whose text is `text`. */
export async function readAside(file: string, text: string): Promise<Aside> {
  const name = asideFileOf(file);
  const content = await readForChange(name);
  if (content === undefined) return { format: undefined, hooks: [], content };
  const aside = asideIn(content);
  if (aside === undefined)
    throw new HookError("HOOK_EDIT_FILE", `${name} is not a file that hookbox has written`, {
      hint: "it should contain hooks that are switched off: correct it, or move it away",
    });
  const digest = sha256(text);
  return { ...aside, content, hooks: aside.hooks.filter(({ presentIn }) => presentIn !== digest) };
}

function asideIn(content: string): Omit<Aside, "content"> | undefined {
  try {
    const value: unknown = JSON.parse(content);
    if (!isJsonObject(value) || value["version"] !== 1 || !Array.isArray(value["hooks"])) return undefined;
    const hooks = value["hooks"] as readonly unknown[];
    const { format } = value;
    return typeof format === "string" && hooks.every(isAsideHook) ? { format, hooks } : undefined;
  } catch {
    return undefined;
  }
}

function isAsideHook(value: unknown): value is AsideHook {
  if (!isJsonObject(value)) return false;
  const { event, number, list, group, item, hook } = value;
  return (
    typeof event === "string" &&
    typeof number === "number" &&
    Array.isArray(list) &&
    list.every((part) => typeof part === "string" || typeof part === "number") &&
    (group === null || isJsonObject(group)) &&
    item !== undefined &&
    hook !== undefined
  );
}

export function formatAside(format: string, hooks: readonly AsideHook[]): string {
  return `${JSON.stringify({ version: 1, note: NOTE, format, hooks }, null, 2)}\n`;
}
