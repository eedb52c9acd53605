import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Compat } from "../../src/codec.ts";
import type { ConfigFile } from "../../src/config/load.ts";
import { dockerAgent } from "../../src/dialects/docker-agent/dialect.ts";
import type { EngineOptions } from "../../src/engine/options.ts";
import { createEngine, type Engine } from "../../src/engine.ts";
import type { JsonObject } from "../../src/json.ts";
import type { Verdict } from "../../src/verdict.ts";

/** The page's scripts use jq, and so do ours. */
export const hasJq = spawnSync("jq", ["--version"]).status === 0;

const EXAMPLES = join(import.meta.dirname, "docker-agent");

/** Returns the text of an example. */
export function example(name: string): string {
  return readFileSync(join(EXAMPLES, name), "utf8");
}

export function exampleJson(name: string): JsonObject {
  return JSON.parse(example(name)) as JsonObject;
}

/** What the agent reads. */
interface Answer {
  readonly verdict: Verdict;
  readonly exitCode: number;
  readonly stderr: string;
  /** The output as JSON; `undefined` if nothing was printed. */
  readonly json: JsonObject | undefined;
}

interface Shop {
  readonly engine: Engine;
  readonly folder: string;
  /** Dispatches one event in the agent's own format. */
  fire(name: string, fields?: JsonObject, lane?: "preempt" | "default"): Promise<Answer>;
  /** Returns what a hook has written to its folder; empty if the file does not exist. */
  read(file: string): string;
}

interface Terms {
  readonly compat?: Compat;
  readonly agent?: string;
  readonly onActivity?: EngineOptions["onActivity"];
}

/** Creates a folder with all examples and their scripts. */
export function shopFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hookbox-shop-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(EXAMPLES, folder, { recursive: true });
  return folder;
}

/** Creates an engine with these files, by name or as text, in a new folder. */
export async function openShop(config: string, { compat, agent, onActivity }: Terms = {}): Promise<Shop> {
  const folder = shopFolder();
  const isText = config.includes("\n");
  if (isText) writeFileSync(join(folder, "given.yaml"), config);
  const files: ConfigFile[] = [
    {
      file: isText ? "given.yaml" : config,
      layer: "user",
      dialect: "docker-agent",
      ...(agent === undefined ? {} : { agent }),
    },
  ];
  if (compat !== undefined) {
    writeFileSync(join(folder, "compat.json"), JSON.stringify({ compat }));
    files.unshift({ file: "compat.json", layer: "user", dialect: "hookbox" });
  }
  const options = { configFiles: files, cwd: folder, dialect: "docker-agent", cacheDir: false as const };
  const engine = await createEngine({ ...options, ...(onActivity === undefined ? {} : { onActivity }) });
  onTestFinished(() => engine.close());
  return {
    engine,
    folder,
    read: (file) => (existsSync(join(folder, file)) ? readFileSync(join(folder, file), "utf8") : ""),
    fire: async (name, fields = {}, lane) => {
      const payload = { session_id: "till-4", cwd: folder, hook_event_name: name, ...fields };
      const decoded = dockerAgent.decodeEvent(payload, undefined);
      if (!decoded.ok) throw new Error(decoded.message);
      const options = lane === undefined ? {} : { lane };
      const verdict = await engine.dispatch(decoded.name, decoded.payload, options);
      const { stdout, stderr, exitCode } = dockerAgent.encodeReply(verdict, decoded);
      return { verdict, exitCode, stderr, json: stdout === "" ? undefined : (JSON.parse(stdout) as JsonObject) };
    },
  };
}

/** Returns a shell call. */
export const shell = (cmd: string): JsonObject => ({
  agent_name: "root",
  tool_name: "shell",
  tool_use_id: "call_31",
  tool_input: { cmd, cwd: "." },
});

export const specific = (answer: Answer): JsonObject | undefined =>
  answer.json?.["hook_specific_output"] as JsonObject | undefined;
