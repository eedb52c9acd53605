import type { JsonObject } from "../../json.ts";

/** docker-agent's flags that add hooks for one run, with the event of each. */
const FLAGS: Readonly<Record<string, string>> = {
  "hook-pre-tool-use": "pre_tool_use",
  "hook-post-tool-use": "post_tool_use",
  "hook-session-start": "session_start",
  "hook-session-end": "session_end",
  "hook-on-user-input": "on_user_input",
  "hook-stop": "stop",
};

const FOR_ALL_TOOLS: readonly string[] = ["pre_tool_use", "post_tool_use"];

/** docker-agent's flags, each with a function that returns its commands as a configuration file. */
export const HOOK_FLAGS: Readonly<Record<string, (commands: readonly string[]) => JsonObject>> = Object.fromEntries(
  Object.entries(FLAGS).map(([flag, event]) => [
    flag,
    (commands: readonly string[]): JsonObject => {
      const hooks = commands.map((command) => ({ type: "command", command }));
      return { hooks: { [event]: FOR_ALL_TOOLS.includes(event) ? [{ matcher: "*", hooks }] : hooks } };
    },
  ]),
);
