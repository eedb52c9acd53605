import { isJsonObject, type JsonObject, type JsonValue } from "../event.ts";

/** A tool as an agent has it. */
export interface ToolAlias {
  /** The canonical name: that of Claude Code's tool which does the same. */
  readonly tool: string;
  /** Fields of the input that have another name there: the agent's -> the canonical one. */
  readonly fields?: Readonly<Record<string, string>>;
}

const NONE: readonly string[] = Object.freeze([]);

/**
 * An agent's names for tools and for the fields of their inputs, both ways. A guard judges `Bash` by its `command`,
 * whatever the agent calls the two.
 *
 * Fields are exchanged rather than renamed: where a model adds a field with the canonical name as a decoy, the guard
 * still sees what the tool goes by, nothing is lost, and the way back leads to the same input.
 */
export class ToolAliases {
  readonly #byAgentName: ReadonlyMap<string, ToolAlias>;
  readonly #agentName: ReadonlyMap<string, string>;
  /** By each name of a tool: all of its names. */
  readonly #spellings = new Map<string, readonly string[]>();

  /** By the agent's name. Of two with the same canonical name, the first stands for it on the way back. */
  constructor(table: Readonly<Record<string, ToolAlias>>) {
    const entries = Object.entries(table);
    this.#byAgentName = new Map(entries);
    this.#agentName = new Map(entries.map(([name, { tool }]) => [tool, name] as const).reverse());
    const named = new Map<string, string[]>();
    for (const [name, { tool }] of entries) named.set(tool, [...(named.get(tool) ?? [tool]), name]);
    for (const names of named.values()) {
      Object.freeze(names);
      for (const name of names) if (this.canonicalTool(name) === names[0]) this.#spellings.set(name, names);
    }
  }

  /** The agent's name -> the canonical one. A name that has no other stays. */
  canonicalTool(name: string): string {
    return this.#byAgentName.get(name)?.tool ?? name;
  }

  /** The canonical name -> the agent's. */
  agentTool(name: string): string {
    return this.#agentName.get(name) ?? name;
  }

  /** All names of a tool, given one of them. */
  readonly spellings = (name: string): readonly string[] => this.#spellings.get(name) ?? NONE;

  /** The tool's fields of a payload in the agent's words -> the same in canonical ones. */
  canonicalFields(payload: JsonObject): JsonObject {
    const { tool_name: name, tool_input: input } = payload;
    const alias = typeof name === "string" ? this.#byAgentName.get(name) : undefined;
    if (alias === undefined) return payload;
    return withTool(payload, alias.tool, isJsonObject(input) ? exchanged(input, alias.fields) : input);
  }

  /** The tool's fields of a canonical payload -> the same in the agent's words. */
  agentFields(payload: JsonObject): JsonObject {
    const { tool_name: name, tool_input: input } = payload;
    const agentName = typeof name === "string" ? this.#agentName.get(name) : undefined;
    if (agentName === undefined) return payload;
    return withTool(payload, agentName, isJsonObject(input) ? this.exchangedInput(name, input) : input);
  }

  /** An input of the canonical tool, in either words -> in the other ones. Holds for a part of an input as well. */
  exchangedInput(canonicalTool: unknown, input: JsonObject): JsonObject {
    const agentName = typeof canonicalTool === "string" ? this.#agentName.get(canonicalTool) : undefined;
    return agentName === undefined ? input : exchanged(input, this.#byAgentName.get(agentName)?.fields);
  }
}

function withTool(payload: JsonObject, name: string, input: JsonValue | undefined): JsonObject {
  return { ...payload, tool_name: name, ...(input === undefined ? {} : { tool_input: input }) };
}

function exchanged(input: JsonObject, fields: ToolAlias["fields"]): JsonObject {
  if (fields === undefined) return input;
  const partner = new Map(
    Object.entries(fields).flatMap(([one, other]) => [[one, other] as const, [other, one] as const]),
  );
  const entries = Object.entries(input).map(([key, value]): [string, JsonValue] => [partner.get(key) ?? key, value]);
  return Object.fromEntries(entries);
}
