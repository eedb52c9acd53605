import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEngine, type Engine } from "../../src/index.ts";
import { counting, fatalEvent } from "../executors/wasm/counting-guest.ts";
import { guest } from "../helpers/guests.ts";
import { bashCall, type CliResult, hookbox, type Project, project, replyOf } from "./cli.ts";
import { inProcess } from "./in-process.ts";

/** A guard's count, from one run of the command line to the next. */

interface Place extends Project {
  readonly env: { readonly XDG_STATE_HOME: string };
  readonly state: string;
}

function guarded(module: Uint8Array, grants: object | undefined, rule: object = {}): Place {
  const place = project();
  place.write("guard.wasm", module);
  place.configure("PreToolUse", {
    type: "wasm",
    name: "g",
    module: "./guard.wasm",
    timeoutMs: 20_000,
    ...(grants && { grants }),
    ...rule,
  });
  // Outside of the project, because a state folder in it would not be used.
  const home = join(project().folder, "state");
  return { ...place, env: { XDG_STATE_HOME: home }, state: join(home, "hookbox") };
}

const call = (session: unknown): object => ({ ...(JSON.parse(bashCall("ls")) as object), session_id: session });
const end = (session: string): object => ({ hook_event_name: "SessionEnd", session_id: session, reason: "clear" });
type Start = typeof hookbox;
/** Each run uses the same folder; tests that are about processes use `hookbox`. */
const run = ({ folder, env }: Place, payload: object, start: Start = inProcess): Promise<CliResult> =>
  start(["run"], { cwd: folder, env, stdin: JSON.stringify(payload) });
const countOf = ({ stdout }: { readonly stdout: string }): number => Number(/\b\d{6}\b/.exec(stdout)?.[0]);
const reasonOf = (result: CliResult): string => replyOf(result).permissionDecisionReason ?? "";

async function count(place: Place, session: unknown = "s", start?: Start): Promise<number> {
  return countOf(await run(place, call(session), start));
}

describe("hookbox run", () => {
  test("keeps a count from one process to the next, for each session, until the session ends", async () => {
    const place = guarded(counting(), { state: true });
    const next = (session: string): Promise<number> => count(place, session, hookbox);
    expect([await next("s"), await next("s"), await next("t")]).toEqual([1, 2, 1]);
    await run(place, end("s"), hookbox);
    expect([await next("s"), await next("t")]).toEqual([1, 2]);
  });

  test("keeps no state of a rule whose configuration has changed", async () => {
    const place = guarded(counting(), { state: true });
    expect([await count(place), await count(place)]).toEqual([1, 2]);
    place.configure("PreToolUse", {
      type: "wasm",
      name: "g",
      module: "./guard.wasm",
      timeoutMs: 20_000,
      grants: { state: { maxKeys: 9 } },
    });
    expect(await count(place)).toBe(1);
  });

  test.each(["traps", "answers with junk", "keeps too much"] as const)(
    "keeps no state of a call whose guard %s",
    async (ending) => {
      const place = guarded(counting(ending), { state: true });
      expect(await count(place)).toBe(1);
      const failed = await run(place, fatalEvent("s").payload);
      expect(replyOf(failed).permissionDecision).toBe("deny");
      expect(failed.stdout).not.toContain("000002");
      expect(await count(place)).toBe(2);
    },
  );

  test("refuses an event without a session by name, because its state would not reach the next process", async () => {
    const place = guarded(counting(), { state: true });
    for (const session of [undefined, "", 7]) {
      const refused = await run(place, call(session));
      expect(replyOf(refused)).toMatchObject({ permissionDecision: "deny" });
      expect(reasonOf(refused)).toContain("the event has no session_id");
    }
    expect(existsSync(place.state)).toBe(false);
  });

  test("creates no folder of variables for rules without state", async () => {
    const place = guarded(guest("denies"), undefined);
    await run(place, call("s"));
    await run(place, end("s"));
    expect(existsSync(join(place.state, "guards"))).toBe(false);
  });
});

test("one-shot runs, a process for many events and engines of the same folder share the count", async () => {
  const place = guarded(counting(), { state: true });
  const engines: Engine[] = [];
  onTestFinished(async () => {
    await Promise.all(engines.map((engine) => engine.close()));
  });
  for (const _ of [1, 2]) {
    engines.push(
      await createEngine({
        configFiles: [join(place.folder, "hookbox.json")],
        cwd: place.folder,
        stateFolder: place.state,
        sandbox: { threads: 1 },
      }),
    );
  }
  const lines = async (): Promise<number[]> => {
    const stdin = Array.from({ length: 6 }, (_, id) => `${JSON.stringify({ id, ...call("s") })}\n`).join("");
    const { stdout } = await hookbox(["run", "--lines"], { cwd: place.folder, env: place.env, stdin });
    return stdout
      .trim()
      .split("\n")
      .map((line) => countOf({ stdout: line }));
  };
  const counts = await Promise.all([
    lines(),
    lines(),
    ...Array.from({ length: 6 }, () => count(place, "s", hookbox)),
    ...engines.flatMap((engine) =>
      Array.from({ length: 6 }, async () =>
        countOf({ stdout: (await engine.dispatch("PreToolUse", { ...call("s") })).reason ?? "" }),
      ),
    ),
  ]);
  expect(counts.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
});

describe("a rule of the project's file", () => {
  test("neither reads nor changes the state of the user's rule of the same name and module", async () => {
    const place = guarded(counting(), { state: true });
    const module = join(place.folder, "guard.wasm");
    const hook = { type: "wasm", name: "g", module, timeoutMs: 20_000, grants: { state: true } };
    const home = project();
    mkdirSync(join(home.folder, "hookbox"));
    const userFile = home.write("hookbox/hookbox.json", "");
    const write = (file: string, on: boolean): void =>
      writeFileSync(file, JSON.stringify({ hooks: on ? { PreToolUse: [{ hooks: [hook] }] } : {} }));
    const counts = async (): Promise<readonly string[]> => {
      const env = { ...place.env, XDG_CONFIG_HOME: home.folder };
      const { stdout } = await inProcess(["run"], { cwd: place.folder, env, stdin: JSON.stringify(call("s")) });
      return stdout.match(/\b\d{6}\b/g) ?? [];
    };
    const projectFile = join(place.folder, "hookbox.json");
    write(userFile, false);
    write(projectFile, true);
    for (const count of ["000001", "000002"]) expect(await counts()).toEqual([count]);
    write(userFile, true);
    expect((await counts())[0]).toBe("000001");
    write(projectFile, false);
    expect(await counts()).toEqual(["000002"]);
  });
});

describe("a rule of the project's file that has the same name and comes first", () => {
  test("does not erase the state of the user's rule", async () => {
    const place = guarded(counting(), { state: true });
    const copy = place.write("copy.wasm", counting());
    const rule = { type: "wasm", name: "g", timeoutMs: 20_000, grants: { state: true } };
    const home = project();
    mkdirSync(join(home.folder, "hookbox"));
    const hooks = (hook: object): string => JSON.stringify({ hooks: { PreToolUse: [{ hooks: [hook] }] } });
    home.write("hookbox/hookbox.json", hooks({ ...rule, module: join(place.folder, "guard.wasm") }));
    const counts = async (): Promise<readonly string[]> => {
      const env = { ...place.env, XDG_CONFIG_HOME: home.folder };
      const { stdout } = await inProcess(["run", "--json"], {
        cwd: place.folder,
        env,
        stdin: JSON.stringify(call("s")),
      });
      const { rules } = JSON.parse(stdout) as { readonly rules: readonly { rule: string; reason?: string }[] };
      return rules.map((one) => `${one.rule} ${countOf({ stdout: JSON.stringify(one) })}`).sort();
    };
    place.write("hookbox.json", "{}");
    expect(await counts()).toEqual(["g 1"]);
    place.write("hookbox.json", hooks({ ...rule, module: copy, priority: 1_000 }));
    expect(await counts()).toEqual(["g #2 1", "g 2"]);
    place.write("hookbox.json", "{}");
    expect(await counts()).toEqual(["g 3"]);
  });
});

test("one process for many events keeps a count for each session, until the session ends", async () => {
  const { folder, env } = guarded(counting(), { state: true });
  const lines = [call("a"), call("a"), call("b"), end("a"), call("a"), call("b")];
  const stdin = lines.map((line, id) => `${JSON.stringify({ id, ...line })}\n`).join("");
  const { stdout } = await inProcess(["run", "--lines"], { cwd: folder, env, stdin });
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => countOf({ stdout: line }));
  expect(answers.filter((count) => !Number.isNaN(count))).toHaveLength(5);
  // Lines are judged at the same time; lines of one session are judged in order.
  expect(answers.slice(0, 3)).toEqual([1, 2, 1]);
  expect(answers[5]).toBe(2);
});

test("one process for many events has a session for events without one, and stores nothing of it", async () => {
  const { folder, env, state } = guarded(counting(), { state: true });
  const stdin = [1, 2].map((id) => `${JSON.stringify({ id, ...call(undefined) })}\n`).join("");
  const { stdout } = await inProcess(["run", "--lines"], { cwd: folder, env, stdin });
  expect(stdout.match(/\b\d{6}\b/g)).toEqual(["000001", "000002"]);
  expect(existsSync(join(state, "guards"))).toBe(false);
});

describe("a state folder that cannot be used", () => {
  const only = (folder: string): string => join(folder, readdirSync(folder)[0] as string);
  const spoil: Record<string, readonly [(guards: string) => void, string]> = {
    "has an edited file": [
      (guards) => {
        const scope = only(only(only(guards)));
        for (const name of readdirSync(scope)) if (name.startsWith("data-")) writeFileSync(join(scope, name), "x");
      },
      "is damaged",
    ],
    "may be entered by others": [(guards) => chmodSync(guards, 0o755), "has mode 0755, so other users can enter it"],
    "is a link": [
      (guards) => {
        rmSync(guards, { recursive: true });
        mkdirSync(`${guards}-elsewhere`);
        symlinkSync(`${guards}-elsewhere`, guards);
      },
      "is a link",
    ],
    "is a file": [
      (guards) => {
        rmSync(guards, { recursive: true });
        writeFileSync(guards, "");
      },
      "is not a folder",
    ],
  };

  test.each(Object.entries(spoil))(
    "because %s denies by name, and the reason says how to repair it",
    async (_, [break_, says]) => {
      const place = guarded(counting(), { state: true });
      expect(await count(place)).toBe(1);
      break_(join(place.state, "guards"));
      const refused = await run(place, call("s"));
      expect(refused.exitCode).toBe(0);
      expect(replyOf(refused).permissionDecision).toBe("deny");
      expect(reasonOf(refused)).toMatch(/^g \(/);
      expect(reasonOf(refused)).toContain(says);
      // A user who follows the message has a working store.
      const [, path = "", how] =
        /could not be loaded: (\S+) .*; to fix it: (remove it|chmod 700)/.exec(reasonOf(refused)) ?? [];
      if (how === "remove it") rmSync(path, { recursive: true });
      else chmodSync(path, 0o700);
      expect(await count(place)).toBe(how === "remove it" ? 1 : 2);
    },
  );

  test("because it cannot be created denies by name, with the system's error", async () => {
    const place = guarded(counting(), { state: true });
    const refused = await run({ ...place, env: { XDG_STATE_HOME: "/proc/nowhere" } }, call("s"));
    expect(replyOf(refused).permissionDecision).toBe("deny");
    expect(reasonOf(refused)).toMatch(/cannot be used \(E[A-Z]+\); to fix it: .*XDG_STATE_HOME/);
  });

  test("does not stop rules without state from answering", async () => {
    const place = guarded(guest("denies"), undefined);
    const { exitCode, stdout } = await run({ ...place, env: { XDG_STATE_HOME: "/proc/nowhere" } }, call("s"));
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain("cannot be used");
  });
});

describe("hookbox check", () => {
  const warnings = async (place: Place, env: object = place.env): Promise<readonly object[]> => {
    const { stdout, exitCode } = await inProcess(["check", "--json"], { cwd: place.folder, env: { ...env } });
    expect(exitCode).toBe(0);
    const { problems } = JSON.parse(stdout) as { readonly problems: readonly { readonly code: string }[] };
    return problems.filter(({ code }) => code === "HOOK_STATE");
  };

  test("has no problem with a rule whose guard can keep what it is granted", async () => {
    const place = guarded(counting(), { state: true });
    expect(await warnings(place)).toEqual([]);
    expect(existsSync(place.state)).toBe(false);
    await count(place);
    expect(await warnings(place)).toEqual([]);
  });

  test("warns of a rule whose guard cannot keep state on this machine", async () => {
    const place = guarded(counting(), { state: true });
    mkdirSync(join(place.state, "guards"), { recursive: true, mode: 0o755 });
    chmodSync(join(place.state, "guards"), 0o755);
    expect(await warnings(place)).toEqual([
      {
        severity: "warning",
        code: "HOOK_STATE",
        message: expect.stringMatching(/^rule "g": grants state, and "hookbox run" cannot keep it: .*chmod 700 /),
        place: expect.objectContaining({ line: expect.any(Number) }),
      },
    ]);
    expect(await warnings(place, { XDG_STATE_HOME: "/dev/null/state" })).toHaveLength(1);
    expect(await warnings(guarded(guest("denies"), undefined), { XDG_STATE_HOME: "/dev/null/state" })).toEqual([]);
  });
});
