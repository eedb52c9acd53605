import type { JsonObject, JsonValue } from "../json.ts";
import type { OnFailure } from "../rule.ts";

/** Edits a dialect's file hook by hook: lists its hooks, finds the place of a new hook, enables and disables hooks. */

export type Path = readonly (string | number)[];

/** One hook of a file. Malformed hooks are included, because a list of hooks must show them too. */
export interface HookEntry {
  /** The agent's own name of the event. */
  readonly event: string;
  /** The canonical name of the event. `null` for an unknown event. */
  readonly canonicalEvent: string | null;
  readonly path: Path;
  /** The matcher group that contains the hook, in dialects with groups. */
  readonly group: Path | null;
  readonly type: string;
  /** What the hook runs, in one line. */
  readonly summary: string;
  readonly description: string | null;
  readonly matcher: string | null;
  readonly enabled: boolean;
}

/** A hook that the user adds on the command line. */
export interface NewHook {
  readonly type: "command" | "wasm";
  /** The command or the module that the hook runs. */
  readonly run: string;
  readonly matcher?: string | undefined;
  readonly description?: string | undefined;
  readonly timeoutSeconds?: number | undefined;
  readonly onFailure?: OnFailure | undefined;
}

/** A value and its path in the file. Missing parents are created. */
export interface Placement {
  readonly path: Path;
  readonly value: JsonValue;
}

/** The reason why a dialect cannot express a hook. */
interface NotPlaced {
  readonly whyNot: string;
  readonly hint?: string;
}

export interface HookEditing {
  entries(value: unknown): readonly HookEntry[];
  /** Returns where to add a hook. `event` is the agent's own name. */
  place(value: unknown, event: string, hook: NewHook): Placement | NotPlaced;
  /**
   * The key that sets what a failure of a hook means, and its values. An agent without this key accepts no `onFailure`.
   */
  readonly onFailure?: { readonly key: string; readonly words: Readonly<Partial<Record<OnFailure, string>>> };
  /**
   * Returns the file with this hook as its only hook, settings included. `item` is a hook, or a group with one hook.
   */
  alone(value: unknown, event: string, item: JsonValue): JsonObject;
  /** Returns where to add each missing shipped hook, in order. Only for agents that ship hooks. */
  shipped?(value: unknown): readonly Placement[];
  /**
   * The key with which the agent disables one hook. Without this key, a disabled hook cannot stay in the file, because
   * the agent would ignore an unknown key and run the hook.
   */
  readonly hookSwitch?: string;
  /** The key with which the agent disables all hooks, and its value for "off". */
  readonly fileSwitch?: { readonly path: Path; readonly off: boolean };
}

/** An agent whose hooks are not in a file that hookbox can edit. */
export interface NoEditing {
  readonly reason: string;
  readonly hint: string;
}

export function isPlaced(placed: Placement | NotPlaced): placed is Placement {
  return "path" in placed;
}
