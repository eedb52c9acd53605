import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { loadConfig } from "../../src/config/load.ts";
import { Engine } from "../../src/engine.ts";
import type { JsonObject } from "../../src/event.ts";
import { BrokenExecutor } from "../../src/executors/broken/broken-executor.ts";
import { CommandExecutor } from "../../src/executors/command/command-executor.ts";
import { ContextExecutor } from "../../src/executors/context/context-executor.ts";
import { FunctionExecutor } from "../../src/executors/function/function-executor.ts";
import { HttpExecutor } from "../../src/executors/http/http-executor.ts";
import { ExecutorRegistry } from "../../src/executors/registry.ts";
import { WasmExecutor } from "../../src/executors/wasm/wasm-executor.ts";
import type { Rule } from "../../src/rule.ts";
import type { Verdict } from "../../src/verdict.ts";
import { type FaultDialect, type FaultEvent, factsOf, fires } from "./expected-meaning.ts";
import type { Fault, FaultKit, HookEntry } from "./faults.ts";
import { closedPort, FaultyServer } from "./faulty-server.ts";

/** Faults that are brought about for real: with processes, sockets, modules and threads. */

export interface Induced {
  readonly fault: Fault;
  readonly ruleDialect: FaultDialect;
  readonly eventDialect: FaultDialect;
  readonly event: FaultEvent;
  readonly rule: Rule;
  readonly verdict: Verdict;
}

/** What an engine is asked of a fault: a gate, where "no" means "go on", and what only watches. */
export function inducedAt(fault: Fault, ruleDialect: FaultDialect, eventDialect: FaultDialect): readonly FaultEvent[] {
  if (fault.at !== undefined) return [fault.at];
  if (fault.onlyAtGates?.includes(ruleDialect) === true) return ["PreToolUse"];
  return ["PreToolUse", "Stop", fires(eventDialect, "Notification") ? "Notification" : "PostToolUse"];
}

/** Agents' names of these, where they have others. */
const AGENT_NAMES: Partial<Readonly<Record<FaultDialect, Partial<Readonly<Record<FaultEvent, string>>>>>> = {
  "docker-agent": {
    PreToolUse: "pre_tool_use",
    Stop: "stop",
    Notification: "notification",
    PostToolUse: "post_tool_use",
  },
  autohand: { PreToolUse: "pre-tool", Stop: "stop", Notification: "notification", PostToolUse: "post-tool" },
};

const TOO_SLOW_MS = 150;
/** Of hooks that fail for another reason, however busy the machine is. */
const PATIENT_MS = 30_000;
const GIVES_UP_AFTER_MS = 60;
/** Those of docker-agent and of Agentao are whole ones. */
const SECOND_MS = 1_000;

export class FaultRunner {
  readonly kit: FaultKit;
  readonly #executors: Readonly<Record<NonNullable<Fault["needs"]> | "usual", ExecutorRegistry>>;
  #files = 0;

  private constructor(kit: FaultKit) {
    this.kit = kit;
    const registry = (command: CommandExecutor, wasm: WasmExecutor): ExecutorRegistry =>
      new ExecutorRegistry([
        new BrokenExecutor(),
        command,
        new HttpExecutor(),
        new ContextExecutor(),
        new FunctionExecutor(),
        wasm,
      ]);
    this.#executors = {
      usual: registry(new CommandExecutor(), new WasmExecutor({ threads: 2 })),
      "no room for detached hooks": registry(new CommandExecutor({ maxDetached: 0 }), new WasmExecutor()),
      "a full queue": registry(new CommandExecutor(), new WasmExecutor({ threads: 1, maxQueue: 0 })),
    };
  }

  static async open(): Promise<FaultRunner> {
    const folder = mkdtempSync(join(tmpdir(), "hookbox-faults-"));
    return new FaultRunner({ folder, server: await FaultyServer.open(), closedPort: await closedPort() });
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#executors).map((executors) => executors.close()));
    await this.kit.server.close();
    rmSync(this.kit.folder, { recursive: true, force: true });
  }

  /** The fault at one event of each category: what the engine made of it, with no rule beside it. */
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

  /** The engine is not to be closed: it shares its executors with others. */
  async open(
    fault: Fault,
    ruleDialect: FaultDialect,
    eventDialect: FaultDialect,
    events: readonly FaultEvent[],
    more: HookEntry = {},
  ): Promise<Engine> {
    const { folder } = this.kit;
    const bare = fault.hook(this.kit);
    // Its own files have no web hooks, and ours may have one in its words.
    const isSpoken = bare["type"] === "http" && ruleDialect === "autohand";
    const file = isSpoken ? "hookbox" : ruleDialect;
    const hook: HookEntry = { ...named(fault, file), ...(isSpoken ? { speaks: ruleDialect } : {}), ...bare, ...more };
    const config = configOf(file, hook, events);
    this.#files += 1;
    const name = `faults-${this.#files}.json`;
    const isCode = typeof hook["run"] === "function";
    if (!isCode) writeFileSync(join(folder, name), JSON.stringify(config));
    const loaded = isCode
      ? await loadConfig([], [{ name, value: config, layer: "session", baseDir: folder }], folder)
      : await loadConfig([{ file: name, layer: "user", dialect: file }], [], folder);
    return new Engine(loaded, this.#executors[fault.needs ?? "usual"], {
      dialect: eventDialect,
      cwd: folder,
      cache: undefined,
    });
  }

  async #ask(engine: Engine, fault: Fault, event: FaultEvent): Promise<Verdict> {
    const payload = payloadOf(event, fault.payload, this.kit.folder);
    if (fault.cancels === "before") return engine.dispatch(event, payload, { signal: AbortSignal.abort() });
    if (fault.cancels === "meanwhile") {
      const controller = new AbortController();
      const asked = engine.dispatch(event, payload, { signal: controller.signal });
      await sleep(GIVES_UP_AFTER_MS);
      controller.abort();
      return asked;
    }
    if (fault.needs !== "a full queue") return engine.dispatch(event, payload);
    // Loads the module, so that then two calls meet in the pool, which has room for one.
    await engine.prepare();
    const [, second] = await Promise.all([engine.dispatch(event, payload), engine.dispatch(event, payload)]);
    return second;
  }
}

export function payloadOf(event: FaultEvent, more: Fault["payload"] = {}, cwd = "/"): JsonObject {
  return { session_id: "s", cwd, tool_input: { command: "ls" }, ...factsOf(event).payload, ...more } as JsonObject;
}

async function sequence<In, Out>(values: readonly In[], make: (value: In) => Promise<Out>): Promise<Out[]> {
  const made: Out[] = [];
  for (const value of values) made.push(await make(value));
  return made;
}

/** Its own short deadline, or one that is never met; and the rule's name, where the format has one. */
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
