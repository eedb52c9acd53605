import { type ChildProcess, spawn } from "node:child_process";
import { callersEnvironment } from "../../caller.ts";
import { WITHIN_VARIABLE } from "../../models/recursion.ts";
import { childEnvironment, type Variables } from "../../processes/environment.ts";
import { findAt, findOnSearchPath, type Lookup, pathsOf, THIS_DISK } from "../../processes/search-path.ts";
import type { McpServer } from "../../rule.ts";

type StdioServer = Extract<McpServer, { kind: "stdio" }>;

type StartedServer =
  | { readonly ok: true; readonly child: ChildProcess }
  | { readonly ok: false; readonly reason: string };

/** Starts a server without a shell, in its own process group. */
export function startServer(
  server: StdioServer,
  inherit: "listed" | "most",
  parent: Variables = callersEnvironment(),
  platform: NodeJS.Platform = process.platform,
): StartedServer {
  const { variables, searchPath } = childEnvironment({
    inherit,
    withheld: server.withheld,
    parent,
    dialect: {},
    // The variable comes last, so that no rule can remove it. Programs of the server must know of the outer hook.
    handler: { ...server.env, [WITHIN_VARIABLE]: "1" },
    platform,
  });
  const { workingDir: cwd, args } = server;
  if (!THIS_DISK.isDirectory(cwd)) return { ok: false, reason: `its folder ${cwd} does not exist` };
  const program = findProgram(server, searchPath, platform);
  if (!program.ok) return { ok: false, reason: program.reason };
  try {
    const child = spawn(program.file, args, {
      cwd,
      env: variables,
      stdio: "pipe",
      detached: platform !== "win32",
      windowsHide: true,
    });
    // EPIPE is ignored, because the exit is reported. Without free descriptors there are no streams.
    for (const stream of child.stdio ?? []) stream?.on("error", () => {});
    return { ok: true, child };
  } catch (thrown) {
    return { ok: false, reason: (thrown as Error).message };
  }
}

function findProgram({ command, workingDir }: StdioServer, searchPath: string, platform: NodeJS.Platform): Lookup {
  const hasSlash = command.includes("/") || (platform === "win32" && command.includes("\\"));
  return hasSlash
    ? findAt(pathsOf(platform).resolve(workingDir, command), platform, THIS_DISK)
    : findOnSearchPath(command, searchPath, platform);
}
