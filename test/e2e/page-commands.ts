/** The commands and files of a documentation page, in the order in which they stand there. */

export type Step =
  | { readonly kind: "file"; readonly name: string; readonly text: string }
  | {
      readonly kind: "command";
      readonly command: string;
      readonly exitCode: number;
      readonly output: readonly string[];
    };

/**
 * Commands are lines of `console` blocks that begin with `$ `; what follows is their output, or nothing where a reader
 * need not see it. `# exit code N` after one says that it fails. A block with a name after its language is that file.
 */
export function stepsOf(page: string): readonly Step[] {
  return [...page.matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gms)].flatMap(([, language, name, text = ""]): Step[] => {
    if (name !== undefined) return [{ kind: "file", name, text }];
    if (language !== "console") return [];
    return text
      .split(/^\$ /m)
      .slice(1)
      .map((one): Step => {
        const [line = "", ...output] = one.trimEnd().split("\n");
        const exitCode = Number(/# exit code (\d+)$/.exec(line)?.[1] ?? 0);
        return { kind: "command", command: line.replace(/\s*# exit code \d+$/, ""), exitCode, output };
      });
  });
}

/** Without what another release, another compiler or another folder changes: digests, sizes, fuel, absolute paths. */
export function withoutFigures(line: string): string {
  return line
    .replace(/\b[0-9a-f]{64}\b|\b[0-9a-f]{12}…/g, "DIGEST")
    .replace(/[\d.,]+ (bytes|KiB|MiB)/g, "SIZE")
    .replace(/[\d,]{4,}|\b[\d,]+ fuel\b/g, "N")
    .replace(/ {2,}/g, " ")
    .trim();
}
