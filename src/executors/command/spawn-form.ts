import { statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { HookEvent } from "../../event.ts";
import type { Failure } from "../../outcome.ts";
import type { Handler, Rule } from "../../rule.ts";
import { childEnvironment, type Variables } from "./environment.ts";
import { checkExecutable, findOnSearchPath, type Lookup } from "./search-path.ts";

/** What is started for a rule and an event: the whole of it, so that it can be shown before it is run. */
export interface SpawnForm {
  readonly form: "shell" | "exec";
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export type SpawnPlan =
  | { readonly ok: true; readonly form: SpawnForm }
  | { readonly ok: false; readonly failure: Failure };

export type CommandHandler = Extract<Handler, { type: "command" }>;

export function planSpawn(
  rule: Rule,
  handler: CommandHandler,
  event: HookEvent,
  parent: Variables,
  platform: NodeJS.Platform = process.platform,
): SpawnPlan {
  const dialect = rule.codec.environment(event);
  const { variables: env, searchPath } = childEnvironment({
    inherit: rule.codec.inheritedEnvironment,
    parent,
    dialect,
    handler: handler.env ?? {},
    platform,
  });
  const cwd = workingDirectory(rule, event);

  if (handler.args === undefined) {
    const shell = findShell(handler.shell ?? "sh", searchPath, platform);
    if (!shell.ok) return notSpawned(shell.reason);
    // The command is one argument and the event comes on stdin: nothing from the event is ever parsed by the shell.
    return { ok: true, form: { form: "shell", file: shell.file, args: ["-c", handler.command], cwd, env } };
  }
  const command = fillPlaceholders(handler.command, dialect);
  const program = hasSlash(command, platform)
    ? checkExecutable(path.resolve(rule.baseDir, command))
    : findOnSearchPath(command, searchPath, platform);
  if (!program.ok) return notSpawned(program.reason);
  const args = handler.args.map((arg) => fillPlaceholders(arg, dialect));
  return { ok: true, form: { form: "exec", file: program.file, args, cwd, env } };
}

/** `${NAME}` of the dialect's own variables, as plain text; anything else stays as it is written. */
function fillPlaceholders(text: string, variables: Variables): string {
  return text.replace(/\$\{(\w+)\}/g, (written, name: string) =>
    Object.hasOwn(variables, name) ? (variables[name] ?? written) : written,
  );
}

/**
 * An agent's own hooks start where the agent is. Ours start where their file is: `./audit.sh` must not mean whatever
 * stands under that name in a folder that the agent chose. A folder may have been deleted since the session began.
 */
function workingDirectory(rule: Rule, event: HookEvent): string {
  const { cwd } = event.payload;
  const agents = rule.codec.startsAt === "agent" && typeof cwd === "string" && path.isAbsolute(cwd) ? [cwd] : [];
  return [...agents, rule.baseDir].find(isDirectory) ?? tmpdir();
}

function isDirectory(folder: string): boolean {
  try {
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}

function findShell(shell: "sh" | "bash" | "powershell", searchPath: string, platform: NodeJS.Platform): Lookup {
  if (shell === "sh" && platform !== "win32") return { ok: true, file: "/bin/sh" };
  return findOnSearchPath(shell, searchPath, platform);
}

function hasSlash(command: string, platform: NodeJS.Platform): boolean {
  return command.includes("/") || (platform === "win32" && command.includes("\\"));
}

function notSpawned(reason: string): SpawnPlan {
  return { ok: false, failure: { kind: "spawn", message: `the command could not be started: ${reason}` } };
}
