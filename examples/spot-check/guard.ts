import { ask, defineGuard } from "hookbox/guest";

/**
 * `random`: has a person look at some of what an agent does. By default the event decides, so that the same event is
 * always picked or never; with `"random": "real"` nobody can tell beforehand.
 */

export default defineGuard({
  name: "spot-check",
  version: "1.0.0",
  description: "Asks about one in so many calls of the tools that change something.",
  events: ["PreToolUse"],
  wants: ["random"],
  config: {
    type: "object",
    additionalProperties: false,
    properties: {
      oneIn: { type: "integer", minimum: 1, maximum: 1_000_000, default: 20 },
      tools: { type: "array", items: { type: "string" }, default: ["Bash", "Write", "Edit", "NotebookEdit"] },
    },
  },
  handle(event, { config, random }) {
    const tool: string = event.tool_name;
    if (!config.tools.includes(tool)) return;
    if (random.int(config.oneIn) === 0) return ask(`a spot check: one in ${config.oneIn} calls is looked at`);
  },
});
