import { defineGuard, deny } from "hookbox/guest";

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;
const hour = { type: "integer", minimum: 0, maximum: 24 } as const;

export default defineGuard({
  name: "deploy-hours",
  version: "1.0.0",
  description: "Denies deploys outside of the working hours (UTC), on Friday afternoons and on weekends",
  events: ["PreToolUse"],
  wants: ["clock"],
  config: {
    type: "object",
    additionalProperties: false,
    properties: {
      word: { type: "string", default: "deploy" },
      fromHour: { ...hour, default: 8 },
      untilHour: { ...hour, default: 17 },
      fridayUntilHour: { ...hour, default: 14 },
    },
  },
  handle(event, { config, clock }) {
    if (event.tool_name !== "Bash") return;
    const { command } = event.tool_input;
    if (typeof command !== "string") return deny("tool_input.command is not a string");
    if (!command.includes(config.word)) return;

    // Without `"clock": "real"` in the rule, it is always the same Saturday.
    const now = clock.now();
    const day = DAYS[now.getUTCDay()];
    const hours = now.getUTCHours();
    let until = config.untilHour;
    if (day === "Friday") until = Math.min(until, config.fridayUntilHour);
    if (day === "Saturday" || day === "Sunday") until = 0;
    if (hours >= config.fromHour && hours < until) return;
    return deny(`no deploys now: ${day}, ${hours}:${String(now.getUTCMinutes()).padStart(2, "0")} UTC`);
  },
});
