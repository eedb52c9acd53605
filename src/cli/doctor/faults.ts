import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeThrown } from "../../errors.ts";
import { parseJsonObject } from "../../json.ts";
import { packageFolder } from "../../package-info.ts";
import { cleanLine } from "../../text.ts";
import { type Check, checksOf } from "./check.ts";
import { type Answer, FaultWorld, kill } from "./fault-world.ts";
import { withoutPreamble } from "./report.ts";

/** Injects faults into a server of its own, with a socket, folders and rules of its own, and shows what a call gets. */

const { ok, problem } = checksOf("faults");

/** How long the agent of these calls waits, in seconds. */
const PATIENCE = 8;
const SHORT_PATIENCE = 3;
/** More calls than a server's queue for guards has places. */
const MANY = 320;

export async function* checkFaults(): AsyncGenerator<Check> {
  const world = new FaultWorld();
  try {
    for (const { id, what, run } of FAULTS) {
      try {
        const answers = await run(world);
        const open = answers.filter((answer) => !isShut(answer));
        const [first] = open.length > 0 ? open : answers;
        const said = first === undefined ? "no answer" : textIn(first, world.folder);
        const count = answers.length === 1 ? "" : `${answers.length - open.length} of ${answers.length} calls `;
        yield open.length === 0 && first !== undefined
          ? ok(id, `${what}: ${count}refused: ${said}`)
          : problem(id, `${what}: a call would run: ${said}`, "please report this");
      } catch (error) {
        yield problem(id, `${what}: the fault could not be tried: ${describeThrown(error)}`);
      }
    }
  } finally {
    await world.end();
  }
}

/** Whether an agent with Claude Code's replies would not run the call. */
function isShut({ exitCode, stdout }: Answer): boolean {
  if (exitCode === 2) return true;
  const reply = parseJsonObject(stdout);
  const specific = reply?.["hookSpecificOutput"] as { permissionDecision?: unknown } | undefined;
  return exitCode === 0 && specific?.permissionDecision === "deny";
}

function textIn({ exitCode, stdout, stderr }: Answer, folder: string): string {
  const reply = parseJsonObject(stdout)?.["hookSpecificOutput"] as { permissionDecisionReason?: string } | undefined;
  const said = reply?.permissionDecisionReason ?? stderr;
  const short = withoutPreamble(said.trim().split("\n").slice(0, 2).join(" "));
  const local = short.replaceAll(`${folder}/`, "").replaceAll(`${packageFolder()}/`, "");
  return local === "" ? `exit code ${exitCode}, without a text` : cleanLine(local, 160);
}

const GUARD = { type: "wasm", module: "builtin:shell-guard" };
const hostile = (name: string): string => join(packageFolder(), "dist/guards/hostile", `${name}.wasm`);

interface Fault {
  readonly id: string;
  readonly what: string;
  run(world: FaultWorld): Promise<readonly Answer[]>;
}

/** Runs the calls, then ends everything that this fault has started. */
const fault = (id: string, what: string, run: (world: FaultWorld) => Promise<Answer | readonly Answer[]>): Fault => ({
  id,
  what,
  run: async (world) => {
    try {
      return [await run(world)].flat();
    } finally {
      await world.stop();
    }
  },
});

const FAULTS: readonly Fault[] = [
  fault("no-server", "no server runs, and none can be started", (world) =>
    world.call(world.project(GUARD), SHORT_PATIENCE, ["--node", "/nowhere/node"]),
  ),
  fault("killed", "the server was killed", async (world) => {
    const project = world.project(GUARD);
    await kill(await world.serve());
    return world.call(project, 60);
  }),
  fault("stopped", "the server is stopped (SIGSTOP)", async (world) => {
    (await world.serve()).kill("SIGSTOP");
    return world.call(world.project(GUARD), SHORT_PATIENCE);
  }),
  fault("garbage", "another program answers at the socket", async (world) => {
    await world.standIn("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
    return world.call(world.project(GUARD), SHORT_PATIENCE);
  }),
  fault("half", "the answer ends in the middle", async (world) => {
    await world.standIn("HTTP/1.1 200 OK\r\nHookbox-Reply: 1 0 99 0\r\nContent-Length: 99\r\n\r\n{}");
    return world.call(world.project(GUARD), SHORT_PATIENCE);
  }),
  fault("silent", "the server never answers", async (world) => {
    await world.standIn(undefined);
    return world.call(world.project(GUARD), SHORT_PATIENCE);
  }),
  fault("loop", "a guard never ends", async (world) => {
    await world.serve();
    return world.call(world.project({ type: "wasm", module: hostile("endless-loop"), timeoutMs: 1_000 }), PATIENCE);
  }),
  fault("missing", "the file of a guard is missing", async (world) => {
    await world.serve();
    return world.call(world.project({ type: "wasm", module: "gone.wasm" }), PATIENCE);
  }),
  fault("digest", "the bytes of a guard have changed", async (world) => {
    await world.serve();
    return world.call(world.project({ type: "wasm", module: hostile("silent"), sha256: "0".repeat(64) }), PATIENCE);
  }),
  fault("queue", `${MANY} calls at once wait for a guard that never ends`, async (world) => {
    await world.serve(["--threads", "1"]);
    return world.callMany(world.project({ type: "wasm", module: hostile("endless-loop"), timeoutMs: 1_000 }), MANY);
  }),
  fault("cache", "the cache and state folders cannot be written", async (world) => {
    const file = join(world.folder, "a-file");
    writeFileSync(file, "");
    return world.run(world.project(GUARD), { XDG_CACHE_HOME: file, XDG_STATE_HOME: file });
  }),
  fault("disk-full", "no byte can be written to a disk", (world) =>
    world.run(
      world.project(GUARD),
      {},
      process.platform === "win32" ? [] : ["/bin/sh", "-c", 'ulimit -f 0; exec "$@"', "sh"],
    ),
  ),
];
