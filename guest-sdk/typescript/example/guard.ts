import { ask, defineGuard, deny } from "hookbox/guest";

/** The field of each tool's input that the guard searches. */
const FIELDS: Record<string, string> = { Bash: "command", Write: "file_path", Edit: "file_path" };
const EXCERPT = 60;

export default defineGuard({
  name: "word-guard",
  version: "1.0.0",
  description: "Denies, or asks about, commands and files whose names contain given words.",
  events: ["PreToolUse"],
  config: {
    type: "object",
    additionalProperties: false,
    properties: {
      words: {
        type: "array",
        items: { type: "string" },
        default: ["production"],
        description: "Texts that are denied, in upper and lower case as they stand.",
      },
      askWords: {
        type: "array",
        items: { type: "string" },
        default: [],
        description: "Texts that the user is asked about.",
      },
    },
  },
  handle(event, context) {
    if (typeof event.tool_name !== "string" || !Object.hasOwn(FIELDS, event.tool_name)) return;
    const field = FIELDS[event.tool_name] as string;
    // The host does not check the input of a tool, so check its form before you decide by it.
    const input: unknown = event.tool_input;
    const text = isObject(input) ? input[field] : undefined;
    if (typeof text !== "string") return deny(`tool_input.${field} is not a string`);

    const { words, askWords } = context.config;
    const isNamed = (word: string): boolean => word !== "" && text.includes(word);
    const denied = words.find(isNamed);
    if (denied !== undefined) return deny(`names "${denied}": ${excerptOf(text)}`);
    const doubted = askWords.find(isNamed);
    if (doubted !== undefined) return ask(`names "${doubted}": ${excerptOf(text)}`);
    return;
  },
});

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Counts code points, so that no character is cut in half. */
function excerptOf(text: string): string {
  const points = [...text.slice(0, 2 * EXCERPT + 2)];
  return points.length > EXCERPT ? `${points.slice(0, EXCERPT).join("")}…` : text;
}
