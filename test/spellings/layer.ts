import type { Random } from "./random.ts";

/** A piece of shell text that runs the command in question. */
export interface Piece {
  readonly text: string;
  /** `words`: a program and its arguments. `simple`: one simple command. `list`: any commands. */
  readonly kind: "words" | "simple" | "list";
  /** The names of the layers that it was made with, inner ones first. */
  readonly layers: readonly string[];
}

export interface Layer {
  readonly name: string;
  /** What it can be put around. A program and its words are a simple command, which is a list. */
  readonly takes: Piece["kind"];
  readonly gives: Piece["kind"];
  /** Only around text of one line without a here-document. */
  readonly onLine?: boolean;
  readonly write: (text: string, random: Random) => string;
}

/**
 * One layer for each template. In a template `@C` stands for the text and `@Q` for the text as one quoted word. `@S` is a
 * quoted substitution of the text, and `@I` is a quoted element of an array whose index has that substitution.
 * `@V(NAME)` and `@W(NAME)` are `@Q` and `@S` for an exported variable: a shell that the text starts has to run without it.
 */
export function layersOf(
  takes: Piece["kind"],
  gives: Piece["kind"],
  templates: Readonly<Record<string, string>>,
  onLine = false,
): Layer[] {
  return Object.entries(templates).map(([name, template]) => {
    const write = (text: string, random: Random): string =>
      template.replace(/@[CQSI]|@([VW])\((\w+)\)/g, (sign, kind?: string, name?: string) => {
        if (sign === "@C") return text;
        const once = name === undefined ? text : `unset ${name}\n${text}`;
        const substitution = `$(${once}\n)`;
        if (sign === "@I") return quoted(`b[${substitution}0]`, random);
        return quoted(sign === "@S" || kind === "W" ? substitution : once, random);
      });
    return { name, takes, gives, onLine, write };
  });
}

/** The text as one word, in one of the ways that Bash has. */
export function quoted(text: string, random: Random): string {
  const single = `'${text.replaceAll("'", "'\\''")}'`;
  const double = `"${text.replace(/["$`\\]/g, "\\$&")}"`;
  const ansi = `$'${text.replace(/['\\]/g, "\\$&").replaceAll("\n", "\\n")}'`;
  return random.of([single, single, single, double, double, ansi]);
}
