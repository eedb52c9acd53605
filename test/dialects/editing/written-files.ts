import { stringify } from "yaml";
import type { JsonValue } from "../../../src/json.ts";
import fc from "../../helpers/fc.ts";

/** Files in forms that people write: comments, indentation, trailing commas, line breaks, one line or many. */

export interface WrittenFile {
  readonly file: string;
  readonly text: string;
}

const hook = fc.record(
  {
    type: fc.constant("command"),
    command: fc.constantFrom("./a.sh", 'echo "{x}, [y]" # no remark', "b // c", "true", "printf '%s\\n' \"$X\""),
    timeout: fc.integer({ min: 1, max: 60 }),
    args: fc.array(fc.constantFrom("-v", "a, b", "]"), { maxLength: 2 }),
  },
  { requiredKeys: ["type", "command"] },
);

const group = fc.record(
  { matcher: fc.constantFrom("Bash", "Write|Edit", "*"), hooks: fc.array(hook, { minLength: 1, maxLength: 3 }) },
  { requiredKeys: ["hooks"] },
);

const groups = fc.array(group, { minLength: 1, maxLength: 3 });

const hooksFile = fc.record(
  {
    hooks: fc.record({ PreToolUse: groups, PostToolUse: groups, Stop: groups }, { requiredKeys: ["PreToolUse"] }),
    model: fc.constantFrom("large", "small"),
    permissions: fc.record({ allow: fc.array(fc.constantFrom("Bash(ls:*)", "Read"), { maxLength: 2 }) }),
  },
  { requiredKeys: ["hooks"] },
);

interface Habits {
  readonly unit: string;
  readonly newline: string;
  readonly bom: boolean;
  readonly trailingCommas: boolean;
  readonly endsWithLine: boolean;
  /** One for each place where a comment could be; most are empty. */
  readonly remarks: readonly number[];
}

const habits = fc.record<Habits>({
  unit: fc.constantFrom("  ", "    ", "\t", ""),
  newline: fc.constantFrom("\n", "\r\n"),
  bom: fc.boolean(),
  trailingCommas: fc.boolean(),
  endsWithLine: fc.boolean(),
  remarks: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 5, maxLength: 40 }),
});

export const jsonText = fc.tuple(hooksFile, habits).map(([value, ways]): WrittenFile => {
  let turn = 0;
  const remark = (): number => ways.remarks[turn++ % ways.remarks.length] ?? 0;
  const inLines = ways.unit !== "";
  const write = (item: JsonValue, indent: string): string => {
    if (typeof item !== "object" || item === null) return JSON.stringify(item);
    const isList = Array.isArray(item);
    const parts = isList
      ? item.map((one) => write(one, indent + ways.unit))
      : Object.entries(item).map(([key, one]) => `${JSON.stringify(key)}: ${write(one, indent + ways.unit)}`);
    const [open, close] = isList ? ["[", "]"] : ["{", "}"];
    if (parts.length === 0) return `${open}${close}`;
    if (!inLines) return `${open}${parts.join(", ")}${close}`;
    const lines = parts.map((part, index) => {
      const comma = index < parts.length - 1 || ways.trailingCommas ? "," : "";
      const said = remark();
      const above = said === 1 ? `${indent}${ways.unit}// above ${turn}, [1]${ways.newline}` : "";
      const beside = said === 2 ? ` // beside ${turn} }` : said === 3 ? ` /* after ${turn} */` : "";
      const within = said === 4 ? `/* before ${turn} */ ` : "";
      return `${above}${indent}${ways.unit}${within}${part}${comma}${beside}`;
    });
    return `${open}${ways.newline}${lines.join(ways.newline)}${ways.newline}${indent}${close}`;
  };
  const text = `${ways.bom ? "\ufeff" : ""}${write(value as unknown as JsonValue, "")}`;
  return { file: "hooks.json", text: ways.endsWithLine ? `${text}${ways.newline}` : text };
});

export const yamlText = fc
  .tuple(hooksFile, habits, fc.boolean())
  .map(([value, { newline, bom, endsWithLine, remarks }, indentSeq]): WrittenFile => {
    const lines = stringify(value, { lineWidth: 0, indentSeq }).trimEnd().split("\n");
    const said = lines.flatMap((line, index) => {
      const remark = remarks[index % remarks.length] ?? 0;
      const indent = /^ */.exec(line)?.[0] ?? "";
      const ending = remark === 2 && !/["']/.test(line) ? " # beside" : "";
      return remark === 1 ? [`${indent}# above, [${index}]`, `${line}${ending}`] : [`${line}${ending}`];
    });
    const text = `${bom ? "\ufeff" : ""}${said.join(newline)}`;
    return { file: "hooks.yaml", text: endsWithLine ? `${text}${newline}` : text };
  });
