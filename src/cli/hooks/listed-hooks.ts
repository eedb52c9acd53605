import type { HookEntry } from "../../dialects/editing.ts";
import { hookEntry } from "../../dialects/hook-sections.ts";
import type { AsideHook } from "./switched-off-hooks.ts";

/** Hooks as `hookbox hooks` shows them, numbered from 1 within each event. Disabled hooks keep their former number. */
export interface Listed extends Omit<HookEntry, "path" | "group"> {
  readonly number: number;
  /** The hook in the agent's file. `undefined`: the hook is disabled and in the second file. */
  readonly entry: HookEntry | undefined;
  readonly aside: AsideHook | undefined;
}

export function listHooks(
  entries: readonly HookEntry[],
  aside: readonly AsideHook[],
  eventNames: Readonly<Record<string, string>>,
): readonly Listed[] {
  const events = new Set([...entries, ...aside].map(({ event }) => event));
  return [...events].flatMap((event) => {
    type Unnumbered = Omit<Listed, "number">;
    const hooks = entries
      .filter((entry) => entry.event === event)
      .map((entry): Unnumbered => ({ ...entry, entry, aside: undefined }));
    const off = aside.filter((one) => one.event === event).sort((one, other) => one.number - other.number);
    for (const one of off) {
      const group = one.group === null ? null : { path: [], value: one.group };
      const shown = hookEntry(one.hook, [], event, group, { eventNames, descriptions: ["description", "name"] });
      hooks.splice(one.number - 1, 0, { ...shown, enabled: false, entry: undefined, aside: one });
    }
    return hooks.map((hook, index): Listed => ({ ...hook, number: index + 1 }));
  });
}
