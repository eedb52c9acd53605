import { defineGuard, deny } from "hookbox/guest";

/** The name that the rule's grant gives the file. The rule decides where the file is. */
const LIST = "deny-list.txt";

export default defineGuard({
  name: "team-deny-list",
  version: "1.0.0",
  description: `Denies commands that contain a line of the team's file ${LIST}`,
  events: ["PreToolUse"],
  wants: ["paths"],
  config: { type: "object", additionalProperties: false, properties: {} },
  handle(event, { files }) {
    if (event.tool_name !== "Bash") return;
    const { command } = event.tool_input;
    if (typeof command !== "string") return deny("tool_input.command is not a string");

    const text = files.read(LIST);
    // A missing list must not count as a list that denies nothing.
    if (text === undefined) return deny(`there is no ${LIST}`);
    const found = entriesOf(text).find((entry) => command.includes(entry));
    if (found !== undefined) return deny(`${LIST} has "${found}"`);
  },
});

/** The lines that are not blank and not comments. */
function entriesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}
