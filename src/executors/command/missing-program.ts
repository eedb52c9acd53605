import { callersEnvironment } from "../../caller.ts";
import type { Problem } from "../../errors.ts";
import { childEnvironment, type Variables } from "../../processes/environment.ts";
import { type Disk, findAt, type Lookup, pathsOf, THIS_DISK } from "../../processes/search-path.ts";
import type { HandlerOf, Rule } from "../../rule.ts";
import { ownVariables } from "../rule-environment.ts";
import { findShell } from "./find-shell.ts";
import { findProgram } from "./spawn-form.ts";
import { workingDirectory } from "./working-directory.ts";

/** Returns the problems of a rule's program as warnings, because the program may exist at the first event. */
export function problemsOf(rule: Rule, handler: HandlerOf<"command">): readonly Problem[] {
  const why = whyNotStarted(rule, handler, callersEnvironment());
  if (why === undefined) return [];
  const own = rule.codec.ownCommandFor?.(handler.command);
  return [
    {
      severity: "warning",
      code: "HOOK_COMMAND_NOT_FOUND",
      message: `the command of rule "${rule.name}" cannot be started: ${why}`,
      hint:
        own === undefined
          ? "until this is fixed, the rule fails each time it runs"
          : `hookbox has this one itself: "command": ${JSON.stringify(own)}`,
      ...(rule.place === undefined ? {} : { place: rule.place }),
    },
  ];
}

/**
 * Returns why a rule's command cannot start, if that is certain before an event. Ignores parts that depend on an event,
 * a variable or a script.
 */
function whyNotStarted(
  rule: Rule,
  handler: HandlerOf<"command">,
  parent: Variables,
  platform: NodeJS.Platform = process.platform,
  disk: Disk = THIS_DISK,
): string | undefined {
  const { command, args, shell: wanted, workingDir } = handler;
  const { variables, searchPath } = childEnvironment({
    inherit: rule.codec.inheritedEnvironment,
    parent,
    dialect: {},
    handler: ownVariables(rule, handler.env, parent, platform),
    platform,
  });
  const place = { variables, platform, disk };
  // A path with variables of the event cannot be checked yet.
  const startsSomewhere = workingDir === undefined || !workingDir.includes("$");
  const noEvent = { name: rule.event, dialect: rule.dialect, payload: {} };
  const directory = startsSomewhere ? workingDirectory(rule, handler, noEvent, place) : undefined;
  if (directory?.ok === false) return directory.reason;

  if (args !== undefined) {
    return command.includes("${") ? undefined : reasonOf(findProgram(command, rule, searchPath, platform, disk));
  }
  const shell = findShell(wanted, { searchPath, parent, platform, disk });
  if (!shell.ok) return shell.reason;
  const file = shell.kind === "posix" && platform !== "win32" ? firstFile(command, variables["HOME"]) : undefined;
  if (file === undefined) return undefined;
  const { isAbsolute, resolve } = pathsOf(platform);
  if (isAbsolute(file)) return reasonOf(findAt(file, platform, disk));
  const isWhereItStarts = workingDir !== undefined || rule.codec.startsAt === "file";
  if (directory === undefined || !isWhereItStarts) return undefined;
  return reasonOf(findAt(resolve(directory.folder, file), platform, disk));
}

/** Returns the first word of a shell text, if it is a path without characters that are special to a shell. */
function firstFile(command: string, home: string | undefined): string | undefined {
  const [, bare, single, double] =
    /^\s*(?:((?:~\/)?[\w./@%+,:-]+)|'([\w./@%+,: -]+)'|"([\w./@%+,: -]+)")(?=[\s;&|<>]|$)/.exec(command) ?? [];
  if (bare?.startsWith("~/") === true) return home === undefined ? undefined : `${home}${bare.slice(1)}`;
  const word = bare ?? single ?? double;
  return word?.includes("/") ? word : undefined;
}

function reasonOf(lookup: Lookup): string | undefined {
  return lookup.ok ? undefined : lookup.reason;
}
