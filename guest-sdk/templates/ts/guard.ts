import { defineGuard, deny } from "hookbox/guest";

export default defineGuard({
  name: "my-guard",
  version: "0.1.0",
  description: "Denies shell commands that name production.",
  events: ["PreToolUse"],
  config: {
    type: "object",
    additionalProperties: false,
    properties: { words: { type: "array", items: { type: "string" }, default: ["production"] } },
  },
  handle(event, { config }) {
    if (event.tool_name !== "Bash") return;
    const { command } = event.tool_input;
    // hookbox does not check the form of a tool's input. A command that cannot be read is denied.
    if (typeof command !== "string") return deny("tool_input.command is not a string");
    const word = config.words.find((one) => command.includes(one));
    if (word !== undefined) return deny(`names "${word}": ${command}`);
  },
});
