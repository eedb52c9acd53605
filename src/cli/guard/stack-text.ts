/** Splits the stack in a failure's message into one line for each frame, because messages have a single line. */

/** Matches `at NAME (FILE:LINE:COLUMN)` or `at FILE:LINE:COLUMN`. Other text after "at" belongs to the message. */
const FRAME = String.raw`at (?:(?:new |async )?[^\s()]+ \((?:[^()]+:\d+:\d+|native)\)|[^\s()]+:\d+:\d+)`;
const CAUSE = String.raw`caused by (?=\S*Error\b|(?:an? [^.:]*|null|nothing) was thrown)`;
const NEXT_LINE = new RegExp(String.raw`\s+(?=${FRAME}(?:\s+at |\s+${CAUSE}|\s*$))|\s+(?=${CAUSE})`);

interface StackLine {
  readonly kind: "error" | "frame";
  readonly text: string;
}

/** Returns the thrown error, its frames, and then each cause with its frames. */
export function stackLines(message: string): readonly StackLine[] {
  return message
    .split(NEXT_LINE)
    .map((text, index) => ({ kind: index > 0 && text.startsWith("at ") ? "frame" : "error", text }));
}
