import type { ChildProcess } from "node:child_process";
import type { DecodedReply } from "../../codec.ts";
import type { HookEvent } from "../../event.ts";
import type { Failure, Receipt, RunResult } from "../../outcome.ts";
import type { Rule } from "../../rule.ts";
import { cleanText } from "../../text.ts";
import type { Executor, RunOptions } from "../executor.ts";
import type { StopSignal } from "../stop-signal.ts";
import { CappedHead, CappedTail } from "./capped-output.ts";
import { type ChildEnding, watchChild } from "./child-ending.ts";
import { ProcessGroup } from "./process-group.ts";
import { readEnding, spawnFailure } from "./read-ending.ts";
import { type CommandHandler, planSpawn } from "./spawn-form.ts";
import { releasePipes, startChild } from "./start-child.ts";

export interface CommandExecutorOptions {
  /** Between SIGTERM and SIGKILL. Default 100. */
  readonly killGraceMs?: number;
  /** How long output is still read after the exit, when a grandchild holds the pipes. Default 50. */
  readonly drainMs?: number;
  /** More than this is a failure. Default 1 MiB. */
  readonly stdoutBytes?: number;
  /** Only the last of it is kept. Default 64 KiB. */
  readonly stderrBytes?: number;
}

const RECEIPT_STDERR_LENGTH = 2000;

type Traces = Omit<Receipt, "micros" | "inputBytes">;

interface Decided {
  readonly decoded: DecodedReply;
  readonly traces: Traces;
}

/** Runs a rule's command as a process group of its own. */
export class CommandExecutor implements Executor {
  readonly type = "command";
  readonly #options: Required<CommandExecutorOptions>;
  readonly #groups = new Set<ProcessGroup>();
  #isClosed = false;

  constructor(options: CommandExecutorOptions = {}) {
    this.#options = { killGraceMs: 100, drainMs: 50, stdoutBytes: 1024 * 1024, stderrBytes: 64 * 1024, ...options };
  }

  async run(rule: Rule, event: HookEvent, { signal }: RunOptions): Promise<RunResult> {
    if (rule.handler.type !== "command") throw new TypeError(`rule ${rule.id} is not a command rule`);
    const startedAt = performance.now();
    const input = Buffer.from(rule.codec.encodePayload(event));
    const { decoded, traces } = await this.#decide(rule, rule.handler, event, input, signal);
    const micros = Math.round((performance.now() - startedAt) * 1000);
    const receipt: Receipt = { micros, inputBytes: input.length, ...traces };
    return { ...decoded, receipt };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#groups].map((group) => group.end(this.#options.killGraceMs)));
  }

  async #decide(
    rule: Rule,
    handler: CommandHandler,
    event: HookEvent,
    input: Buffer,
    signal: StopSignal,
  ): Promise<Decided> {
    if (signal.aborted) return failed(signal.reason as Failure);
    if (this.#isClosed) return failed({ kind: "unavailable", message: "the engine is closed" });
    const plan = planSpawn(rule, handler, event, process.env);
    if (!plan.ok) return failed(plan.failure);
    const { form } = plan;

    let child: ChildProcess;
    try {
      child = startChild(form, input);
    } catch (thrown) {
      // Some errors come as an event and some, E2BIG and a NUL byte among them, are thrown.
      return failed(spawnFailure(form, thrown as Error));
    }
    const group = new ProcessGroup(child.pid);
    this.#groups.add(group);
    const stdout = new CappedHead(this.#options.stdoutBytes);
    const tail = new CappedTail(this.#options.stderrBytes);
    const ending = await watchChild(child, { stdout, stderr: tail, signal, drainMs: this.#options.drainMs });
    this.#leave(child, group, ending, rule.codec.keepsBackgroundProcesses);

    const stderr = tail.text();
    const traces = { outputBytes: stdout.bytes, ...exitOf(ending), ...stderrOf(stderr) };
    if (ending.by === "abort") return failed(signal.reason as Failure, traces);
    // It had no chance to answer: what ended it was our own close().
    if (this.#isClosed) return failed({ kind: "cancelled", message: "the engine was closed meanwhile" }, traces);
    return { decoded: readEnding(rule, event, { form, ending, stdout, stderr }), traces };
  }

  /** The matter is settled; what is left of the hook's processes is dealt with in the background. */
  #leave(child: ChildProcess, group: ProcessGroup, ending: ChildEnding, keepsBackground: boolean): void {
    if (ending.by === "exit" && keepsBackground && !this.#isClosed) {
      releasePipes(child);
      this.#groups.delete(group);
      return;
    }
    // No grace for a flood: each moment of it costs a core. The first signal goes out before `end` returns.
    const ended = group.end(ending.by === "overflow" ? 0 : this.#options.killGraceMs);
    if (ending.by !== "abort") releasePipes(child);
    void ended.then(() => {
      releasePipes(child);
      this.#groups.delete(group);
    });
  }
}

function failed(failure: Failure, traces: Traces = {}): Decided {
  return { decoded: { ok: false, failure }, traces };
}

function exitOf(ending: ChildEnding): Traces {
  if (ending.by === "exit") return { exitCode: ending.code };
  return ending.by === "signal" ? { signal: ending.signal } : {};
}

function stderrOf(stderr: string): Traces {
  // A lone half of a surrogate pair at the cut is dropped with the rest.
  const tail = cleanText(stderr.slice(-RECEIPT_STDERR_LENGTH).replace(/^[\udc00-\udfff]/, "")).trim();
  return tail === "" ? {} : { stderr: tail };
}
