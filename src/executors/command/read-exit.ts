import { constants } from "node:os";
import { type DecodedReply, failedReply } from "../../codec.ts";
import type { HookEvent } from "../../event.ts";
import type { Failure } from "../../outcome.ts";
import type { CappedHead } from "../../processes/capped-output.ts";
import { afterFirstLine } from "../../processes/first-line.ts";
import type { ChildEnding } from "../../processes/watch-child.ts";
import type { Rule } from "../../rule.ts";
import { cleanLine } from "../../text.ts";
import { replyExcess } from "../reply-limit.ts";
import type { SpawnForm } from "./spawn-form.ts";

/** The shell's own exit codes for a command that it could not run. */
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

interface Finished {
  readonly form: SpawnForm;
  readonly ending: Exclude<ChildEnding, { by: "abort" }>;
  readonly stdout: CappedHead;
  readonly stderr: string;
  readonly isDetached: boolean;
}

/** Reads the answer of a finished child. Checks how the child ended before its output. */
export function readEnding(rule: Rule, event: HookEvent, finished: Finished): DecodedReply {
  const { form, ending, stdout, stderr, isDetached } = finished;
  if (ending.by === "error") return failedReply(spawnFailure(form, ending.error));
  if (ending.by === "overflow") {
    const message = `wrote more than ${stdout.limit} bytes to stdout`;
    return failedReply({ kind: "output-too-large", message, limit: stdout.limit, value: stdout.bytes });
  }
  // A hook that was killed has not answered, whatever it had printed.
  if (ending.by === "signal") return failedReply({ kind: "signal", message: `killed by ${ending.signal}` });

  const shellFailure = form.form === "shell" ? SHELL_COULD_NOT_RUN.get(ending.code) : undefined;
  if (shellFailure !== undefined) {
    // A shell that cannot run its command is a failure: a guard without its executable bit has no opinion.
    const detail = cleanLine(firstLine(stderr), 500);
    return failedReply({
      kind: "spawn",
      message: `${shellFailure} (exit ${ending.code})${detail === "" ? "" : `: ${detail}`}`,
    });
  }
  // A shell reports by its exit code that a signal killed its command.
  const signal = form.form === "shell" ? SIGNALS.get(ending.code - SHELL_SIGNAL_BASE) : undefined;
  if (signal !== undefined)
    return failedReply({ kind: "signal", message: `killed by ${signal} (exit ${ending.code})` });

  // Exit code 2 refuses, even if its output cannot be read.
  const output = stdout.text() ?? (ending.code === 2 ? "" : undefined);
  // The first line of an async or detached hook is the line with which it detached itself.
  const isUnawaited = output !== undefined && (isDetached || rule.async);
  const text = isUnawaited && rule.codec.readDetachment(output) !== undefined ? afterFirstLine(output) : output;
  if (text === undefined) return failedReply({ kind: "invalid-output", message: "stdout is not valid UTF-8" });
  const excess = ending.code === 2 ? undefined : replyExcess(text, "the JSON on stdout");
  if (excess !== undefined) return failedReply(excess);
  const replyOptions = {
    failsClosed: rule.onFailure === "block",
    hook: rule.name,
    strict: rule.strict,
    compat: rule.compat,
    contract: rule.contract,
  };
  return rule.codec.decodeReply({ exitCode: ending.code, stdout: text, stderr }, event, replyOptions);
}

export function spawnFailure(form: SpawnForm, error: NodeJS.ErrnoException): Failure {
  const reason = SPAWN_REASONS[error.code ?? ""] ?? error.message;
  const code = error.code === undefined ? "" : ` (${error.code})`;
  return { kind: "spawn", message: `${form.file} could not be started in ${form.cwd}: ${reason}${code}` };
}

function firstLine(text: string): string {
  return text.trimStart().split("\n", 1)[0] ?? "";
}
