import { ask, defineGuard, deny } from "hookbox/guest";

export default defineGuard({
  name: "spot-check",
  version: "1.0.0",
  description: "Asks the user to look at one in so many commands",
  events: ["PreToolUse"],
  wants: ["random"],
  config: {
    type: "object",
    additionalProperties: false,
    properties: { oneIn: { type: "integer", minimum: 1, maximum: 4_294_967_295, default: 20 } },
  },
  handle(event, { config, random }) {
    if (event.tool_name !== "Bash") return;
    const { command } = event.tool_input;
    if (typeof command !== "string") return deny("tool_input.command is not a string");

    // The same event draws the same number, unless the rule says `"random": "real"`.
    if (random.int(config.oneIn) === 0) return ask(`picked for review, as one in ${config.oneIn} is: ${command}`);
  },
});
