import type { JsonObject } from "../event.ts";
import type { Path } from "./writing.ts";

/** Hooks in event -> groups -> hooks: neighbours with the same matcher share a group, so that order is kept. */

interface Group {
  /** Everything that stands in the group beside its hooks. */
  readonly head: JsonObject;
  readonly hooks: JsonObject[];
}

export class GroupedHooks {
  readonly #events = new Map<string, Group[] | JsonObject[]>();
  readonly #base: Path;

  /** `base`: where the events stand in the file. */
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

  /** Adds a hook to a group, and says where it stands. */
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

  /** Adds a hook to an event that has no groups. */
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
