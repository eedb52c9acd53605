import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";

/** An agent's name for a tool. */
export interface ToolAlias {
  /** The canonical name: the name of Claude Code's tool that does the same work. */
  readonly tool: string;
  /** Fields of the input with other names. The table maps the agent's name to the canonical name. */
  readonly fields?: Readonly<Record<string, string>>;
}

const NONE: readonly string[] = Object.freeze([]);

/**
 * An agent's names for tools and for the fields of their inputs, with conversion in both directions. A guard judges
 * `Bash` by its `command`, whatever names the agent uses.
 *
 * Fields are swapped rather than renamed. If a model adds a decoy field with the canonical name, the guard still sees
 * the value that the tool uses. No value is lost, and converting back gives the same input.
 */
export class ToolAliases {
  readonly #byAgentName: ReadonlyMap<string, ToolAlias>;
  readonly #agentName: ReadonlyMap<string, string>;
  /** All names of each tool, by each of its names. */
  readonly #spellings = new Map<string, readonly string[]>();

  /** `table` is keyed by the agent's names. If names share a canonical name, the first name converts back. */
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

  /** Returns the canonical name for the agent's name. A name without an alias is returned unchanged. */
  canonicalTool(name: string): string {
    return this.#byAgentName.get(name)?.tool ?? name;
  }

  /** Returns the agent's name for the canonical name. */
  agentTool(name: string): string {
    return this.#agentName.get(name) ?? name;
  }

  /** Returns all names of a tool, given one of the names. */
  readonly spellings = (name: string): readonly string[] => this.#spellings.get(name) ?? NONE;

  /** Converts the tool fields of a payload from the agent's names to canonical names. */
  canonicalFields(payload: JsonObject): JsonObject {
    const { tool_name: name, tool_input: input } = payload;
    const alias = typeof name === "string" ? this.#byAgentName.get(name) : undefined;
    if (alias === undefined) return payload;
    return withTool(payload, alias.tool, isJsonObject(input) ? exchanged(input, alias.fields) : input);
  }

  /** Converts the tool fields of a canonical payload to the agent's names. */
  agentFields(payload: JsonObject): JsonObject {
    const { tool_name: name, tool_input: input } = payload;
    const agentName = typeof name === "string" ? this.#agentName.get(name) : undefined;
    if (agentName === undefined) return payload;
    return withTool(payload, agentName, isJsonObject(input) ? this.exchangedInput(name, input) : input);
  }

  /**
   * Swaps the field names of an input of the canonical tool, in either direction. Also works for a part of an input.
   */
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
