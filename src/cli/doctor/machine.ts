import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { defaultCacheFolder } from "../../cache/cache-folder.ts";
import { createEngine } from "../../engine.ts";
import { describeThrown } from "../../errors.ts";
import { defaultStateFolder } from "../../state/default-state-folder.ts";
import { isPrivateFolder } from "../../state/private-folder.ts";
import { whyVariableHasNoEffect } from "../off/agent-process.ts";
import { OFF_VARIABLE } from "../off/off-file.ts";
import { clockTime, lastRecord, offNow } from "../off/off-now.ts";
import { type Check, checksOf } from "./check.ts";

const { ok, warning, problem } = checksOf("machine");

const LEAST_NODE = [20, 19] as const;

export async function checkMachine(): Promise<readonly Check[]> {
  return [
    nodeVersion(),
    await sandbox(),
    folder("cache", defaultCacheFolder),
    folder("state", defaultStateFolder),
    ...off(),
  ];
}

function nodeVersion(): Check {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const text = `Node ${process.versions.node} on ${process.platform} ${process.arch}`;
  const isOld = major < LEAST_NODE[0] || (major === LEAST_NODE[0] && minor < LEAST_NODE[1]);
  return isOld ? problem("node", text, `install Node ${LEAST_NODE.join(".")} or newer`) : ok("node", text);
}

/** Lets a guard judge two calls. The sandbox tests its own limits before the first call. */
async function sandbox(): Promise<Check> {
  const hook = { type: "wasm", name: "shell-guard", module: "builtin:shell-guard", timeoutMs: 20_000 };
  const engine = await createEngine({
    config: { version: 1, hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook] }] } },
    sandbox: { threads: 1 },
  });
  try {
    const judge = (command: string) =>
      engine.dispatch("PreToolUse", { tool_name: "Bash", tool_input: { command } }, { patienceMs: 30_000 });
    const [harmful, harmless] = [await judge("rm -rf /"), await judge("ls")];
    const failure = [...harmful.rules, ...harmless.rules].find((one) => one.failure !== null)?.failure;
    if (failure) return problem("sandbox", `a guard cannot run: ${failure.message}`, "hookbox demo shows more");
    const isRight = harmful.decision === "deny" && harmless.decision === "none";
    return isRight
      ? ok("sandbox", "the sandbox has passed its self-test, and shell-guard judges calls")
      : problem(
          "sandbox",
          `shell-guard answered "${harmful.decision}" to rm -rf /, and "${harmless.decision}" to ls`,
          "install hookbox again",
        );
  } finally {
    await engine.close();
  }
}

/** A folder that does not exist yet is in order if hookbox can create it. */
function folder(name: "cache" | "state", find: () => string): Check {
  try {
    const path = find();
    if (!isPrivateFolder(path)) {
      let parent = path;
      while (!existsSync(parent)) parent = dirname(parent);
      if (!statSync(parent).isDirectory()) throw new Error(`${parent} is not a folder`);
      accessSync(parent, constants.W_OK | constants.X_OK);
      return ok(name, `the ${name} folder will be ${path}`);
    }
    accessSync(path, constants.W_OK | constants.X_OK);
    return ok(name, `the ${name} folder is private: ${path}`);
  } catch (error) {
    const repair = "only you may have access to it, and you must be able to write it";
    const text = `the ${name} folder cannot be used: ${describeThrown(error)}`;
    // Without a cache, each process only does the same work again.
    return name === "cache" ? warning(name, text, repair) : problem(name, text, repair);
  }
}

function off(): readonly Check[] {
  const now = offNow();
  if (now?.how === "command")
    return [
      problem(
        "off",
        `hookbox is switched off until ${clockTime(now.until)}, by ${now.by} in ${now.terminal}: no rule judges any call`,
        "hookbox enable",
      ),
    ];
  if (now?.how === "variable")
    return [problem("off", `${OFF_VARIABLE} switches hookbox off here`, "start the agent without it")];
  const last = lastRecord();
  const before =
    last === undefined
      ? []
      : [
          ok(
            "off",
            `hookbox is on; it was off from ${clockTime(last.since)} to ${clockTime(last.until)}, by ${last.by} in ${last.terminal}`,
          ),
        ];
  if (process.env[OFF_VARIABLE] === undefined) return before;
  return [
    ...before,
    warning("off", `${OFF_VARIABLE} is set and has no effect here: ${whyVariableHasNoEffect(process.pid)}`),
  ];
}
