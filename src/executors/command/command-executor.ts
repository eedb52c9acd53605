import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { callersEnvironment } from "../../caller.ts";
import type { DecodedReply, Detachment } from "../../codec.ts";
import type { Problem } from "../../errors.ts";
import type { HookEvent } from "../../event.ts";
import { type Side, sideOf } from "../../layer-trust.ts";
import type { Failure, Receipt, RunResult } from "../../outcome.ts";
import { CappedHead, CappedTail } from "../../processes/capped-output.ts";
import type { ProcessGroup } from "../../processes/process-group.ts";
import { releasePipes, type StartedChild, startChild } from "../../processes/start-child.ts";
import { type ChildEnding, type ChildWatch, watchChild } from "../../processes/watch-child.ts";
import type { HandlerOf, Rule } from "../../rule.ts";
import { Stop, type StopSignal } from "../../stop-signal.ts";
import { cleanText } from "../../text.ts";
import { eventText } from "../event-text.ts";
import type { Executor, RunOptions } from "../executor.ts";
import { readEnding, spawnFailure } from "./read-exit.ts";
import { planSpawn, type SpawnForm } from "./spawn-form.ts";

/** A hook that has detached itself, to be handed over to another process. */
export interface DetachedHook {
  readonly pid: number;
  /** The environment mark of the hook's processes; see `startChild`. */
  readonly mark: string | undefined;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  /** How long the hook may still run, from now on. */
  readonly limitMs: number;
  /** Whether processes that the hook leaves running continue after the hook's end. */
  readonly keepsBackground: boolean;
  readonly side: Side;
}

/** Resolves to `true` if the hook was taken over, `false` if not, or to the limit that was reached. */
export type HandOver = (hook: DetachedHook) => Promise<boolean | TooMany>;

interface TooMany {
  readonly limit: number;
  readonly value: number;
}

export interface CommandExecutorOptions {
  /** Milliseconds between SIGTERM and SIGKILL. Default: 100. */
  readonly killGraceMs?: number;
  /** How many milliseconds output is read after the exit, if a grandchild holds the pipes. Default: 50. */
  readonly drainMs?: number;
  /** The maximum length of stdout. Longer output is a failure. Default: 1 MiB. */
  readonly stdoutBytes?: number;
  /** How many bytes of the end of stderr are kept. Default: 64 KiB. */
  readonly stderrBytes?: number;
  /** The maximum number of running detached hooks, separately for project files and for other files. Default: 64. */
  readonly maxDetached?: number;
  /** Takes over a detached hook. Otherwise the hook stays with this executor. */
  readonly handOver?: HandOver | undefined;
}

const RECEIPT_STDERR_LENGTH = 2000;

/** The maximum time of a detached hook, even if the hook asks for more. */
const MAX_DETACHED_MS = 3_600_000;

type Traces = Omit<Receipt, "micros" | "inputBytes">;

interface Decided {
  readonly decoded: DecodedReply;
  readonly traces: Traces;
  readonly output?: string | undefined;
  readonly detached?: Promise<Decided>;
}

/** A running hook. */
interface Work extends StartedChild {
  readonly rule: Rule;
  readonly event: HookEvent;
  readonly form: SpawnForm;
  readonly stdout: CappedHead;
  readonly stderr: CappedTail;
  readonly watch: ChildWatch;
}

/** Runs a rule's command in its own process group. */
export class CommandExecutor implements Executor {
  readonly type = "command";
  readonly #options: Required<Omit<CommandExecutorOptions, "handOver">>;
  readonly #handOver: HandOver | undefined;
  readonly #groups = new Set<ProcessGroup>();
  readonly #detached: Record<Side, number> = { own: 0, project: 0 };
  #isClosed = false;

  constructor({ handOver, ...options }: CommandExecutorOptions = {}) {
    this.#handOver = handOver;
    this.#options = {
      killGraceMs: 100,
      drainMs: 50,
      stdoutBytes: 1024 * 1024,
      stderrBytes: 64 * 1024,
      maxDetached: 64,
      ...options,
    };
  }

  async prepare(rule: Rule): Promise<readonly Problem[]> {
    const { problemsOf } = await import("./missing-program.ts");
    const problems = await problemsOf(rule, handlerOf(rule));
    if (rule.approved?.scripts === undefined) return problems;
    const { changedScript } = await import("../approved-scripts.ts");
    return [...problems, ...(await changedScript(rule.approved.scripts, rule))];
  }

  async run(rule: Rule, event: HookEvent, { signal }: RunOptions): Promise<RunResult> {
    const handler = handlerOf(rule);
    const startedAt = performance.now();
    const encoded = eventText(rule, event);
    if (!encoded.ok) return { ok: false, failure: encoded.failure, receipt: { micros: 0 } };
    const input = Buffer.from(encoded.text);
    const asResult = ({ decoded, traces, output }: Decided): RunResult => {
      const micros = Math.round((performance.now() - startedAt) * 1000);
      const receipt: Receipt = { micros, inputBytes: input.length, ...traces };
      return { ...decoded, receipt, ...(output === undefined ? {} : { output }) };
    };
    const decided = await this.#decide(rule, handler, event, input, signal);
    const result = asResult(decided);
    if (!result.ok || decided.detached === undefined) return result;
    return { ...result, detached: decided.detached.then(asResult) };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#groups].map((group) => group.stop(this.#options.killGraceMs)));
  }

  async #decide(
    rule: Rule,
    handler: HandlerOf<"command">,
    event: HookEvent,
    input: Buffer,
    signal: StopSignal,
  ): Promise<Decided> {
    if (signal.aborted) return failed(signal.reason as Failure);
    if (this.#isClosed) return failed({ kind: "unavailable", message: "the engine is closed" });
    const plan = planSpawn(rule, handler, event, callersEnvironment());
    if (!plan.ok) return failed(plan.failure);
    const { form } = plan;
    if (rule.approved?.scripts !== undefined) {
      const { whyNotApproved } = await import("../approved-scripts.ts");
      const message = await whyNotApproved(rule.approved.scripts, rule, form);
      if (message !== undefined) return failed({ kind: "integrity", code: "HOOK_TRUST_CHANGED", message });
    }

    let started: StartedChild;
    try {
      started = startChild(form, input);
    } catch (thrown) {
      // Node emits some errors as an event and throws others, such as E2BIG or a NUL byte.
      return failed(spawnFailure(form, thrown as Error));
    }
    const { child } = started;
    this.#groups.add(started.group);
    const stdout = new CappedHead(this.#options.stdoutBytes);
    const stderr = new CappedTail(this.#options.stderrBytes);
    const { drainMs } = this.#options;
    const { async: isAsync, codec } = rule;
    const readDetachment = isAsync ? undefined : (output: string) => codec.readDetachment(output);
    const watch = watchChild(child, { stdout, stderr, signal, drainMs, readDetachment });
    const work: Work = { ...started, rule, event, form, stdout, stderr, watch };
    const news = await watch.news;
    if (news.by !== "detachment") return this.#finish(work, news, signal, false);
    return this.#detach(work, news.detachment);
  }

  #finish(work: Work, ending: ChildEnding, signal: StopSignal, isDetached: boolean): Decided {
    const { rule, event, form, child, group, stdout } = work;
    this.#leave(child, group, ending, rule.codec.keepsBackgroundProcesses);
    const stderr = work.stderr.text();
    const traces = { outputBytes: stdout.bytes, ...exitOf(ending), ...stderrOf(stderr) };
    if (ending.by === "abort") return failed(signal.reason as Failure, traces);
    // The hook had no chance to answer, because `close()` ended it.
    if (this.#isClosed)
      return failed({ kind: "cancelled", message: "the engine was closed while the hook was running" }, traces);
    const decoded = readEnding(rule, event, { form, ending, stdout, stderr, isDetached });
    return { decoded: noted(decoded, form), traces, output: stdout.text() };
  }

  /** Lets a hook continue in the background, with a new time limit. The hook's answer is "no opinion". */
  async #detach(work: Work, { timeoutMs }: Detachment): Promise<Decided> {
    const { rule, stdout, watch } = work;
    const traces = { outputBytes: stdout.bytes };
    const { maxDetached: limit } = this.#options;
    const side = sideOf(rule);
    if (this.#detached[side] >= limit) return this.#refuseDetached(work, { limit, value: this.#detached[side] + 1 });
    const limitMs = Math.min(timeoutMs ?? rule.timeoutMs, MAX_DETACHED_MS);
    this.#detached[side] += 1;
    const isTaken = await this.#handsOver(work, limitMs);
    if (isTaken !== false) this.#detached[side] -= 1;
    if (typeof isTaken === "object") return this.#refuseDetached(work, isTaken);
    if (isTaken) {
      return { decoded: noted({ ok: true, reply: {} }, work.form), traces };
    }
    const deadline = new Stop();
    const begun = performance.now();
    const timer = setTimeout(() => {
      const value = Math.round(performance.now() - begun);
      const message = `detached itself, and did not end within ${limitMs} ms`;
      deadline.abort({ kind: "timeout", message, limit: limitMs, value } satisfies Failure);
    }, limitMs);
    watch.heed(deadline);
    const detached = watch.ending.then((ending) => {
      clearTimeout(timer);
      this.#detached[side] -= 1;
      return this.#finish(work, ending, deadline, true);
    });
    return { decoded: noted({ ok: true, reply: {} }, work.form), traces, detached };
  }

  #refuseDetached({ child, group, stdout }: Work, { limit, value }: TooMany): Decided {
    this.#leave(child, group, { by: "abort" }, false);
    const message = `would be detached hook number ${value}, and at most ${limit} may be at work at once`;
    return failed({ kind: "unavailable", message, limit, value }, { outputBytes: stdout.bytes });
  }

  async #handsOver({ rule, child, group, mark }: Work, limitMs: number): ReturnType<HandOver> {
    const { pid, stdout, stderr } = child;
    const { keepsBackgroundProcesses: keepsBackground } = rule.codec;
    if (this.#handOver === undefined || pid === undefined || child.exitCode !== null) return false;
    const isTaken = await this.#handOver({ pid, mark, stdout, stderr, limitMs, keepsBackground, side: sideOf(rule) });
    if (isTaken !== true) return isTaken;
    releasePipes(child);
    child.unref();
    this.#groups.delete(group);
    group.release();
    return true;
  }

  /** Ends the hook's remaining processes in the background after the outcome is known. */
  #leave(child: ChildProcess, group: ProcessGroup, ending: ChildEnding, keepsBackground: boolean): void {
    if (ending.by === "exit" && keepsBackground && !this.#isClosed) {
      releasePipes(child);
      this.#groups.delete(group);
      group.release();
      return;
    }
    // An overflow gets no grace period, because the flood uses a whole core. The first signal is sent synchronously.
    const { killGraceMs } = this.#options;
    const isStopped = ending.by === "overflow" || ending.by === "abort";
    const ended = isStopped ? group.stop(ending.by === "overflow" ? 0 : killGraceMs) : group.end(killGraceMs);
    if (ending.by !== "abort") releasePipes(child);
    void ended.then(() => {
      releasePipes(child);
      this.#groups.delete(group);
    });
  }
}

function handlerOf({ id, handler }: Rule): HandlerOf<"command"> {
  if (handler.type !== "command") throw new TypeError(`rule ${id} is not a command rule`);
  return handler;
}

function failed(failure: Failure, traces: Traces = {}): Decided {
  return { decoded: { ok: false, failure }, traces };
}

function noted(decoded: DecodedReply, { notes }: SpawnForm): DecodedReply {
  return decoded.ok && notes.length > 0 ? { ...decoded, ignored: [...(decoded.ignored ?? []), ...notes] } : decoded;
}

function exitOf(ending: ChildEnding): Traces {
  if (ending.by === "exit") return { exitCode: ending.code };
  return ending.by === "signal" ? { signal: ending.signal } : {};
}

function stderrOf(stderr: string): Traces {
  // Removes a lone low surrogate at the cut.
  const tail = cleanText(stderr.slice(-RECEIPT_STDERR_LENGTH).replace(/^[\udc00-\udfff]/, "")).trim();
  return tail === "" ? {} : { stderr: tail };
}
