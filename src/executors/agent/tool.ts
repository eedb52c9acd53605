import type { JsonObject, JsonValue } from "../../json.ts";
import { isJsonObject } from "../../json.ts";
import type { ModelTool } from "../../models/model.ts";
import type { StopSignal } from "../../stop-signal.ts";
import type { ConfinedFolder } from "./confined-folder.ts";

/** A tool with which a model may read the folder. */
export interface FolderTool extends ModelTool {
  readonly fields: Readonly<Record<string, Field>>;
  /** Runs the tool. `input` matches the fields. */
  run(input: JsonObject, place: ToolPlace): Promise<ToolResult>;
}

export interface ToolPlace {
  readonly folder: ConfinedFolder;
  readonly redacts: boolean;
  readonly stop: StopSignal;
}

export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}

/** The maximum length of a result for the model, in UTF-16 units. */
export const MAX_RESULT_LENGTH = 40_000;

export function wrong(text: string): ToolResult {
  return { text, isError: true };
}

type FieldKind = "string" | "text" | "line" | "flag";
const KINDS: Readonly<
  Record<FieldKind, { readonly words: string; readonly schema: JsonObject; is(value: JsonValue): boolean }>
> = {
  string: {
    words: "a text that is not empty",
    schema: { type: "string" },
    is: (value) => typeof value === "string" && value !== "",
  },
  text: { words: "a text", schema: { type: "string" }, is: (value) => typeof value === "string" },
  flag: { words: "true or false", schema: { type: "boolean" }, is: (value) => typeof value === "boolean" },
  line: {
    words: "a whole number from 1 on",
    schema: { type: "integer", minimum: 1 },
    is: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
  },
};

export interface Field {
  readonly kind: FieldKind;
  readonly required?: true;
  readonly description: string;
}

/** Returns the JSON Schema of an object with exactly these fields. */
export function schemaOf(fields: Readonly<Record<string, Field>>): JsonObject {
  const names = Object.keys(fields);
  return {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, { kind, description }]) => [name, { ...KINDS[kind].schema, description }]),
    ),
    required: names.filter((name) => fields[name]?.required),
    additionalProperties: false,
  };
}

/** Returns the problem with an input, for the model, or `undefined`. */
export function problemWithInput(input: JsonValue, fields: Readonly<Record<string, Field>>): string | undefined {
  if (!isJsonObject(input)) return "the input is not an object";
  for (const name of Object.keys(input)) {
    if (!Object.hasOwn(fields, name))
      return `the input has a field "${name.slice(0, 50)}" that this tool does not take`;
  }
  for (const [name, { kind, required }] of Object.entries(fields)) {
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    if (value === undefined && !required) continue;
    if (value === undefined || !KINDS[kind].is(value)) return `"${name}" has to be ${KINDS[kind].words}`;
  }
  return undefined;
}
