import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Codec } from "../../src/codec.ts";
import type { ConfigFile } from "../../src/config/load.ts";
import { dialectNamed } from "../../src/dialects/registry.ts";
import type { HookEvent } from "../../src/event.ts";
import { contractOf } from "../../src/events/lookup.ts";
import { createEngine, HookError, type JsonObject, type RuleInput, type Verdict } from "../../src/index.ts";
import type { ModelFunction } from "../../src/models/model.ts";
import type { CliResult } from "../e2e/cli.ts";
import { inProcess } from "../e2e/in-process.ts";
import type { Compat, Kit, RunCase } from "./case.ts";
import { makeKit } from "./kit.ts";
import { RunCounts } from "./run-counts.ts";
import type { Servers } from "./servers.ts";

/** Everything that an expectation can check. */
interface Observed {
  readonly verdict: Verdict | undefined;
  readonly reply: { readonly stdout: unknown; readonly stderr: string; readonly exitCode: number } | undefined;
  readonly runs: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
  readonly throws: string | undefined;
}

/** Runs a case with a real engine, real files and real hooks, and leaves nothing behind. */
export async function runCase(one: RunCase, compat: Compat, dialect: string, servers: Servers): Promise<Observed> {
  return withFiles(one, dialect, servers, async ({ folder, kit, written, settings, models, counts }) => {
    const files: ConfigFile[] = [];
    if (compat === "faithful") {
      writeFileSync(join(folder, "compat.json"), JSON.stringify({ compat: "faithful" }));
      files.push({ file: "compat.json", layer: "user", dialect: "hookbox" });
    }
    files.push(...written, ...settings);
    const stub: ModelFunction = (request, context) => (models.get(request.model) as ModelFunction)(request, context);
    const engine = await createEngine({ configFiles: files, cwd: folder, dialect, cacheDir: false, models: { stub } });
    let outcome: Pick<Observed, "verdict" | "reply" | "throws">;
    try {
      const rules = one.registers?.(kit) ?? [];
      if (rules.length > 0) await engine.register(rules as unknown as readonly RuleInput[]);
      outcome = await dispatchAll(engine, one, dialect, kit);
    } finally {
      // Waits for background hooks, which are counted as well.
      await engine.close();
    }
    return { ...outcome, runs: counts.read(), problems: engine.problems.map(({ code }) => code) };
  });
}

/** Whether the case needs nothing that only an embedding program can do. */
export function isForCommandLine({
  registers,
  options,
  cancelAfterMs,
  times,
  atOnce,
  layer,
  moreFiles,
}: RunCase): boolean {
  const embedded = [registers, options, cancelAfterMs, times, atOnce, layer, moreFiles];
  return embedded.every((part) => part === undefined);
}

/** Runs a case through `hookbox run`. `undefined`: the case asks a model that is a function of this process. */
export async function runByCommandLine(
  one: RunCase,
  compat: Compat,
  dialect: string,
  servers: Servers,
  answer: "verdict" | "reply",
): Promise<CliResult | undefined> {
  return withFiles(one, dialect, servers, async ({ folder, kit, written, settings, models }) => {
    if (models.size > 0) return undefined;
    const { event = "PreToolUse" } = one;
    const payload = payloadOf(one, dialect, kit);
    const codec = dialectNamed(dialect)?.codec as Codec;
    const stdin = codec.encodePayload({ name: event, payload } as HookEvent);
    const args = [
      ...["run", "--dialect", dialect, "--event", event, "--patience", "60"],
      ...(compat === "faithful" ? ["--compat", "faithful"] : []),
      ...written.flatMap(({ file }) => ["--config", `${dialect}:${join(folder, file)}`]),
      ...settings.flatMap(({ file }) => ["--config", `hookbox:${join(folder, file)}`]),
    ];
    return inProcess(answer === "verdict" ? [...args, "--json"] : args, { stdin });
  });
}

interface CaseFiles {
  readonly folder: string;
  readonly kit: Kit;
  readonly written: readonly ConfigFile[];
  readonly settings: readonly ConfigFile[];
  readonly models: ReadonlyMap<string, ModelFunction>;
  readonly counts: RunCounts;
}

async function withFiles<Result>(
  one: RunCase,
  dialect: string,
  servers: Servers,
  run: (files: CaseFiles) => Promise<Result>,
): Promise<Result> {
  const folder = servers.folders.take();
  const counts = new RunCounts(join(folder, "runs.log"));
  try {
    const models = new Map<string, ModelFunction>();
    const made = makeKit(folder, counts, servers, models);
    const { kit } = made;
    const layer = one.layer ?? "user";
    const config = one.config?.(kit);
    const all = [...(config === undefined ? [] : [{ layer, config }]), ...(one.moreFiles?.(kit) ?? [])];
    const written = all.map(({ layer, config }, index): ConfigFile => {
      const isText = typeof config === "string";
      const file = `hooks-${index}.${isText ? "yaml" : "json"}`;
      writeFileSync(join(folder, file), isText ? config : JSON.stringify(config));
      return { file, layer, dialect };
    });
    const settings: ConfigFile[] = [];
    if (Object.keys(made.settings).length > 0) {
      writeFileSync(join(folder, "settings.json"), JSON.stringify(made.settings));
      settings.push({ file: "settings.json", layer: "user", dialect: "hookbox" });
    }
    return await run({ folder, kit, written, settings, models, counts });
  } finally {
    servers.folders.giveBack(folder);
  }
}

async function dispatchAll(
  engine: Awaited<ReturnType<typeof createEngine>>,
  one: RunCase,
  dialect: string,
  kit: Kit,
): Promise<Pick<Observed, "verdict" | "reply" | "throws">> {
  const { event = "PreToolUse", times = 1, atOnce = 1 } = one;
  const full = payloadOf(one, dialect, kit);
  let verdict: Verdict | undefined;
  try {
    for (let time = 0; time < times; time += 1) {
      const signal = one.cancelAfterMs === undefined ? {} : { signal: AbortSignal.timeout(one.cancelAfterMs) };
      const dispatched = Array.from({ length: atOnce }, () =>
        engine.dispatch(event, full, { ...one.options, ...signal }),
      );
      verdict = (await Promise.all(dispatched)).at(-1);
    }
  } catch (error) {
    if (error instanceof HookError) return { verdict: undefined, reply: undefined, throws: error.code };
    throw error;
  }
  const decided = { name: event, payload: full };
  const encoded = verdict === undefined ? undefined : dialectNamed(dialect)?.encodeReply(verdict, decided);
  return {
    verdict,
    reply: encoded === undefined ? undefined : { ...encoded, stdout: parsed(encoded.stdout) },
    throws: undefined,
  };
}

function payloadOf({ event = "PreToolUse", payload }: RunCase, dialect: string, kit: Kit): JsonObject {
  const own = typeof payload === "function" ? payload(kit) : payload;
  return { ...samplePayload(event, dialect, kit.folder), ...own };
}

/** Returns the fields without which no event of that name is accepted. */
function samplePayload(event: string, dialect: string, folder: string): JsonObject {
  const required = contractOf(event, dialect)?.required ?? [];
  const fields = Object.fromEntries(required.map((field) => [field, `some ${field}`]));
  const tool = required.includes("tool_name") ? { tool_name: "Bash", tool_input: { command: "ls" } } : {};
  return { session_id: "session", cwd: folder, ...fields, ...tool };
}

export function parsed(stdout: string): unknown {
  try {
    return JSON.parse(stdout);
  } catch {
    return stdout;
  }
}
