import type { JsonObject, JsonValue } from "../event.ts";
import type { OnFailure } from "../rule.ts";

/** How a dialect's file is changed hook by hook: where its hooks stand, where a new one goes, what switches them. */

export type Path = readonly (string | number)[];

/** One hook of a file, also one that is not well-formed: whoever looks at a file wants to see that, too. */
export interface HookEntry {
  /** The agent's own name of the event. */
  readonly event: string;
  /** The canonical name, or `null` for an event that is not known. */
  readonly canonicalEvent: string | null;
  readonly path: Path;
  /** The matcher group that it stands in, for dialects that have groups. */
  readonly group: Path | null;
  readonly type: string;
  /** What it runs, in one line. */
  readonly summary: string;
  readonly description: string | null;
  readonly matcher: string | null;
  readonly enabled: boolean;
}

/** A hook as somebody asks for it on a command line. */
export interface NewHook {
  readonly type: "command" | "wasm";
  /** The command, or the module. */
  readonly run: string;
  readonly matcher?: string | undefined;
  readonly description?: string | undefined;
  readonly timeoutSeconds?: number | undefined;
  readonly onFailure?: OnFailure | undefined;
}

/** A value and where it goes. What is missing on the way there is made. */
export interface Placement {
  readonly path: Path;
  readonly value: JsonValue;
}

/** What a dialect has no words for. */
export interface Unsayable {
  readonly unsayable: string;
  readonly hint?: string;
}

export interface HookEditing {
  entries(value: unknown): readonly HookEntry[];
  /** `event` is the agent's own name. */
  place(value: unknown, event: string, hook: NewHook): Placement | Unsayable;
  /** The key that says what a failure of a hook means, and its words. An agent without one takes no `onFailure`. */
  readonly onFailure?: { readonly key: string; readonly words: Readonly<Partial<Record<OnFailure, string>>> };
  /** What a file with this hook and no other would say, settings included. `item` is a hook, or a group with one. */
  alone(value: unknown, event: string, item: JsonValue): JsonObject;
  /** Of an agent that ships hooks with itself: where those go that the file does not have yet, one after another. */
  shipped?(value: unknown): readonly Placement[];
  /**
   * The key by which the agent itself switches one hook off. Without one a hook that is off cannot stay in the file: a
   * key that the agent does not know would not keep it from running the hook.
   */
  readonly hookSwitch?: string;
  /** What the agent itself switches all hooks off by: a key, and what it says when they are off. */
  readonly fileSwitch?: { readonly path: Path; readonly off: boolean };
}

/** Agents whose hooks do not stand in a file. */
export interface NoEditing {
  readonly reason: string;
  readonly hint: string;
}

export function isSayable(placed: Placement | Unsayable): placed is Placement {
  return "path" in placed;
}
