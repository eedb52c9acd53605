/** Compares the output on a page with the output of the command. */

interface Step {
  /** As written on the page, with line breaks. */
  readonly shown: string;
  readonly command: string;
  readonly exitCode: number;
  readonly output: string;
}

/**
 * Commands are lines that start with `$ `; a backslash at the end continues one on the next line. The lines after it
 * are its output; without any, the page shows none. `# exit code N` after a command says that it fails.
 */
export function stepsOf(text: string): readonly Step[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((one) => {
      const [shown = ""] = /^(.*\\\n)*.*\n/.exec(one) ?? [];
      const line = shown.replaceAll(/\\\n\s*/g, "").trim();
      const exitCode = Number(/# exit code (\d+)$/.exec(line)?.[1] ?? 0);
      return {
        shown: `$ ${shown}`,
        command: line.replace(/\s*# exit code \d+$/, ""),
        exitCode,
        output: one.slice(shown.length),
      };
    });
}

/**
 * Whether a line is as on the page: `…` stands for any characters, and `varies`, a regular expression, for those that
 * differ from run to run. All others have to be equal.
 */
function isShown(line: string, shown: string, varies: RegExp): boolean {
  const alike = (text: string) => text.replaceAll(varies, "~");
  const pattern = alike(shown)
    .split("…")
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join(".*");
  return new RegExp(`^${pattern}$`).test(alike(line));
}

const NOTHING = /(?!)/g;

/** The output for the page: its own lines if they still mean the same, and the command's otherwise. */
export function refreshed(shown: string, output: string, varies?: string): string {
  const linesOf = (text: string): readonly string[] =>
    text
      .replaceAll(/[ \t]+$/gm, "")
      .replace(/^\n+|\n+$/g, "")
      .split("\n");
  const before = linesOf(shown);
  const now = linesOf(output);
  const pattern = varies === undefined ? NOTHING : new RegExp(varies, "g");
  const lines = now.map((line, index) => {
    const old = now.length === before.length ? before[index] : undefined;
    return old !== undefined && isShown(line, old, pattern) ? old : line;
  });
  return `${lines.join("\n")}\n`;
}
