const OPENS = /^(?:if|for|while|until|case|\{|\(|[\w.-]+ ?\(\) ?[{(]?|function )(?:\s|$)/;
const CLOSES = /^(?:fi|done|esac|\}|\))(?:[\s;|&<>)]|$)/;
/** Matches lines that mean nothing without the lines around them. */
const FRAGMENT = /^(?:fi|done|esac|then|do|else|elif|\}|\)|;;|[^()]*\)\s*(?:;;)?$)|^(?!.*\bin\b).*\)$|^#/;
const UNFINISHED = /(?:\bthen|\bdo|\belse|\{|\(|\||&&|\bin|;;)$/;
const HERE_DOCUMENT = /<<-?\s*(["'\\]?)(\w+)\1/;
const MAX_JOINED_LINES = 60;
/** Longer constructs are programs of their own. shell-guard puts the longest of them to the user, see the limits tests. */
const MAX_CHARACTERS = 2_500;

/**
 * Splits a script into statements, as an agent would send them: its single lines, and its top-level constructs with all
 * their lines. Splits by the layout of the text. A statement may therefore be invalid, which the caller has to check.
 */
export function statementsOf(script: string): string[] {
  const lines = logicalLines(script.split("\n"));
  const statements: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const text = line.trim();
    if (text === "" || FRAGMENT.test(text)) continue;
    if (OPENS.test(line)) {
      const end = lines.findIndex((next, index) => index > at && CLOSES.test(next));
      if (end > 0) statements.push(lines.slice(at, end + 1).join("\n"));
    }
    if (!UNFINISHED.test(text)) statements.push(text.replace(/\s*;;$/, ""));
  }
  return statements.filter(({ length }) => length <= MAX_CHARACTERS);
}

/** Joins a line with the lines that belong to it: after a backslash, in an open quote, in a here-document. */
function logicalLines(lines: readonly string[]): string[] {
  const joined: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    let line = lines[at] ?? "";
    const last = Math.min(lines.length - 1, at + MAX_JOINED_LINES);
    if (/^\s*#/.test(line)) continue;
    while (at < last && (line.endsWith("\\") || hasOpenQuote(line))) line += `\n${lines[++at]}`;
    const delimiter = HERE_DOCUMENT.exec(line)?.[2];
    if (delimiter !== undefined) {
      do line += `\n${lines[++at] ?? ""}`;
      while (at < last && lines[at]?.trim() !== delimiter);
    }
    joined.push(line);
  }
  return joined;
}

function hasOpenQuote(text: string): boolean {
  let open = "";
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === "\\" && open !== "'") at += 1;
    else if (open === "" && char === "#" && /\s/.test(text[at - 1] ?? " ")) at = endOfLine(text, at);
    else if (open === "" && (char === "'" || char === '"')) open = char;
    else if (char === open) open = "";
  }
  return open !== "";
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}
