import { isDeepStrictEqual } from "node:util";
import { agentInput, canonicalToolFields } from "../../dialects/autohand/tools.ts";
import type { PendingToolCall, ToolCallHost, ToolCallResult } from "../../engine/tool-call-host.ts";
import type { Engine } from "../../engine.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";

/** A tool call with Autohand's names, for `engine.toolCall`. */
export interface AutohandTool {
  readonly tool: string;
  readonly args: JsonObject;
  readonly id?: string;
}

/** The callbacks of the agent for a tool call. Tools and inputs have Autohand's names and include all rewrites. */
export interface AutohandToolHost extends ToolCallHost {
  /** Called with the text that hooks add to the conversation, after all hooks answered. */
  readonly onContext?: (text: string) => void;
}

export async function runTool(
  engine: Engine,
  { tool, args, id }: AutohandTool,
  host: AutohandToolHost,
  base: JsonObject,
  schema: JsonObject | undefined,
): Promise<ToolCallResult> {
  const canonical = canonicalToolFields({ tool_name: tool, tool_input: args });
  const toolName = canonical["tool_name"] as string;
  const input = canonical["tool_input"] as JsonObject;
  const spoken = (given: JsonObject): JsonObject => agentInput(toolName, given);
  const theirs = <Call extends PendingToolCall>(call: Call): Call => ({
    ...call,
    toolName: tool,
    input: spoken(call.input),
  });

  const result = await engine.toolCall(
    { toolName, input, ...(id === undefined ? {} : { toolUseId: id }), payload: base },
    {
      ...(host.signal === undefined ? {} : { signal: host.signal }),
      ...(host.nonInteractive === undefined ? {} : { nonInteractive: host.nonInteractive }),
      policy: async (call) => {
        const asked = theirs(call);
        const problem = isDeepStrictEqual(asked.input, args) ? undefined : problemIn(asked.input, schema);
        if (problem !== undefined) {
          const reason = `a hook changed the input to one that the schema of ${tool} does not allow: ${problem}`;
          return { decision: "deny", source: "rule", label: "updated_input_deny", reason };
        }
        return host.policy === undefined ? { decision: "ask", source: "mode" } : host.policy(asked);
      },
      ...(host.askUser === undefined ? {} : { askUser: (question) => host.askUser?.(theirs(question)) ?? "deny" }),
      grant: (grant) => host.grant?.({ ...grant, toolName: tool, input: spoken(grant.input) }),
      execute: (approved, options) => host.execute(spoken(approved), options),
    },
  );
  for (const text of result.contexts) host.onContext?.(text);
  return { ...result, input: spoken(result.input) };
}

/**
 * Checks a value against a tool's schema. Returns the first problem, or `undefined`. Supports the parts of JSON Schema
 * that tools use: types, enums, required and known fields, items. An object with listed fields allows no others, unless
 * the schema allows them.
 */
function problemIn(
  value: JsonValue | undefined,
  schema: JsonValue | undefined,
  where = "the input",
): string | undefined {
  if (!isJsonObject(schema)) return undefined;
  const { type, enum: options, properties, required, items, additionalProperties } = schema;
  const types = [type ?? []].flat();
  if (types.length > 0 && !types.some((one) => isOfType(value, one))) {
    return `${where} must be of type ${types.join(" or ")}`;
  }
  if (Array.isArray(options) && !options.some((option) => isDeepStrictEqual(option, value))) {
    return `${where} must be one of ${JSON.stringify(options)}`;
  }
  if (Array.isArray(value)) {
    return first(value.map((item: JsonValue, index) => problemIn(item, items, `${where}[${index}]`)));
  }
  if (!isJsonObject(value)) return undefined;
  const missing = Array.isArray(required) ? required.find((key) => !Object.hasOwn(value, String(key))) : undefined;
  if (missing !== undefined) return `${where} has no field "${String(missing)}"`;
  if (!isJsonObject(properties)) return undefined;
  return first(
    Object.entries(value).map(([key, field]) => {
      if (Object.hasOwn(properties, key)) return problemIn(field, properties[key], `${where}.${key}`);
      if (isJsonObject(additionalProperties)) return problemIn(field, additionalProperties, `${where}.${key}`);
      return additionalProperties === true ? undefined : `${where} may not have a field "${key}"`;
    }),
  );
}

function isOfType(value: JsonValue | undefined, type: JsonValue): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  if (type === "null") return value === null;
  if (type === "object") return isJsonObject(value);
  return typeof value === type;
}

function first(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined);
}
