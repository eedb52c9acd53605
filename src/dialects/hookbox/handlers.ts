import type { z } from "zod";
import type { Grants, WasmLimits } from "../../grants.ts";
import type { JsonObject } from "../../json.ts";
import type { Handler, ModelAnswerForm } from "../../rule.ts";
import { agentHandler, judgeHandler, MODEL_TOKENS, mcpToolHandler } from "../asking-handlers.ts";
import type { ParseContext } from "../dialect.ts";
import type { HandlerIn } from "../handler-format.ts";
import { builtinName, usualLimits } from "../shipped-guards.ts";
import { networkFor, webHook } from "../web-hook-network.ts";
import type { FileOrigin } from "./grants/place.ts";
import { readGrants } from "./grants/read-grants.ts";
import type { HOOKBOX_HANDLERS } from "./schema.ts";

/** Converts a validated hook of a `hookbox.json` to a handler. */

const MIB = 1_048_576;

type Own<Type extends keyof typeof HOOKBOX_HANDLERS> = z.infer<z.ZodObject<(typeof HOOKBOX_HANDLERS)[Type]>>;
export type OwnHook = HandlerIn<typeof HOOKBOX_HANDLERS>;

const MAKERS: { [Type in OwnHook["type"]]: (hook: Own<Type>, context: ParseContext) => Handler } = {
  command: (hook) => ({
    type: "command",
    command: hook.command,
    ...(hook.args === undefined ? {} : { args: hook.args }),
    ...(hook.shell === undefined ? {} : { shell: hook.shell }),
    ...(hook.env === undefined ? {} : { env: hook.env }),
    ...(hook.workingDir === undefined ? {} : { workingDir: hook.workingDir }),
  }),
  http: (hook, { layer }) => webHook(hook, networkFor(layer, hook.allowPrivate === true)),
  context: (hook) => ({ type: "context", text: hook.text, fillsUserMessage: hook.fillsUserMessage === true }),
  function: functionHandler,
  wasm: (hook, { defaults, layer, baseDir }) => ({
    type: "wasm",
    module: hook.module,
    ...(hook.sha256 === undefined ? {} : { sha256: hook.sha256 }),
    function: hook.function ?? "handle",
    config: (hook.config ?? {}) as JsonObject,
    limits: limitsOf(hook, defaults),
    ...grantsOf(hook, { layer, baseDir }),
  }),
  prompt: (hook) => judgeHandler(hook, hook),
  agent: (hook) => agentHandler(hook, hook),
  mcp_tool: (hook) => mcpToolHandler(hook),
  model: (hook) => ({
    type: "model",
    model: hook.model,
    prompt: hook.prompt,
    template: "go",
    answer: hook.schema === undefined ? "text" : ANSWER_OF[hook.schema],
    continueOnBlock: hook.continueOnBlock === true,
    redacts: hook.redact !== false,
    maxTokens: hook.maxTokens ?? MODEL_TOKENS.usual,
  }),
};

function limitsOf({ module, limits = {} }: Own<"wasm">, defaults: ParseContext["defaults"]): WasmLimits {
  const { memoryMiB, fuel, fuelPerInputByte, depth, outputBytes } = limits;
  const usual = usualLimits(module, defaults);
  return {
    memoryBytes: memoryMiB === undefined ? usual.memoryBytes : memoryMiB * MIB,
    fuel: fuel ?? usual.fuel,
    fuelPerInputByte: fuelPerInputByte ?? usual.fuelPerInputByte,
    depth: depth ?? usual.depth,
    outputBytes: outputBytes ?? usual.outputBytes,
  };
}

/** Problems with the grants are reported with the hook's other problems, and then the hook does not load. */
function grantsOf({ grants: written }: Own<"wasm">, file: FileOrigin): { readonly grants?: Grants } {
  const { grants } = readGrants(written, file);
  return grants === undefined ? {} : { grants };
}

export function handlerOf(hook: OwnHook, context: ParseContext): Handler {
  return (MAKERS[hook.type] as (hook: OwnHook, context: ParseContext) => Handler)(hook, context);
}

/** Maps the `schema` in a file to the form of a model's answer. Text answers have no schema. */
export const ANSWER_OF = { ok: "ok", pre_tool_use_decision: "decision" } as const satisfies Readonly<
  Record<string, ModelAnswerForm>
>;

/** Returns the handler of a built-in hook. Only code can pass a function; a file can name a built-in hook. */
function functionHandler(hook: Own<"function">, { layer }: ParseContext): Handler {
  const { run, args = [], env, workingDir } = hook;
  if (typeof run === "function") return { type: "function", run };
  return {
    type: "builtin",
    name: builtinName(run) ?? run,
    args,
    ...(env === undefined ? {} : { env }),
    ...(workingDir === undefined ? {} : { workingDir }),
    network: networkFor(layer, hook.allowPrivate === true),
  };
}
