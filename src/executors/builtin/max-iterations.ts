import { type BuiltinHook, failed, silent } from "./builtin.ts";
import { positiveInteger } from "./positive-integer.ts";

const MOST = 999_999_999;

/** Ends the agent's work if its model would be called more often than allowed. The event contains the count. */
export const maxIterations: BuiltinHook = {
  problemOf: ([limit]) =>
    positiveInteger(limit, MOST) === undefined
      ? `the argument must be a number from 1 to ${MOST}, not ${JSON.stringify(limit)}`
      : undefined,
  run: async ({ event, args }) => {
    const limit = positiveInteger(args[0], MOST) ?? 0;
    const iteration = event.payload["iteration"];
    if (typeof iteration !== "number") return failed("unavailable", "the event does not say which iteration it is");
    if (iteration <= limit) return silent();
    const reason = `iteration ${iteration} is over the limit of ${limit}`;
    return { ok: true, reply: { decision: "block", reason } };
  },
};
