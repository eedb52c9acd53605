import { addText, type BuiltinHook } from "./builtin.ts";

/** Adds today's date in the user's time zone. */
export const addDate: BuiltinHook = {
  run: async ({ tools }) => {
    const now = tools.now();
    const day = [now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0"));
    return addText(`Today's date: ${[now.getFullYear(), ...day].join("-")}`);
  },
};
