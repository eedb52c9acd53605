import { onTestFinished } from "vitest";
import type { EngineOptions } from "../../src/engine.ts";
import { Engine } from "../../src/engine.ts";
import type { HookEvent } from "../../src/event.ts";
import { EVENTS } from "../../src/events/table.ts";
import { BrokenExecutor } from "../../src/executors/broken/broken-executor.ts";
import type { Executor, RunOptions } from "../../src/executors/executor.ts";
import { ExecutorRegistry } from "../../src/executors/registry.ts";
import type { JsonObject } from "../../src/json.ts";
import type { Reply, RunResult } from "../../src/outcome.ts";
import type { Rule } from "../../src/rule.ts";
import { makeRule } from "../helpers/rules.ts";

/** Rules whose hooks are functions of the test, which sees their input and decides when they answer. */

export type Hook = (event: HookEvent, options: RunOptions) => Reply | RunResult | Promise<Reply | RunResult>;

export interface FakeRule extends Partial<Rule> {
  readonly name: string;
  readonly hook: Hook;
}

type Parts = Pick<EngineOptions, "stateFolder" | "maxBackground" | "onBackgroundEnd"> & {
  readonly eventPatienceMs?: number;
  readonly dialect?: string;
};

export function engineOf(
  rules: readonly FakeRule[],
  { eventPatienceMs, dialect = "claude-code", ...parts }: Parts = {},
): Engine {
  const hooks = new Map(rules.map(({ name, hook }) => [name, hook]));
  const executor: Executor = {
    type: "command",
    run: async (rule, event, options) => {
      const said = await hooks.get(rule.name)!(event, options);
      return "ok" in said ? (said as RunResult) : { ok: true, reply: said as Reply, receipt: { micros: 1 } };
    },
    close: async () => {},
  };
  const made = rules.map(({ hook: _, ...rule }) => makeRule({ id: rule.name, ...rule }));
  return new Engine(
    { rules: made, problems: [], ...(eventPatienceMs === undefined ? {} : { eventPatienceMs }) },
    new ExecutorRegistry([executor, new BrokenExecutor()]),
    { dialect, cwd: process.cwd(), cache: undefined, ...parts },
  );
}

/**
 * Creates a dialect, until the test ends, in which an event has another row. Rows are cached, so each name is used
 * once.
 */
export function dialectWith(event: keyof typeof EVENTS, row: Partial<(typeof EVENTS)["PreToolUse"]> | object): string {
  const name = `test-dialect-${++dialects}`;
  const table = EVENTS[event] as { overrides?: Record<string, unknown> | undefined };
  const before = table.overrides;
  table.overrides = { ...before, [name]: row };
  onTestFinished(() => {
    table.overrides = before;
  });
  return name;
}

let dialects = 0;

export const failure = (kind: "timeout" | "trap" | "exit" = "trap", message = "it broke"): RunResult => ({
  ok: false,
  failure: { kind, message },
  receipt: { micros: 1 },
});

export const bash = (command: string, more: JsonObject = {}): JsonObject => ({
  session_id: "s",
  tool_name: "Bash",
  tool_input: { command, ...more },
});

interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function gate(): Gate {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
