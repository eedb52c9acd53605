import { contractOf } from "../../events/lookup.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import type { Handler, McpServer, Rule } from "../../rule.ts";
import { AGENT_TOKENS, askingFields, MODEL_TOKENS, MOST_TURNS } from "../asking-handlers.ts";
import { timeKeyOf } from "../default-timeout.ts";
import type { ConfigSettings, ConfigWriter, WriteContext } from "../dialect.ts";
import { givenName } from "../rule-name.ts";
import { usualLimits } from "../shipped-guards.ts";
import { GroupedHooks } from "../write-groups.ts";
import { httpFields } from "../write-hook.ts";
import { type Fate, hasStrictness, withoutUndefined } from "../writing.ts";
import { defaultAnswers } from "./default-answers.ts";
import { writeGrants } from "./grants/write-grants.ts";
import { ANSWER_OF } from "./handlers.ts";

/** Writes rules of any dialect as a `hookbox.json`. Hooks of an agent keep its format through `speaks`. */
export const hookboxWriter: ConfigWriter = { keepsPriority: true, write };

const MIB = 1_048_576;

function write(rules: readonly Rule[], context: WriteContext): ReturnType<ConfigWriter["write"]> {
  const groups = new GroupedHooks(["hooks"]);
  const fates = rules.map((rule): Fate => {
    const handler = handlerFields(rule.handler, context);
    if (handler === undefined) return { refused: "a function of a program cannot be written to a file" };
    const speaks = rule.dialect === "hookbox" || !SPEAKING.includes(rule.handler.type) ? {} : { speaks: rule.dialect };
    const hook = { ...handler, ...speaks, ...commonFields(rule, context) };
    const matcher = rule.matcher === undefined ? {} : { matcher: rule.matcher };
    return { paths: [groups.add(rule.event, matcher, hook)], remarks: [] };
  });
  return { value: { ...settingsFields(context.settings), hooks: groups.value }, fates };
}

const SPEAKING: readonly string[] = ["command", "http", "model", "agent", "mcp_tool", "builtin"];

function handlerFields(handler: Handler, { defaults, baseDir }: WriteContext): JsonObject | undefined {
  switch (handler.type) {
    case "command":
      return withoutUndefined({
        type: "command",
        command: handler.command,
        args: handler.args,
        shell: handler.shell,
        env: handler.env,
        workingDir: handler.workingDir,
      });
    case "http":
      return { ...httpFields(handler), ...(handler.network === "private" ? { allowPrivate: true } : {}) };
    case "context":
      return { type: "context", text: handler.text, ...(handler.fillsUserMessage ? { fillsUserMessage: true } : {}) };
    case "wasm": {
      const { limits } = handler;
      const usual = usualLimits(handler.module, defaults);
      const set = <Value>(value: Value, other: Value): Value | undefined => (value === other ? undefined : value);
      const own = withoutUndefined({
        memoryMiB: set(limits.memoryBytes / MIB, usual.memoryBytes / MIB),
        fuel: set(limits.fuel, usual.fuel),
        fuelPerInputByte: set(limits.fuelPerInputByte, usual.fuelPerInputByte),
        depth: set(limits.depth, usual.depth),
        outputBytes: set(limits.outputBytes, usual.outputBytes),
      });
      return withoutUndefined({
        type: "wasm",
        module: handler.module,
        sha256: handler.sha256,
        function: set(handler.function, "handle"),
        config: Object.keys(handler.config).length === 0 ? undefined : handler.config,
        grants: writeGrants(handler.grants, baseDir),
        limits: Object.keys(own).length === 0 ? undefined : own,
      });
    }
    case "model":
    case "agent":
    case "mcp_tool":
      return { ...(askingFields(handler) ?? goModelFields(handler)), ...boundsOf(handler) };
    case "builtin":
      return withoutUndefined({
        type: "function",
        run: `builtin:${handler.name}`,
        args: handler.args.length === 0 ? undefined : handler.args,
        env: handler.env,
        workingDir: handler.workingDir,
        allowPrivate: handler.network === "private" ? true : undefined,
      });
    default:
      return undefined;
  }
}

/** Returns the fields of a model hook that Claude Code's `prompt` type cannot express. */
function goModelFields(handler: Handler): JsonObject {
  if (handler.type !== "model") return {};
  const { model, prompt, answer, continueOnBlock } = handler;
  const schema = Object.entries(ANSWER_OF).find(([, form]) => form === answer)?.[0];
  return withoutUndefined({
    type: "model",
    model,
    prompt,
    schema,
    continueOnBlock: continueOnBlock ? true : undefined,
  });
}

/** Returns the fields of an asking hook that only hookbox's format has. */
function boundsOf(handler: Handler): JsonObject {
  if (handler.type !== "model" && handler.type !== "agent") return {};
  const usual = handler.type === "model" ? MODEL_TOKENS.usual : AGENT_TOKENS.usual;
  return withoutUndefined({
    redact: handler.redacts ? undefined : false,
    maxTokens: handler.maxTokens === usual ? undefined : handler.maxTokens,
    maxTurns: handler.type === "agent" && handler.maxTurns !== MOST_TURNS ? handler.maxTurns : undefined,
  });
}

function commonFields(rule: Rule, { defaults }: WriteContext): JsonObject {
  const { handler, timeoutMs, once } = rule;
  const usualMs = defaults[timeKeyOf(handler.type)];
  const time = Number.isInteger(timeoutMs) ? { timeoutMs } : { timeout: timeoutMs / 1_000 };
  return withoutUndefined({
    name: givenName(rule),
    if: rule.condition,
    filter: rule.filter as JsonObject | undefined,
    ...(timeoutMs === usualMs ? {} : time),
    onFailure: rule.onFailure,
    mode: rule.mode === "enforce" ? undefined : rule.mode,
    may: isDefault(rule) ? undefined : rule.may,
    priority: rule.priority === 0 ? undefined : rule.priority,
    async: rule.async && rule.rewakes !== true ? true : undefined,
    asyncRewake: rule.rewakes === true ? true : undefined,
    lane: rule.lane,
    once: once === "session" ? true : once,
    strict: rule.strict === true && hasStrictness(handler) ? true : undefined,
  });
}

function isDefault({ may, handler, event }: Rule): boolean {
  const usual = defaultAnswers(handler, contractOf(event, "hookbox"));
  return may.length === usual.length && may.every((answer, index) => answer === usual[index]);
}

/** Returns the settings. `pluginHooksOnly` is not written, because hookbox's format has no setting for it. */
function settingsFields({
  defaults = {},
  pluginHooksOnly: _,
  mcpServers,
  exceptions,
  ...settings
}: ConfigSettings): JsonObject {
  const section = (fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject | undefined => {
    const set = withoutUndefined(fields);
    return Object.keys(set).length === 0 ? undefined : set;
  };
  const memory = defaults.wasmMemoryBytes;
  return withoutUndefined({
    ...(settings as JsonObject),
    exceptions: exceptions?.map(({ place: _, ...exception }) => exception as JsonObject),
    mcpServers: mcpServers === undefined ? undefined : mapValues(mcpServers, serverFields),
    defaults: section({
      command: section({ timeoutMs: defaults.commandTimeoutMs }),
      model: section({ timeoutMs: defaults.modelTimeoutMs }),
      agent: section({ timeoutMs: defaults.agentTimeoutMs }),
      event: section({ patienceMs: defaults.eventPatienceMs }),
      wasm: section({
        timeoutMs: defaults.wasmTimeoutMs,
        memoryMiB: memory === undefined ? undefined : memory / MIB,
        fuel: defaults.wasmFuel,
        fuelPerInputByte: defaults.wasmFuelPerInputByte,
      }),
    }),
  });
}

function serverFields(server: McpServer): JsonObject {
  if (server.kind === "stdio") {
    const { command, args, env, workingDir } = server;
    return { command, args, env, workingDir };
  }
  const { url, headers, network } = server;
  return { type: "http", url, headers, ...(network === "private" ? { allowPrivate: true } : {}) };
}

function mapValues<Value>(all: Readonly<Record<string, Value>>, change: (value: Value) => JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(all).map(([key, value]) => [key, change(value)]));
}
