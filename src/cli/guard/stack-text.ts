/** The stack in the message of a failure, a line for each frame. A message is one line by the time it arrives. */

/** `at NAME (FILE:LINE:COLUMN)` or `at FILE:LINE:COLUMN`. Words that merely begin with "at" are part of a message. */
const FRAME = String.raw`at (?:(?:new |async )?[^\s()]+ \((?:[^()]+:\d+:\d+|native)\)|[^\s()]+:\d+:\d+)`;
const CAUSE = String.raw`caused by (?=\S*Error\b|(?:an? [^.:]*|null|nothing) was thrown)`;
const NEXT_LINE = new RegExp(String.raw`\s+(?=${FRAME}(?:\s+at |\s+${CAUSE}|\s*$))|\s+(?=${CAUSE})`);

export interface StackLine {
  readonly kind: "error" | "frame";
  readonly text: string;
}

/** What was thrown first, then its frames, then each cause with its own. */
export function stackLines(message: string): readonly StackLine[] {
  return message
    .split(NEXT_LINE)
    .map((text, index) => ({ kind: index > 0 && text.startsWith("at ") ? "frame" : "error", text }));
}
