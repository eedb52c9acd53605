import { defineGuard, deny } from "hookbox/guest";

/** `state`: counts an agent's risky commands, and stops it when a session has had enough of them. */

export default defineGuard({
  name: "command-limit",
  version: "1.0.0",
  description: "Lets a session run a number of risky commands, and denies those after them.",
  events: ["PreToolUse"],
  wants: ["state"],
  config: {
    type: "object",
    additionalProperties: false,
    properties: {
      most: { type: "integer", minimum: 0, default: 5, description: "How many a session may run." },
      risky: {
        type: "array",
        items: { type: "string", minLength: 1 },
        default: ["rm -r", "rm -f", "git push", "git reset --hard", "kubectl delete", "terraform apply"],
        description: "Texts that make a command risky, wherever they stand in it.",
      },
    },
  },
  handle(event, { config, state }) {
    if (event.tool_name !== "Bash") return;
    const { command } = event.tool_input;
    if (typeof command !== "string") return deny("tool_input.command is not a string");
    const oneLine = command.replace(/\s+/g, " ");
    const risk = config.risky.find((text) => oneLine.includes(text));
    if (risk === undefined) return;

    // What is denied counts, too: an agent that keeps trying is no reason to forget.
    const count = state.increment("risky");
    if (count > config.most) return deny(`"${risk}": this session has had its ${config.most} risky commands`);
  },
});
