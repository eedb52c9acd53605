import type { BuiltinHook } from "./builtin.ts";

/** Our own hooks by name. Each is loaded with the first rule that names it. */
export const HOOKS: Readonly<Record<string, () => Promise<BuiltinHook>>> = {
  add_date: async () => (await import("./add-date.ts")).addDate,
};
