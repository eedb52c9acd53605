import type { JsonObject } from "../json.ts";
import type { Path } from "./writing.ts";

/**
 * Builds event -> groups -> hooks. Consecutive hooks with the same matcher share a group, so that the order is kept.
 */

interface Group {
  /** All keys of the group except its hooks. */
  readonly head: JsonObject;
  readonly hooks: JsonObject[];
}

export class GroupedHooks {
  readonly #events = new Map<string, Group[] | JsonObject[]>();
  readonly #base: Path;

  /** `base` is the path of the events in the file. */
  constructor(base: Path) {
    this.#base = base;
  }

  get value(): JsonObject {
    return Object.fromEntries(
      [...this.#events].map(([event, list]) => [
        event,
        list.map((one) =>
          "head" in one && "hooks" in one ? { ...(one as Group).head, hooks: [...(one as Group).hooks] } : one,
        ),
      ]),
    ) as JsonObject;
  }

  /** Adds a hook to a group and returns its path. */
  add(event: string, head: JsonObject, hook: JsonObject): Path {
    const groups = this.#listOf(event) as Group[];
    const last = groups.at(-1);
    let group = last;
    if (group === undefined || JSON.stringify(group.head) !== JSON.stringify(head)) {
      group = { head, hooks: [] };
      groups.push(group);
    }
    group.hooks.push(hook);
    return [...this.#base, event, groups.length - 1, "hooks", group.hooks.length - 1];
  }

  /** Adds a hook to an event that has no groups, and returns its path. */
  addBare(event: string, hook: JsonObject): Path {
    const hooks = this.#listOf(event) as JsonObject[];
    hooks.push(hook);
    return [...this.#base, event, hooks.length - 1];
  }

  #listOf(event: string): Group[] | JsonObject[] {
    let list = this.#events.get(event);
    if (list === undefined) {
      list = [];
      this.#events.set(event, list);
    }
    return list;
  }
}
