import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { loadConfig } from "../../src/config/load.ts";
import { Engine } from "../../src/engine.ts";
import { AgentExecutor } from "../../src/executors/agent/agent-executor.ts";
import { BrokenExecutor } from "../../src/executors/broken/broken-executor.ts";
import { BuiltinExecutor } from "../../src/executors/builtin/builtin-executor.ts";
import { CommandExecutor } from "../../src/executors/command/command-executor.ts";
import { ContextExecutor } from "../../src/executors/context/context-executor.ts";
import { FunctionExecutor } from "../../src/executors/function/function-executor.ts";
import { HttpExecutor } from "../../src/executors/http/http-executor.ts";
import { McpToolExecutor } from "../../src/executors/mcp/mcp-tool-executor.ts";
import { ModelExecutor } from "../../src/executors/model/model-executor.ts";
import { ExecutorRegistry } from "../../src/executors/registry.ts";
import { WasmExecutor } from "../../src/executors/wasm/wasm-executor.ts";
import type { JsonObject } from "../../src/json.ts";
import { Models } from "../../src/models/models.ts";
import { runWithin } from "../../src/models/recursion.ts";
import type { Rule } from "../../src/rule.ts";
import type { Verdict } from "../../src/verdict.ts";
import { MCP_SERVER } from "../helpers/mcp-server.ts";
import { type StubModel, startStubModel } from "../helpers/stub-model.ts";
import { type FaultDialect, type FaultEvent, factsOf, fires } from "./expected-meaning.ts";
import type { Fault, FaultKit, HookEntry } from "./faults.ts";
import { answerBadly, FUNCTIONS } from "./faulty-model.ts";
import { closedPort, FaultyServer } from "./faulty-server.ts";

/** Faults that are caused for real: with processes, sockets, modules and threads. */

export interface Induced {
  readonly fault: Fault;
  readonly ruleDialect: FaultDialect;
  readonly eventDialect: FaultDialect;
  readonly event: FaultEvent;
  readonly rule: Rule;
  readonly verdict: Verdict;
}

/** The events at which a fault is tested: a gate, one where "no" means "go on", and an observer. */
export function inducedAt(fault: Fault, ruleDialect: FaultDialect, eventDialect: FaultDialect): readonly FaultEvent[] {
  if (fault.at !== undefined)
    return fault.at.filter((event) => fires(ruleDialect, event) && fires(eventDialect, event));
  if (fault.onlyAtGates?.includes(ruleDialect) === true) return ["PreToolUse"];
  return ["PreToolUse", "Stop", fires(eventDialect, "Notification") ? "Notification" : "PostToolUse"];
}

/** Agents' own names for these, if they have some. */
const AGENT_NAMES: Partial<Readonly<Record<FaultDialect, Partial<Readonly<Record<FaultEvent, string>>>>>> = {
  "docker-agent": {
    PreToolUse: "pre_tool_use",
    Stop: "stop",
    Notification: "notification",
    PostToolUse: "post_tool_use",
    UserPromptSubmit: "user_prompt_submit",
    BeforeModelCall: "before_llm_call",
  },
  autohand: { PreToolUse: "pre-tool", Stop: "stop", Notification: "notification", PostToolUse: "post-tool" },
};

const TOO_SLOW_MS = 150;
/** For hooks that fail for another reason, on a machine of any load. */
const PATIENT_MS = 30_000;
const GIVES_UP_AFTER_MS = 60;
/** The timeouts of docker-agent and of Agentao are whole seconds. */
const SECOND_MS = 1_000;

type Needs = NonNullable<Fault["needs"]> | "usual";

/** A server that dies on purpose must do so each time. */
const MCP_LIMITS = { killGraceMs: 100, restarts: 1_000, pingMs: 20_000 } as const;

export class FaultRunner {
  readonly kit: FaultKit;
  readonly #stub: StubModel;
  readonly #models = new Models({ functions: FUNCTIONS, environment: {} });
  readonly #executors: Readonly<Record<Needs, ExecutorRegistry>>;
  readonly #searchPath = process.env["PATH"];
  #files = 0;

  private constructor(kit: FaultKit, stub: StubModel) {
    this.kit = kit;
    this.#stub = stub;
    const models = this.#models;
    const asking = [
      new ModelExecutor(models),
      new AgentExecutor(models),
      new McpToolExecutor(MCP_LIMITS),
      new BuiltinExecutor(models, { dataFolder: join(kit.folder, "data"), spillRoot: join(kit.folder, "results") }),
    ];
    const registry = (command: CommandExecutor, wasm: WasmExecutor): ExecutorRegistry =>
      new ExecutorRegistry([
        new BrokenExecutor(),
        command,
        new HttpExecutor(),
        new ContextExecutor(),
        new FunctionExecutor(),
        wasm,
        ...asking,
      ]);
    const usual = registry(new CommandExecutor(), new WasmExecutor({ threads: 2 }));
    this.#executors = {
      usual,
      "to be within a hook": usual,
      "no room for detached hooks": registry(new CommandExecutor({ maxDetached: 0 }), new WasmExecutor()),
      "a full queue": registry(new CommandExecutor(), new WasmExecutor({ threads: 1, maxQueue: 0 })),
    };
  }

  static async open(): Promise<FaultRunner> {
    const folder = mkdtempSync(join(tmpdir(), "hookbox-faults-"));
    const kit = { folder, server: await FaultyServer.open(), closedPort: await closedPort() };
    const stub = await startStubModel(answerBadly);
    writeFileSync(join(folder, SETTINGS), JSON.stringify(settingsOf(kit, stub)));
    // A repository to be read, and a git that never ends.
    execFileSync("git", ["init", "--quiet", folder]);
    mkdirSync(join(folder, "bin"));
    writeFileSync(join(folder, "bin/git"), "#!/bin/sh\nexec sleep 30\n", { mode: 0o755 });
    process.env["PATH"] = `${join(folder, "bin")}${delimiter}${process.env["PATH"]}`;
    return new FaultRunner(kit, stub);
  }

  async close(): Promise<void> {
    process.env["PATH"] = this.#searchPath;
    await Promise.all(Object.values(this.#executors).map((executors) => executors.close()));
    await this.#models.close();
    await this.#stub.close();
    await this.kit.server.close();
    rmSync(this.kit.folder, { recursive: true, force: true });
  }

  /** Causes the fault at one event of each category, and returns the engine's result without another rule. */
  async induce(fault: Fault, ruleDialect: FaultDialect, eventDialect: FaultDialect): Promise<readonly Induced[]> {
    const events = inducedAt(fault, ruleDialect, eventDialect);
    const engine = await this.open(fault, ruleDialect, eventDialect, events);
    const ask = async (event: FaultEvent): Promise<Induced> => ({
      fault,
      ruleDialect,
      eventDialect,
      event,
      rule: engine.rules.find((one) => one.event === event) as Rule,
      verdict: await this.#ask(engine, fault, event),
    });
    return fault.needs === "a full queue" ? sequence(events, ask) : Promise.all(events.map(ask));
  }

  /** The caller must not close the engine, because it shares its executors with others. */
  async open(
    fault: Fault,
    ruleDialect: FaultDialect,
    eventDialect: FaultDialect,
    events: readonly FaultEvent[],
    more: HookEntry = {},
  ): Promise<Engine> {
    const { folder } = this.kit;
    const bare = fault.hook(this.kit, ruleDialect);
    // Its own files have no web hooks, and a file of hookbox's own format may have one in its dialect.
    const isSpoken = bare["type"] === "http" && ruleDialect === "autohand";
    const file = isSpoken ? "hookbox" : ruleDialect;
    const hook: HookEntry = { ...named(fault, file), ...(isSpoken ? { speaks: ruleDialect } : {}), ...bare, ...more };
    const config = configOf(file, hook, events);
    this.#files += 1;
    const name = `faults-${this.#files}.json`;
    const isCode = typeof hook["run"] === "function";
    if (!isCode) writeFileSync(join(folder, name), JSON.stringify(config));
    const settings = { file: SETTINGS, layer: "user", dialect: "hookbox" } as const;
    const modelFunctions = Object.keys(FUNCTIONS);
    const loaded = isCode
      ? await loadConfig([], [{ name, value: config, layer: "session", baseDir: folder }], folder)
      : await loadConfig([settings, { file: name, layer: "user", dialect: file }], [], folder, { modelFunctions });
    return new Engine(loaded, this.#executors[fault.needs ?? "usual"], {
      dialect: eventDialect,
      cwd: folder,
      cache: undefined,
    });
  }

  async #ask(engine: Engine, fault: Fault, event: FaultEvent): Promise<Verdict> {
    const payload = payloadOf(event, fault.payload, this.kit.folder);
    if (fault.needs === "to be within a hook") return runWithin(() => engine.dispatch(event, payload));
    if (fault.cancels === "before") return engine.dispatch(event, payload, { signal: AbortSignal.abort() });
    if (fault.cancels === "meanwhile") {
      const controller = new AbortController();
      const asked = engine.dispatch(event, payload, { signal: controller.signal });
      await sleep(GIVES_UP_AFTER_MS);
      controller.abort();
      return asked;
    }
    if (fault.needs !== "a full queue") return engine.dispatch(event, payload);
    // Loads the module, so that two calls meet in the pool, which has one place.
    await engine.prepare();
    const [, second] = await Promise.all([engine.dispatch(event, payload), engine.dispatch(event, payload)]);
    return second;
  }
}

const SETTINGS = "who-is-asked.json";

/** The models and servers that hooks of all files may name. */
function settingsOf({ server, closedPort: port }: FaultKit, { url }: StubModel): object {
  const stdio = (MODE = ""): object => ({ command: process.execPath, args: [MCP_SERVER], env: { MODE } });
  const openai = (base: string, more = {}): object => ({
    type: "openai",
    baseUrl: `${base}/v1`,
    apiKeyEnv: null,
    ...more,
  });
  return {
    modelProviders: {
      stub: openai(url),
      stream: openai(url, { stream: true }),
      "anthropic-stub": { type: "anthropic", baseUrl: url, apiKeyEnv: null },
      keyless: openai(url, { apiKeyEnv: "NO_SUCH_KEY" }),
      gone: openai(`http://127.0.0.1:${port}`),
    },
    mcpServers: {
      well: stdio(),
      // A server of the same kind, but a separate one: when it dies, all its calls fail.
      dies: stdio("dies"),
      floods: stdio("floods"),
      silent: stdio("silent"),
      exits: stdio("exits"),
      missing: { command: "./no-such-program-anywhere" },
      "http-gone": { type: "http", url: `http://127.0.0.1:${port}/` },
      "http-status-500": { type: "http", url: server.url("status-500") },
      "http-hangs": { type: "http", url: server.url("hangs") },
      "http-inwards": { type: "http", url: "http://169.254.169.254/latest" },
    },
  };
}

export function payloadOf(event: FaultEvent, more: Fault["payload"] = {}, cwd = "/"): JsonObject {
  return { session_id: "s", cwd, tool_input: { command: "ls" }, ...factsOf(event).payload, ...more } as JsonObject;
}

async function sequence<In, Out>(values: readonly In[], make: (value: In) => Promise<Out>): Promise<Out[]> {
  const made: Out[] = [];
  for (const value of values) made.push(await make(value));
  return made;
}

/** A short deadline of its own, or one that is never reached; and the rule's name, if the format has one. */
function named({ isTooSlow }: Fault, dialect: FaultDialect): HookEntry {
  const ms = isTooSlow === true ? TOO_SLOW_MS : PATIENT_MS;
  if (dialect === "hookbox") return { name: "the judge", timeoutMs: ms };
  if (dialect === "autohand") return { description: "the judge", timeout: ms };
  const wholeSeconds = Math.max(1, Math.round(ms / SECOND_MS));
  if (dialect === "docker-agent") return { name: "the judge", timeout: wholeSeconds };
  if (dialect === "agentao") return { timeout: wholeSeconds };
  return { ...(dialect === "patterns" ? { name: "the judge" } : {}), timeout: ms / SECOND_MS };
}

function configOf(dialect: FaultDialect, hook: HookEntry, events: readonly FaultEvent[]): Record<string, unknown> {
  const nameOf = (event: FaultEvent): string => AGENT_NAMES[dialect]?.[event] ?? event;
  if (dialect === "autohand") {
    const { type: _, ...only } = hook;
    return { hooks: { enabled: true, hooks: events.map((event) => ({ event: nameOf(event), ...only })) } };
  }
  if (dialect === "agentao") return { hooks: Object.fromEntries(events.map((event) => [event, [hook]])) };
  const groups = Object.fromEntries(events.map((event) => [event, [{ hooks: [hook] }]]));
  if (dialect === "patterns") return { hooks_config: groups };
  if (dialect !== "docker-agent") return { hooks: groups };
  const lists = events.map((event) => [nameOf(event), event.endsWith("ToolUse") ? groups[event] : [hook]]);
  return { hooks: Object.fromEntries(lists) };
}
