import { statSync } from "node:fs";
import { describeThrown, type Problem } from "../../errors.ts";
import type { HookEvent } from "../../event.ts";
import { builtinNamed, canWorkAt, missingArgs } from "../../events/builtins.ts";
import { contractOfEvent } from "../../events/lookup.ts";
import { type ReadReply, readReply } from "../../events/reply.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import type { Models } from "../../models/models.ts";
import { HttpClient } from "../../net/http-client.ts";
import type { Failure, RunResult } from "../../outcome.ts";
import type { Rule } from "../../rule.ts";
import { defaultStateFolder } from "../../state/default-state-folder.ts";
import { Stop } from "../../stop-signal.ts";
import { cleanLine } from "../../text.ts";
import type { Executor, RunOptions } from "../executor.ts";
import { type BuiltinAnswer, type BuiltinHook, silent } from "./builtin.ts";
import { type CallLimits, describeCall } from "./call.ts";
import { HOOKS } from "./registry.ts";
import { SpillFolders } from "./spill-folders.ts";

export interface BuiltinExecutorOptions {
  /** Keeps a session's files until the session ends, because another process will handle its next event. */
  readonly outlivedBySessions?: boolean;
  /** The folder for data. Default: `hookbox` in the folder for the user's state files. */
  readonly dataFolder?: string;
  /** The parent of the folders for long results. Default: in the system's temporary folder. */
  readonly spillRoot?: string;
  readonly now?: () => Date;
}

const MAX_NOTE = 300;

/**
 * Runs the built-in hooks. The programs and requests that a hook starts end with the hook. The hook's files end with
 * the executor.
 */
export class BuiltinExecutor implements Executor {
  readonly type = "builtin";
  readonly #models: Models;
  readonly #options: BuiltinExecutorOptions;
  readonly #client = new HttpClient();
  readonly #spills: SpillFolders;
  readonly #running = new Map<Stop, Promise<unknown>>();
  #isClosed = false;

  constructor(models: Models, options: BuiltinExecutorOptions = {}) {
    this.#models = models;
    this.#options = options;
    this.#spills = new SpillFolders(options.spillRoot);
  }

  async prepare(rule: Rule): Promise<readonly Problem[]> {
    const message = await problemOf(rule);
    if (message === undefined) return [];
    const place = rule.place === undefined ? {} : { place: rule.place };
    return [{ severity: "error", code: "HOOK_BUILTIN", message, ...place }];
  }

  async run(rule: Rule, event: HookEvent, options: RunOptions): Promise<RunResult> {
    const begun = performance.now();
    const answer = await this.#answer(rule, event, options);
    const notes = answer.ok ? (answer.notes ?? []) : [];
    const receipt = {
      micros: Math.round((performance.now() - begun) * 1_000),
      ...(notes.length === 0 ? {} : { log: notes.map((note) => cleanLine(note, MAX_NOTE)) }),
    };
    if (!answer.ok) return { ok: false, failure: answer.failure, receipt };
    return { ...read(answer.reply ?? {}, event), receipt };
  }

  /** Resolves when all running hooks have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const running = [...this.#running];
    for (const [stop] of running) {
      stop.abort({ kind: "cancelled", message: "the engine was closed while the hook was running" } satisfies Failure);
    }
    await this.#client.close();
    await Promise.all(running.map(([, ended]) => ended));
    if (this.#options.outlivedBySessions !== true) await this.#spills.close();
  }

  async #answer(rule: Rule, event: HookEvent, { signal, timeLeftMs }: RunOptions): Promise<BuiltinAnswer> {
    signal.enter?.("load");
    const message = await problemOf(rule);
    const hook = await hookOf(rule);
    signal.enter?.("work");
    // The signal and `close` are checked last, because both may change during the awaits above.
    if (signal.aborted) return { ok: false, failure: signal.reason as Failure };
    if (this.#isClosed) return { ok: false, failure: { kind: "unavailable", message: "the engine is closed" } };
    if (message !== undefined || hook === undefined) {
      return { ok: false, failure: { kind: "capability", code: "HOOK_BUILTIN", message: message ?? "not known" } };
    }
    const idle = idleAt(rule);
    if (idle !== undefined) return silent(idle);
    const stop = new Stop();
    const onStop = (): void => stop.abort(signal.reason);
    signal.addEventListener("abort", onStop, { once: true });
    const ending = this.#call(hook, rule, event, { stop, timeLeftMs });
    this.#running.set(stop, ending);
    try {
      return await ending;
    } finally {
      signal.removeEventListener("abort", onStop);
      this.#running.delete(stop);
    }
  }

  async #call(hook: BuiltinHook, rule: Rule, event: HookEvent, limits: CallLimits): Promise<BuiltinAnswer> {
    const { handler } = rule;
    const { stop } = limits;
    if (handler.type !== "builtin") throw new TypeError(`rule ${rule.id} is not of type builtin`);
    try {
      const call = describeCall(rule, handler, event, limits, {
        client: this.#client,
        models: this.#models,
        spillFolder: (sessionId) => this.#spills.of(sessionId),
        dataFolder: this.#options.dataFolder ?? defaultStateFolder(),
        now: this.#options.now ?? (() => new Date()),
      });
      // Another folder is no fallback, because the hook would report about the wrong folder.
      if (handler.workingDir !== undefined && !isFolder(call.workingDir)) {
        const message = `its workingDir ${call.workingDir} is not a folder`;
        return { ok: false, failure: { kind: "unavailable", message } };
      }
      const answer = await hook.run(call);
      return stop.aborted ? { ok: false, failure: stop.reason as Failure } : answer;
    } catch (error) {
      if (stop.aborted) return { ok: false, failure: stop.reason as Failure };
      const message = `defect in ${handler.name}: ${cleanLine(describeThrown(error), MAX_NOTE)}`;
      return { ok: false, failure: { kind: "trap", message } };
    }
  }
}

async function hookOf({ handler }: Rule): Promise<BuiltinHook | undefined> {
  if (handler.type !== "builtin" || !Object.hasOwn(HOOKS, handler.name)) return undefined;
  return HOOKS[handler.name]?.();
}

/** Returns why the hook does nothing at this event. The user was warned when the file was read. */
function idleAt({ handler, event, dialect, compat }: Rule): string | undefined {
  const builtin = handler.type === "builtin" ? builtinNamed(handler.name) : undefined;
  if (builtin === undefined || canWorkAt(builtin, event, dialect, compat)) return undefined;
  return `does nothing at ${event}`;
}

async function problemOf(rule: Rule): Promise<string | undefined> {
  const { handler, layer } = rule;
  if (handler.type !== "builtin") throw new TypeError(`rule ${rule.id} is not of type builtin`);
  const { name, args, network } = handler;
  const hook = await hookOf(rule);
  if (hook === undefined) return `there is no built-in hook ${JSON.stringify(cleanLine(name, 100))}`;
  return missingArgs(name, args) ?? hook.problemOf?.(args, { layer, network });
}

function read(reply: JsonObject, event: HookEvent): ReadReply {
  const { hookSpecificOutput: specific } = reply;
  const named = isJsonObject(specific)
    ? { ...reply, hookSpecificOutput: { ...specific, hookEventName: event.name } }
    : reply;
  return readReply(named, { eventName: event.name, contract: contractOfEvent(event), strict: true });
}

function isFolder(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}
