import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { HookEvent } from "../../../src/event.ts";
import { BuiltinExecutor } from "../../../src/executors/builtin/builtin-executor.ts";
import type { Layer } from "../../../src/layer-trust.ts";
import type { ModelFunction } from "../../../src/models/model.ts";
import { Models } from "../../../src/models/models.ts";
import type { RunResult } from "../../../src/outcome.ts";
import type { ModelChoice } from "../../../src/rule.ts";
import { Stop } from "../../../src/stop-signal.ts";
import { makeEvent, makeRule } from "../../helpers/rules.ts";
import { temporaryFolder } from "./repository.ts";

interface Options {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly layer?: Layer;
  readonly dataFolder?: string;
  readonly functions?: Readonly<Record<string, ModelFunction>>;
  readonly stop?: Stop;
  readonly timeLeftMs?: number;
  /** The model for hooks that ask one. */
  readonly choice?: ModelChoice;
  readonly now?: () => Date;
}

/** Returns a built-in hook's answer to one event, as the engine receives it. */
export async function runBuiltin(name: string, event: HookEvent, options: Options = {}): Promise<RunResult> {
  const {
    args = [],
    env,
    layer = "user",
    functions = {},
    stop = new Stop(),
    now,
    choice,
    timeLeftMs = 60_000,
  } = options;
  const executor = new BuiltinExecutor(new Models({ functions }), {
    dataFolder: options.dataFolder ?? temporaryFolder(),
    ...(now === undefined ? {} : { now }),
  });
  onTestFinished(() => executor.close());
  const rule = makeRule({
    event: event.name,
    layer,
    handler: {
      type: "builtin",
      name,
      args,
      network: "public",
      ...(env === undefined ? {} : { env }),
      ...(choice === undefined ? {} : { choice }),
    },
  });
  return executor.run(rule, event, { signal: stop, timeLeftMs });
}

/** Returns the notes of a run that did not fail. */
export function notesOf(result: RunResult): readonly string[] {
  if (!result.ok) throw new Error(`failed: ${result.failure.message}`);
  return result.receipt.log ?? [];
}

/** Returns the event of a changed file in the form of two kinds of agents. */
export function fileChanged(cwd: string, path: string): HookEvent {
  return makeEvent("FileChanged", { cwd, session_id: "s", file_path: join(cwd, path), event: "change" });
}

export function written(cwd: string, path: string, tool = "Write"): HookEvent {
  return makeEvent("PostToolUse", {
    cwd,
    session_id: "s",
    tool_name: tool,
    tool_input: { file_path: join(cwd, path) },
  });
}

export const stopped = (cwd: string, more = {}): HookEvent => makeEvent("Stop", { cwd, session_id: "s", ...more });
