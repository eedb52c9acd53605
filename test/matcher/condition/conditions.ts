import type { JsonObject } from "../../../src/json.ts";
import { compileCondition } from "../../../src/matcher/condition/condition.ts";
import type { Fit } from "../../../src/matcher/condition/specifier.ts";
import { makeEvent } from "../../helpers/rules.ts";

/** Returns what a valid condition decides about a call. */
export function judge(
  condition: string,
  tool: string,
  input: JsonObject,
  payload: JsonObject = { cwd: "/project" },
): Fit {
  const compiled = compileCondition(condition);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled.condition.test(makeEvent("PreToolUse", { ...payload, tool_name: tool, tool_input: input }));
}

export const runsOn = (condition: string, command: string): boolean => judge(condition, "Bash", { command }).fits;

/** Whether it runs because of what was read, and not because a part could not be read. */
export const matchesCommand = (condition: string, command: string): boolean => {
  const { fits, why } = judge(condition, "Bash", { command });
  return fits && !why.includes("cannot be decided");
};
