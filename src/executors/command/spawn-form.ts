import { incompleteVariables, MAX_VARIABLE_BYTES, MAX_VARIABLES_BYTES } from "../../dialects/event-variables.ts";
import type { HookEvent } from "../../event.ts";
import { contractOfEvent } from "../../events/lookup.ts";
import type { Failure } from "../../outcome.ts";
import { childEnvironment, type Variables } from "../../processes/environment.ts";
import { type Disk, findAt, findOnSearchPath, type Lookup, pathsOf, THIS_DISK } from "../../processes/search-path.ts";
import type { HandlerOf, Rule } from "../../rule.ts";
import { ownVariables } from "../rule-environment.ts";
import { findShell } from "./find-shell.ts";
import { workingDirectory } from "./working-directory.ts";

/** Everything that hookbox starts for a rule and an event, so that it can be shown before the start. */
export interface SpawnForm {
  /** The kind of start. `shell` is a POSIX shell, whose exit codes above 125 are not those of the command. */
  readonly form: "shell" | "powershell" | "exec";
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Settings of the rule that were ignored, with the reasons. */
  readonly notes: readonly string[];
}

type SpawnPlan = { readonly ok: true; readonly form: SpawnForm } | { readonly ok: false; readonly failure: Failure };

/** The maximum number of variables that a message lists. */
const MAX_NAMED = 8;

function guardsAnAction(event: HookEvent): boolean {
  const contract = contractOfEvent(event);
  return contract.kind === "gate" && !contract.blockMeansGoOn;
}

export function planSpawn(
  rule: Rule,
  handler: HandlerOf<"command">,
  event: HookEvent,
  parent: Variables,
  platform: NodeJS.Platform = process.platform,
  disk: Disk = THIS_DISK,
): SpawnPlan {
  const dialect = rule.codec.environment(event, rule);
  const incomplete = incompleteVariables(dialect);
  if (incomplete.length > 0 && rule.compat !== "faithful" && guardsAnAction(event)) {
    const names = incomplete.slice(0, MAX_NAMED).join(", ");
    const limit = `a variable holds at most ${MAX_VARIABLE_BYTES} bytes, and all of them ${MAX_VARIABLES_BYTES}`;
    return notSpawned(`the environment cannot hold the whole event (${names}): ${limit}`);
  }
  const { variables: env, searchPath } = childEnvironment({
    inherit: rule.codec.inheritedEnvironment,
    withheld: rule.keyVariables,
    parent,
    dialect,
    handler: ownVariables(rule, handler.env, parent, platform),
    platform,
  });
  const directory = workingDirectory(rule, handler, event, { variables: env, platform, disk });
  if (!directory.ok) return notSpawned(directory.reason);
  const notes = [
    ...(directory.note === undefined ? [] : [directory.note]),
    ...incomplete.slice(0, MAX_NAMED).map((name) => `${name}: the variable does not hold the whole value`),
  ];
  const common = { cwd: directory.folder, env, notes };

  if (handler.args === undefined) {
    // The placeholder is refused, because the shell would read its value as part of the script.
    const placed = handler.command.match(USER_CONFIG)?.[0];
    if (placed !== undefined) return notSpawned(`${placed} would become shell code; use it in the exec form (args)`);
    const shell = findShell(handler.shell, { searchPath, parent, platform, disk });
    if (!shell.ok) return notSpawned(shell.reason);
    const form = shell.kind === "powershell" ? "powershell" : "shell";
    // The command is one argument and the event is on stdin, so the shell never parses text from the event.
    return { ok: true, form: { form, file: shell.file, args: shell.args(handler.command), ...common } };
  }
  const known = { ...rule.codec.placeholders?.(event, rule), ...dialect };
  const written = [handler.command, ...handler.args];
  const unknown = written.flatMap((text) => text.match(USER_CONFIG) ?? []).find((text) => !isKnown(text, known));
  if (unknown !== undefined) return notSpawned(`${unknown} has no value here`);
  const [command = "", ...args] = written.map((text) => fillPlaceholders(text, known));
  const program = findProgram(command, rule, searchPath, platform, disk);
  if (!program.ok) return notSpawned(program.reason);
  return { ok: true, form: { form: "exec", file: program.file, args, ...common } };
}

/** Matches a placeholder for a setting of a plugin's user. */
const USER_CONFIG = /\$\{user_config\.[^}]*\}/g;

function isKnown(placeholder: string, variables: Variables): boolean {
  return variables[placeholder.slice(2, -1)] !== undefined;
}

/** Replaces `${NAME}` with the dialect's own variables. Other text does not change. */
function fillPlaceholders(text: string, variables: Variables): string {
  return text.replace(/\$\{([\w.]+)\}/g, (written, name: string) =>
    Object.hasOwn(variables, name) ? (variables[name] ?? written) : written,
  );
}

/** Finds the program of the exec form. A relative path is resolved against the folder of the rule's file. */
export function findProgram(
  command: string,
  { baseDir }: Rule,
  searchPath: string,
  platform: NodeJS.Platform,
  disk: Disk,
): Lookup {
  return hasSlash(command, platform)
    ? findAt(pathsOf(platform).resolve(baseDir, command), platform, disk)
    : findOnSearchPath(command, searchPath, platform, disk);
}

function hasSlash(command: string, platform: NodeJS.Platform): boolean {
  return command.includes("/") || (platform === "win32" && command.includes("\\"));
}

function notSpawned(reason: string): SpawnPlan {
  return { ok: false, failure: { kind: "spawn", message: `the command could not be started: ${reason}` } };
}
