import { cleanText } from "../../text.ts";
import { textOf, withoutSecrets } from "./shown-text.ts";
import { type Field, type FolderTool, MAX_RESULT_LENGTH, schemaOf, wrong } from "./tool.ts";

/** The maximum number of bytes that tools read from one file. */
export const MAX_FILE_BYTES = 524_288;
const MAX_LINES = 2_000;
const MAX_SHOWN_LINE = 2_000;
const ROOM_FOR_NOTES = 200;

const FIELDS = {
  path: { kind: "string", required: true, description: "The file: relative to the working directory, or absolute." },
  first_line: { kind: "line", description: "Where to begin. Lines count from 1." },
  last_line: { kind: "line", description: "Where to end, this line included." },
} as const satisfies Record<string, Field>;

export const READ_TOOL: FolderTool = {
  name: "read",
  description: `Reads a text file in the working directory, at most ${MAX_LINES} lines at a time. Lines come numbered.`,
  schema: schemaOf(FIELDS),
  fields: FIELDS,
  async run(input, place) {
    const {
      path,
      first_line: first = 1,
      last_line: last = Number.MAX_SAFE_INTEGER,
    } = input as {
      path: string;
      first_line?: number;
      last_line?: number;
    };
    if (last < first) return wrong(`"last_line" is ${last}, which is before line ${first}`);
    const found = await place.folder.read(path, MAX_FILE_BYTES, place.stop);
    if (!found.ok) return wrong(found.message);
    const { bytes, isWhole } = found.value;
    const raw = textOf(bytes);
    if (raw === undefined) return wrong("this is not a text file");
    const text = await withoutSecrets(raw, place);
    if (text === "") return { text: "[the file is empty]", isError: false };
    const lines = text.replace(/\n$/, "").split("\n");
    if (first > lines.length) return wrong(`the file has ${lines.length} lines`);
    const wanted = Math.min(last, lines.length, first + MAX_LINES - 1);
    const shown: string[] = [];
    let end = first - 1;
    for (let room = MAX_RESULT_LENGTH - ROOM_FOR_NOTES; end < wanted; end++) {
      const line = `${end + 1}: ${cleanText(lines[end] as string, MAX_SHOWN_LINE)}`;
      room -= line.length + 1;
      if (room < 0) break;
      shown.push(line);
    }
    if (end < lines.length) shown.push(`[lines ${first} to ${end} of ${lines.length}]`);
    if (!isWhole) shown.push(`[of the file only the first ${MAX_FILE_BYTES} bytes are looked at]`);
    return { text: shown.join("\n"), isError: false };
  },
};
