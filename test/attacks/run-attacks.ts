import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { guest, wat } from "../helpers/guests.ts";
import type { Attack } from "./attacks.ts";
import { CANARY, type OpenWorld, openWorld } from "./granted/world.ts";
import { MADE_MODULES } from "./made-modules.ts";
import type { Plan, Report } from "./plan.ts";

/** Attacks an engine in a separate process. */

const ROOT = path.resolve(import.meta.dirname, "../..");
export const ATTACK_FOLDER = path.join(ROOT, "test/fixtures/attacks");

const MAY = ["deny", "ask", "allow", "rewrite", "context"];
const COUNTING = "allows-then-loops-for-ever";

/** Some take long to build, and each run of a file uses the same ones. */
const modules = new Map<string, Uint8Array<ArrayBuffer>>();

export function moduleOf({ module }: Pick<Attack, "module">): Uint8Array<ArrayBuffer> {
  const known = modules.get(module);
  if (known !== undefined) return known;
  const make =
    MADE_MODULES[module] ?? (() => wat(readFileSync(path.join(ATTACK_FOLDER, `${module}.wat`), "utf8"), module));
  const bytes = make();
  modules.set(module, bytes);
  return bytes;
}

interface AttackRun extends Pick<Plan, "ordinary" | "threads" | "lanes" | "seed" | "isWatched" | "boundary"> {
  readonly attacks: readonly Attack[];
  readonly timeoutMs: number;
}

export interface AttackReport extends Report {
  readonly stdout: string;
  readonly stderr: string;
  /** Connections to the server that must receive nothing. */
  readonly caught: number;
  /** The requests to the granted server. */
  readonly requests: OpenWorld["requests"];
  /** Changes to files that were not granted. */
  readonly damage: readonly string[];
}

export async function runAttacks({ attacks, timeoutMs, ...parts }: AttackRun): Promise<AttackReport> {
  const folder = mkdtempSync(path.join(tmpdir(), "hookbox-attacks-"));
  const world = await openWorld({ isChanging: attacks.some(({ grants }) => grants !== undefined) });
  try {
    const write = (name: string, content: string | Uint8Array): string => {
      const file = path.join(folder, name);
      writeFileSync(file, content);
      return file;
    };
    const witness = {
      type: "wasm",
      name: "witness",
      module: write("witness.wasm", guest("denies-what-it-can-read")),
      timeoutMs,
    };
    const counting: Attack = { name: "counting", module: COUNTING, ends: { kind: "fuel" }, calls: 1 };
    const groups = [...attacks, counting].map((attack) => ({
      matcher: attack.name,
      hooks: [
        {
          type: "wasm",
          name: attack.name,
          module: write(`${attack.name}.wasm`, attack.source?.(world) ?? moduleOf(attack)),
          ...(attack.grants === undefined ? {} : { grants: attack.grants(world) }),
          ...(attack.function === undefined ? {} : { function: attack.function }),
          may: MAY,
          timeoutMs: attack.timeoutMs ?? timeoutMs,
          ...(attack.fuel === undefined ? {} : { limits: { fuel: attack.fuel } }),
        },
        ...(attack.witness === true ? [witness] : []),
      ],
    }));
    const plan: Plan = {
      ...parts,
      engine: pathToFileURL(path.join(ROOT, "dist/bundle/index.js")).href,
      config: {
        hooks: {
          PreToolUse: [
            ...groups,
            { matcher: "Bash", hooks: [{ type: "wasm", module: "builtin:shell-guard", timeoutMs }] },
            { matcher: "Read", hooks: [witness] },
          ],
        },
      },
      attacks: attacks.map(({ name, calls, sessions }) => ({ name, calls, sessions })),
      counting: "counting",
      report: path.join(folder, "report.json"),
    };
    const script = path.join(import.meta.dirname, "attacked-engine.ts");
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ["--import", "tsx", script, write("plan.json", JSON.stringify(plan))],
      { cwd: ROOT, timeout: 120_000, killSignal: "SIGKILL", env: { ...process.env, HOOKBOX_CANARY: CANARY } },
    );
    const report = JSON.parse(readFileSync(plan.report, "utf8")) as Report;
    const { requests } = world;
    return { ...report, stdout, stderr, caught: world.caught(), requests, damage: world.damage() };
  } finally {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
