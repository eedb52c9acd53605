import { constants } from "node:fs";
import { open, realpath, rename } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { describeThrown } from "../../errors.ts";
import type { HookEvent } from "../../event.ts";
import { makeFolder } from "../../files/make-folder.ts";
import { mayComeWithRepository } from "../../layer-trust.ts";
import { cleanLine } from "../../text.ts";
import type { BuiltinCall, BuiltinHook } from "./builtin.ts";
import { silent } from "./builtin.ts";
import { changedFile } from "./changed-file.ts";

/** The maximum size of a log. A larger log is renamed to FILE.1, which replaces the previous FILE.1. */
const MAX_LOG_BYTES = 1_048_576;
const MAX_FIELD = 300;

/** Fields of an event's payload that a line contains, in addition to the session. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  SessionStart: ["source"],
  SessionEnd: ["reason", "duration"],
  Stop: ["turn_duration", "duration", "tokens_used", "tool_calls_count"],
};

/** Writes one line for each event to a file that only the user can read. */
export const logLine: BuiltinHook = {
  problemOf: ([file], { layer }) =>
    mayComeWithRepository(layer) && file !== undefined && (isAbsolute(file) || file.split(/[/\\]/).includes(".."))
      ? "a file that may come with a repository may only log into the working directory"
      : undefined,
  run: async (call) => {
    const line = await lineOf(call);
    if (line === undefined) return silent();
    const file = fileOf(call);
    try {
      await append(file, line, call);
      return silent();
    } catch (error) {
      return silent(`${file} cannot be written to: ${describeThrown(error)}`);
    }
  },
};

function fileOf({ args, workingDir, tools }: BuiltinCall): string {
  const [file] = args;
  return file === undefined ? join(tools.dataFolder, "hooks.log") : resolve(workingDir, file);
}

async function lineOf(call: BuiltinCall): Promise<string | undefined> {
  const { event, tools, sessionId } = call;
  const parts = [tools.now().toISOString(), event.name, ...(sessionId === "" ? [] : [`session=${quoted(sessionId)}`])];
  const fields = FIELDS[event.name];
  if (fields === undefined) {
    const file = await changedFile(call);
    if (file === undefined) return undefined;
    parts.push(`${file.isGone ? "deleted" : "changed"}=${quoted(file.name)}`);
  }
  return [...parts, ...(fields ?? []).flatMap((field) => fieldOf(event, field))].join(" ");
}

function fieldOf({ payload }: HookEvent, field: string): readonly string[] {
  const value = payload[field];
  if (typeof value === "number") return [`${field}=${value}`];
  return typeof value === "string" ? [`${field}=${quoted(value)}`] : [];
}

/** Quotes a value, so that it cannot look like another line or field. */
function quoted(value: string): string {
  const clean = cleanLine(value, MAX_FIELD);
  return /^[\w./:@+-]+$/.test(clean) ? clean : JSON.stringify(clean);
}

async function append(file: string, line: string, { args, layer, workingDir }: BuiltinCall): Promise<void> {
  if (args.length === 0) await makeFolder(dirname(file), 0o700);
  else if (mayComeWithRepository(layer)) await refuseOutside(dirname(file), workingDir);
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  // The flags prevent following a link, and blocking on a pipe without a reader.
  const opened = await open(file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    const stats = await opened.stat();
    if (!stats.isFile()) throw new Error("it is not a file");
    await opened.writeFile(`${line}\n`);
    if (stats.size >= MAX_LOG_BYTES) await rename(file, `${file}.1`);
  } finally {
    await opened.close();
  }
}

async function refuseOutside(folder: string, workingDir: string): Promise<void> {
  const way = relative(await realpath(workingDir), await realpath(folder));
  if (way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way))
    throw new Error("it is outside of the working directory");
}
