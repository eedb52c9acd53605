import path from "node:path";
import type { Variables } from "../../processes/environment.ts";
import { type Disk, findOnSearchPath, type Lookup } from "../../processes/search-path.ts";
import type { HandlerOf } from "../../rule.ts";

/** The shell that runs a command, and its arguments before the command. */
type Shell =
  | {
      readonly ok: true;
      readonly kind: "posix" | "powershell";
      readonly file: string;
      readonly args: (command: string) => readonly string[];
    }
  | { readonly ok: false; readonly reason: string };

interface ShellSources {
  /** The child's PATH, after `cleanSearchPath`. */
  readonly searchPath: string;
  /** The environment of this process, which says where Windows keeps its programs. */
  readonly parent: Variables;
  readonly platform: NodeJS.Platform;
  readonly disk: Disk;
}

/** Finds the shell that the rule asks for. Default: `sh`; on Windows without Git, PowerShell, like Claude Code. */
export function findShell(wanted: HandlerOf<"command">["shell"], sources: ShellSources): Shell {
  if (wanted === "powershell") return findPowershell(sources);
  const shell = findPosixShell(wanted ?? "sh", sources);
  if (shell.ok || wanted !== undefined || sources.platform !== "win32") return shell;
  const fallback = findPowershell(sources);
  return fallback.ok ? fallback : shell;
}

function findPosixShell(name: "sh" | "bash", sources: ShellSources): Shell {
  const { searchPath, platform, disk } = sources;
  if (platform === "win32") return asPosix(findGitBash(sources));
  // The path is fixed, because the first `sh` on PATH may be another program.
  if (name === "sh") return asPosix({ ok: true, file: "/bin/sh" });
  return asPosix(findOnSearchPath(name, searchPath, platform, disk));
}

function asPosix(lookup: Lookup): Shell {
  if (!lookup.ok) return lookup;
  return { ok: true, kind: "posix", file: lookup.file, args: (command) => ["-c", command] };
}

/**
 * Finds Git's own `bash.exe` next to `git.exe`. The `bash.exe` on PATH is usually that of the Linux subsystem, which
 * uses other paths.
 */
function findGitBash({ searchPath, parent, disk }: ShellSources): Lookup {
  const git = findOnSearchPath("git", searchPath, "win32", disk);
  const roots = [
    // An installation has `cmd\git.exe`, `bin\git.exe` or `mingw64\bin\git.exe`.
    ...(git.ok ? ["..", "..\\.."].map((up) => path.win32.join(path.win32.dirname(git.file), up)) : []),
    ...["ProgramFiles", "ProgramFiles(x86)"].map((name) => joined(variable(parent, name), "Git")),
    joined(variable(parent, "LOCALAPPDATA"), "Programs\\Git"),
  ].filter((root) => root !== undefined);
  for (const root of roots) {
    const lookup = disk.checkExecutable(path.win32.join(root, "bin\\bash.exe"));
    if (lookup.ok) return lookup;
  }
  return {
    ok: false,
    reason: "Git Bash was found neither in the folder of git on PATH nor where Git for Windows is usually installed",
  };
}

function findPowershell({ searchPath, parent, platform, disk }: ShellSources): Shell {
  const builtIn = joined(variable(parent, "SystemRoot"), "System32\\WindowsPowerShell\\v1.0\\powershell.exe");
  const lookups = [
    findOnSearchPath("pwsh", searchPath, platform, disk),
    findOnSearchPath("powershell", searchPath, platform, disk),
    ...(platform === "win32" && builtIn !== undefined ? [disk.checkExecutable(builtIn)] : []),
  ];
  const found = lookups.find((lookup) => lookup.ok);
  if (found === undefined) {
    return { ok: false, reason: `neither "pwsh" nor "powershell" was found on PATH (${searchPath})` };
  }
  const args = (command: string) => ["-NoProfile", "-NonInteractive", "-Command", `${command}\n${KEEP_EXIT_CODE}`];
  return { ok: true, kind: "powershell", file: found.file, args };
}

/** Keeps the exit code, because `-Command` turns every other code into 1, so a refusal with 2 would be lost. */
const KEEP_EXIT_CODE = "if (-not $?) { if ($LASTEXITCODE) { exit $LASTEXITCODE } else { exit 1 } }";

/** Reads a variable without regard to case, because Windows treats `Path` and `PATH` as one variable. */
function variable(variables: Variables, name: string): string | undefined {
  const key = Object.keys(variables).find((one) => one.toUpperCase() === name.toUpperCase());
  return key === undefined ? undefined : variables[key];
}

function joined(folder: string | undefined, rest: string): string | undefined {
  return folder === undefined || folder === "" ? undefined : path.win32.join(folder, rest);
}
