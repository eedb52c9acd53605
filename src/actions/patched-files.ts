/** Reads which files a patch changes, in the format of `apply_patch` and as a unified diff. */

export interface PatchedFile {
  readonly kind: "write" | "delete" | "move";
  readonly path: string;
  /** The new path, of a moved file. */
  readonly to?: string;
}

/** Matches the lines of a patch that name files. Indented lines count, because Codex ignores blanks around them. */
const NAMING =
  /^[ \t]*\*\*\* (?:(Add|Update|Delete) File|(Move) to): *(.*?)[ \t\r]*$|^(---|rename from|copy to|deleted file mode|diff --git) (.*?)\r?$/gm;

/** Returns the files that a patch changes, in its order. A file may occur several times. */
export function* patchedFiles(patch: string): Generator<PatchedFile> {
  let updated: string | undefined;
  let header = "";
  for (const match of patch.matchAll(NAMING)) {
    const [line, verb, moves, path = "", word, rest = ""] = match;
    if (verb !== undefined) {
      yield { kind: verb === "Delete" ? "delete" : "write", path };
      updated = path;
    } else if (moves !== undefined) {
      yield updated === undefined ? { kind: "write", path } : { kind: "move", path: updated, to: path };
    } else if (word === "---") {
      const next = after(patch, match.index + line.length, "+++ ");
      if (next !== undefined) yield* changed(nameIn(rest), nameIn(next));
    } else if (word === "diff --git") header = rest;
    else if (word === "copy to") yield { kind: "write", path: quoted(rest) };
    else if (word === "rename from") {
      const to = after(patch, match.index + line.length, "rename to ");
      if (to !== undefined) yield { kind: "move", path: quoted(rest), to: quoted(to) };
    } else yield* deleted(header);
  }
}

/** Returns the rest of the next line, if the line begins with these words. */
function after(patch: string, end: number, words: string): string | undefined {
  const start = patch.indexOf("\n", end) + 1;
  if (start === 0 || !patch.startsWith(words, start)) return undefined;
  const stop = patch.indexOf("\n", start);
  return patch.slice(start + words.length, stop < 0 ? undefined : stop).replace(/\r$/, "");
}

const NONE = "/dev/null";

function* changed(before: string, now: string): Generator<PatchedFile> {
  if (now === NONE) yield { kind: "delete", path: before };
  else {
    yield { kind: "write", path: now };
    // Programs that apply patches differ in which of two names counts.
    if (before !== now && before !== NONE) yield { kind: "write", path: before };
  }
}

/** Returns the file of `diff --git a/x b/x`, for files without text, whose diff has no other line with a name. */
function* deleted(header: string): Generator<PatchedFile> {
  const half = header.slice(0, (header.length - 1) / 2);
  const path = nameIn(half);
  if (path !== "" && header.endsWith(half.slice(2))) yield { kind: "delete", path };
}

/** Returns a name without the time of its file, quotation marks, and the `a/` or `b/` that tools put before names. */
function nameIn(text: string): string {
  const name = quoted(text.replace(/\t.*$/, ""));
  return /^[abciow]\//.test(name) ? name.slice(2) : name;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" };

/** Reads a name as git writes it: with quotation marks if it contains special characters. */
function quoted(text: string): string {
  if (!(text.length > 1 && text.startsWith('"') && text.endsWith('"'))) return text;
  const bytes = text.slice(1, -1).replace(/(?:\\[0-3][0-7]{2})+/g, (octal) =>
    Buffer.from(
      octal
        .slice(1)
        .split("\\")
        .map((digits) => Number.parseInt(digits, 8)),
    ).toString(),
  );
  return bytes.replace(/\\(.)/g, (_, letter: string) => ESCAPES[letter] ?? letter);
}
