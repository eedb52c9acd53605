import { defineGuard, deny } from "hookbox/guest";

/** `paths`: keeps to a list that a team has in a file, and changes without touching anybody's configuration. */

const LIST = "deny-list.txt";

export default defineGuard({
  name: "team-deny-list",
  version: "1.0.0",
  description: `Denies commands that a line of ${LIST} stands in.`,
  events: ["PreToolUse"],
  wants: ["paths"],
  handle(event, { files }) {
    if (event.tool_name !== "Bash") return;
    const { command } = event.tool_input;
    if (typeof command !== "string") return deny("tool_input.command is not a string");

    const text = files.read(LIST);
    // A list that has gone away is not an empty list.
    if (text === undefined) return deny(`${LIST} is not there`);
    const denied = entriesOf(text).find((entry) => command.includes(entry));
    if (denied !== undefined) return deny(`${LIST} has "${denied}"`);
  },
});

/** A text a line. Empty lines and those that begin with `#` are for people. */
function entriesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}
