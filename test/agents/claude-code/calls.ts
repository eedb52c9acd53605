import type { Block } from "./messages-api.ts";

/** The model runs this in a shell. */
export const bash = (command: string, id = "toolu_1"): Block => ({
  type: "tool_use",
  id,
  name: "Bash",
  input: { command, description: "one step" },
});

/** Returns a `settings.json` with one command hook. */
export const hookAt = (event: string, command: string, more: object = {}): object => ({
  hooks: { [event]: [{ hooks: [{ type: "command", command, ...more }] }] },
});

/** Returns a `hookbox.json` with these hooks. */
export const rulesAt = (event: string, ...hooks: readonly object[]): string =>
  JSON.stringify({ hooks: { [event]: [{ hooks }] } });

/** Returns shell text that prints this. */
export const prints = (output: object): string => `printf '%s' '${JSON.stringify(output)}'`;

export const permission = (permissionDecision: string, permissionDecisionReason: string): object => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason },
});
