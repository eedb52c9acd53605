import { ask, defineGuard, deny } from "hookbox/guest";

/** `clock`: no deployments when nobody is there to mend them. The rule must grant `"clock": "real"`. */

const DEPLOYS = /\b(kubectl\s+(apply|rollout)|terraform\s+apply|helm\s+(install|upgrade)|(npm|pnpm|yarn)\s+publish)\b/;
const SUNDAY = 0;
const FRIDAY = 5;
const SATURDAY = 6;
const hour = { type: "number", minimum: 0, maximum: 24 } as const;

export default defineGuard({
  name: "deploy-hours",
  version: "1.0.0",
  description: "Denies deployments at weekends and from Friday afternoon on, and asks about those outside of office hours.",
  events: ["PreToolUse"],
  wants: ["clock"],
  config: {
    type: "object",
    additionalProperties: false,
    properties: {
      from: { ...hour, default: 9, description: "Hour at which the office opens." },
      to: { ...hour, default: 17, description: "Hour at which it closes." },
      fridayTo: { ...hour, default: 13, description: "Hour from which nothing is deployed on Fridays." },
      utcOffsetMinutes: {
        type: "integer",
        minimum: -840,
        maximum: 840,
        default: 0,
        description: "How far the office's clock is ahead of UTC: guards know of no time zones.",
      },
    },
  },
  handle(event, context) {
    if (event.tool_name !== "Bash") return;
    const { command } = event.tool_input;
    if (typeof command !== "string") return deny("tool_input.command is not a string");
    if (!DEPLOYS.test(command)) return;

    const { from, to, fridayTo, utcOffsetMinutes } = context.config;
    const local = new Date(context.clock.now().getTime() + utcOffsetMinutes * 60_000);
    const day = local.getUTCDay();
    const hours = local.getUTCHours() + local.getUTCMinutes() / 60;
    if (day === SATURDAY || day === SUNDAY) return deny("nothing is deployed at weekends");
    if (day === FRIDAY && hours >= fridayTo) return deny(`nothing is deployed on Fridays from ${fridayTo} o'clock on`);
    if (hours < from || hours >= to) return ask(`deploy outside of office hours (${from} to ${to} o'clock)?`);
  },
});
