import { defineGuard, deny } from "hookbox/guest";

export default defineGuard({
  name: "risky-limit",
  version: "1.0.0",
  description: "Lets a session run so many risky commands, and denies those after them",
  events: ["PreToolUse"],
  wants: ["state"],
  config: {
    type: "object",
    additionalProperties: false,
    properties: {
      words: { type: "array", items: { type: "string" }, default: ["rm -rf", "--force", "reset --hard"] },
      limit: { type: "integer", minimum: 0, default: 3 },
    },
  },
  handle(event, { config, state }) {
    if (event.tool_name !== "Bash") return;
    const { command } = event.tool_input;
    if (typeof command !== "string") return deny("tool_input.command is not a string");
    const found = config.words.find((word) => word !== "" && command.includes(word));
    if (found === undefined) return;

    // Denied calls count too. Only this number is kept for the session; the guard's memory is reset after each call.
    if (state.increment("risky") <= config.limit) return;
    return deny(`this session has used up its ${config.limit} risky commands ("${found}")`);
  },
});
