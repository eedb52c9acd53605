import { sha256 } from "../../cache/cache-folder.ts";
import type { Path } from "../../dialects/editing.ts";
import { HookError } from "../../errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../event.ts";
import { readForChange } from "./write-file.ts";

/**
 * Hooks that are off, of agents that have no word for that: a key that the agent does not know would not keep it from
 * running them. They wait in a file beside the agent's own.
 */
export interface AsideHook {
  readonly event: string;
  /** As it was shown, among all hooks of its event. */
  readonly number: number;
  /** The list of its event. */
  readonly list: Path;
  /** Its matcher group without the hooks, or `null` where the dialect has none. */
  readonly group: JsonObject | null;
  /** It was all that its group ever had. */
  readonly ownGroup: boolean;
  /** What was taken out: the hook, or its whole group. */
  readonly item: JsonValue;
  /** The same as it was written, remarks included. */
  readonly text: string | null;
  readonly hook: JsonValue;
  /** Whether it was switched off by itself or with all others. */
  readonly by: "hook" | "all";
  /** Digest of the agent's file while that still has the hook: then this is a change that was cut short. */
  readonly presentIn: string | null;
}

const NOTE = "Hooks that are switched off. hookbox hooks puts them back where they were.";

export function asideFileOf(file: string): string {
  return `${file}.hooks-off.json`;
}

export interface Aside {
  /** The dialect of the agent's file, which may not tell when its hooks are out of it. */
  readonly format: string | undefined;
  readonly hooks: readonly AsideHook[];
  /** The file itself; `undefined`: there is none. */
  readonly content: string | undefined;
}

/** Those that are really out of the agent's file. */
export async function readAside(file: string, text: string): Promise<Aside> {
  const name = asideFileOf(file);
  const content = await readForChange(name);
  if (content === undefined) return { format: undefined, hooks: [], content };
  const aside = asideIn(content);
  if (aside === undefined)
    throw new HookError("HOOK_EDIT_FILE", `${name} is not what hookbox wrote there`, {
      hint: "it holds hooks that are switched off; put it right, or move it away",
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
