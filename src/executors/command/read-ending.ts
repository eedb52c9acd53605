import { constants } from "node:os";
import type { DecodedReply } from "../../codec.ts";
import type { HookEvent } from "../../event.ts";
import type { Failure } from "../../outcome.ts";
import type { CappedHead } from "../../processes/capped-output.ts";
import type { ChildEnding } from "../../processes/child-ending.ts";
import { afterFirstLine } from "../../processes/first-line.ts";
import type { Rule } from "../../rule.ts";
import { cleanLine } from "../../text.ts";
import { replyExcess } from "../reply-excess.ts";
import type { SpawnForm } from "./spawn-form.ts";

/** What the shell itself exits with when it could not run the command. */
const SHELL_COULD_NOT_RUN: ReadonlyMap<number, string> = new Map([
  [126, "the command was found and could not be run"],
  [127, "the command was not found"],
]);

const SHELL_SIGNAL_BASE = 128;
const SIGNALS: ReadonlyMap<number, string> = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number, name]),
);

const SPAWN_REASONS: Readonly<Record<string, string>> = {
  ENOENT: "it, or the interpreter that its first line names, does not exist",
  EACCES: "permission denied for it, its interpreter or the working directory",
  E2BIG: "its arguments and environment are longer than the system allows",
  ENOEXEC: "it is neither a program for this machine nor a script with an interpreter line",
  EMFILE: "too many open files",
  EAGAIN: "too many processes",
};

export interface Finished {
  readonly form: SpawnForm;
  readonly ending: Exclude<ChildEnding, { by: "abort" }>;
  readonly stdout: CappedHead;
  readonly stderr: string;
  readonly isDetached: boolean;
}

/** The answer of a finished child. The order matters: how it ended comes before anything that it printed. */
export function readEnding(rule: Rule, event: HookEvent, finished: Finished): DecodedReply {
  const { form, ending, stdout, stderr, isDetached } = finished;
  if (ending.by === "error") return failed(spawnFailure(form, ending.error));
  if (ending.by === "overflow") {
    const message = `wrote more than ${stdout.limit} bytes to stdout`;
    return failed({ kind: "output-too-large", message, limit: stdout.limit, value: stdout.bytes });
  }
  // A guard that was killed half way has not answered, whatever it had printed by then.
  if (ending.by === "signal") return failed({ kind: "signal", message: `killed by ${ending.signal}` });

  const complaint = form.form === "shell" ? SHELL_COULD_NOT_RUN.get(ending.code) : undefined;
  if (complaint !== undefined) {
    // Not an exit code like any other: read as one, a guard without its exec bit would count as "no opinion".
    const detail = cleanLine(firstLine(stderr), 500);
    return failed({
      kind: "spawn",
      message: `${complaint} (exit ${ending.code})${detail === "" ? "" : `: ${detail}`}`,
    });
  }
  // A shell reports the death of the command that it ran as an exit code of its own.
  const signal = form.form === "shell" ? SIGNALS.get(ending.code - SHELL_SIGNAL_BASE) : undefined;
  if (signal !== undefined) return failed({ kind: "signal", message: `killed by ${signal} (exit ${ending.code})` });

  // What a refusal by exit code 2 prints beside it cannot take it back, readable or not.
  const output = stdout.text() ?? (ending.code === 2 ? "" : undefined);
  // What a hook that is not waited for says first is that it is none to wait for.
  const isUnawaited = output !== undefined && (isDetached || rule.async);
  const text = isUnawaited && rule.codec.readDetachment(output) !== undefined ? afterFirstLine(output) : output;
  if (text === undefined) return failed({ kind: "invalid-output", message: "stdout is not valid UTF-8" });
  const excess = ending.code === 2 ? undefined : replyExcess(text, "the JSON on stdout");
  if (excess !== undefined) return failed(excess);
  const terms = {
    failsClosed: rule.onFailure === "block",
    hook: rule.name,
    strict: rule.strict,
    compat: rule.compat,
    contract: rule.contract,
  };
  return rule.codec.decodeReply({ exitCode: ending.code, stdout: text, stderr }, event, terms);
}

export function spawnFailure(form: SpawnForm, error: NodeJS.ErrnoException): Failure {
  const reason = SPAWN_REASONS[error.code ?? ""] ?? error.message;
  const code = error.code === undefined ? "" : ` (${error.code})`;
  return { kind: "spawn", message: `${form.file} could not be started in ${form.cwd}: ${reason}${code}` };
}

function firstLine(text: string): string {
  return text.trimStart().split("\n", 1)[0] ?? "";
}

function failed(failure: Failure): DecodedReply {
  return { ok: false, failure };
}
