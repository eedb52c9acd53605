import { BrokenExecutor } from "../executors/broken/broken-executor.ts";
import { CommandExecutor } from "../executors/command/command-executor.ts";
import { ContextExecutor } from "../executors/context/context-executor.ts";
import type { Executor } from "../executors/executor.ts";
import { FunctionExecutor } from "../executors/function/function-executor.ts";
import { HttpExecutor } from "../executors/http/http-executor.ts";
import { LazyExecutor } from "../executors/lazy-executor.ts";
import { ExecutorRegistry } from "../executors/registry.ts";
import { WasmExecutor } from "../executors/wasm/wasm-executor.ts";
import { WatchedExecutor } from "../executors/watched-executor.ts";
import type { Models } from "../models/models.ts";
import type { HandlerType } from "../rule.ts";
import type { EngineOptions } from "./options.ts";

/**
 * Creates the executors of an engine. Model clients are loaded on demand, because most processes that serve one event
 * use no model.
 */
export function createExecutors(options: EngineOptions, cacheDir: string | false): ExecutorRegistry {
  let asked: Promise<Models> | undefined;
  const models = (): Promise<Models> => {
    asked ??= import("../models/models.ts").then(({ Models }) => new Models({ functions: options.models }));
    return asked;
  };
  const onDemand = options.prepare === "on-demand";
  const guards = new WatchedExecutor(
    new WasmExecutor({
      ...options.sandbox,
      cacheDir,
      stateStore: options.stateStore,
      stateFolder: options.stateFolder === false ? undefined : options.stateFolder,
      servesOneEvent: onDemand,
      triesHereFirst: onDemand || options.prepare === "later",
      testsLater: options.testsLater,
      onHungThreads: options.onHungThreads,
    }),
  );
  // Waits for the guards first. On a busy machine, loading a provider's client takes longer than a guard has to answer.
  const afterGuards = (type: HandlerType, load: () => Promise<Executor>): Executor =>
    new LazyExecutor(type, load, () => guards.settled());
  return new ExecutorRegistry(
    [
      new BrokenExecutor(),
      new CommandExecutor({ handOver: options.handOver }),
      new HttpExecutor(),
      new ContextExecutor(),
      new FunctionExecutor(),
      guards,
      afterGuards("model", async () => {
        const { ModelExecutor } = await import("../executors/model/model-executor.ts");
        return new ModelExecutor(await models());
      }),
      afterGuards("agent", async () => {
        const { AgentExecutor } = await import("../executors/agent/agent-executor.ts");
        return new AgentExecutor(await models());
      }),
      afterGuards("mcp_tool", async () => {
        const { McpToolExecutor } = await import("../executors/mcp/mcp-tool-executor.ts");
        return new McpToolExecutor({}, options.askServers);
      }),
      afterGuards("builtin", async () => {
        const { BuiltinExecutor } = await import("../executors/builtin/builtin-executor.ts");
        return new BuiltinExecutor(await models(), { outlivedBySessions: onDemand });
      }),
    ],
    async () => (await asked)?.close(),
  );
}
