import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeFolder } from "../helpers/folders.ts";
import { NODE } from "../relay/relays.ts";
import { accountOf } from "./approve.ts";
import { hookbox, MAIN, ownFolders } from "./cli.ts";

interface Report {
  readonly ok: boolean;
  readonly checks: readonly { area: string; id: string; status: string; text: string; repair?: string }[];
}

const RULES = JSON.stringify({
  version: 1,
  hooks: {
    PreToolUse: [
      {
        matcher: "*",
        hooks: [
          { type: "wasm", module: "builtin:shell-guard" },
          { type: "wasm", module: "builtin:secret-guard" },
        ],
      },
    ],
  },
});
const NATIVE = resolve(import.meta.dirname, `../../relay/relay-linux-${process.arch}`);

/** A user of Claude Code whose settings start hookbox. */
function installed({
  timeout = 60,
  matcher = "*",
  main = MAIN,
  relay = existsSync(NATIVE) ? [NATIVE] : [NODE, MAIN, "relay"],
} = {}) {
  const home = makeFolder({ ".config/hookbox/hookbox.json": RULES, ".claude": null });
  const state = join(home, ".local/state/hookbox");
  mkdirSync(state, { recursive: true });
  chmodSync(state, 0o700);
  const socket = join(state, "s");
  const [command, ...first] = relay;
  const args = [...first, "claude-code", "--socket", socket, "--main", main, "--node", NODE, "--event", "PreToolUse"];
  // The server has no HOME of the user's, as after its start by a relay.
  const rules = join(home, ".config/hookbox/hookbox.json");
  const hook = { type: "command", command, args: [...args, "--patience", "60", "--config", rules], timeout };
  const settings = join(home, ".claude/settings.json");
  writeFileSync(settings, JSON.stringify({ hooks: { PreToolUse: [{ matcher, hooks: [hook] }] } }));
  const env = {
    ...ownFolders(),
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_STATE_HOME: join(home, ".local/state"),
  };
  const cwd = makeFolder({ ".claude": null });
  onTestFinished(async () => void (await hookbox(["serve", "--stop", "--socket", socket], { env })));
  const doctor = async (...more: string[]) => {
    const { stdout, exitCode, stderr } = await hookbox(["doctor", "claude-code", "--json", ...more], { env, cwd });
    return { ...(JSON.parse(stdout) as Report), exitCode, stderr };
  };
  return { home, state, env, cwd, settings, doctor };
}

const found = ({ checks }: Report, area: string, id: string) =>
  checks.filter((one) => one.area === area && one.id === id).map(({ status, text }) => `${status}: ${text}`);

describe("hookbox doctor", { timeout: 120_000 }, () => {
  test("sends calls of each class of tools through the installed entry, and finds them denied", async () => {
    const report = await installed().doctor();
    expect(report.checks.filter(({ status }) => status === "problem")).toEqual([]);
    expect([report.exitCode, report.ok]).toEqual([0, true]);
    expect(found(report, "calls", "bash")).toEqual([expect.stringMatching(/^ok: .*denied \(\d+ ms\): shell-guard: /)]);
    expect(found(report, "calls", "sub-agent")).toEqual([
      expect.stringMatching(/^ok: .*denied \(\d+ ms\): shell-guard: /),
    ]);
    expect(found(report, "calls", "write")).toEqual([expect.stringMatching(/^ok: .*denied .*secret-guard/)]);
    expect(found(report, "calls", "harmless")).toEqual([expect.stringMatching(/^ok: .*passes/)]);
    expect(found(report, "calls", "read")).toEqual([expect.stringMatching(/^warning: .*no rule denies it/)]);
  });

  test("prints a text with ~ for the home, and colours only on a terminal", async () => {
    const { env, cwd, home } = installed();
    const { stdout } = await hookbox(["doctor", "claude-code"], { env, cwd });
    expect(stdout).toContain("ok       Claude Code: ~/.claude/settings.json starts hookbox at PreToolUse");
    expect(stdout).not.toContain(home);
    expect(stdout).not.toContain("\u001b");
    expect(stdout).toMatch(/\n\d+ ok, \d+ warnings?, 0 problems\n$/);
  });

  test("reports a timeout that is shorter than hookbox's patience, and a file that is gone", async () => {
    const report = await installed({ timeout: 10, main: "/nowhere/hookbox.cjs" }).doctor();
    expect(report.exitCode).toBe(1);
    expect(found(report, "settings", "patience")).toEqual([expect.stringContaining("waits 10 s and then goes on")]);
    expect(found(report, "settings", "path")).toEqual([expect.stringContaining("--main /nowhere/hookbox.cjs")]);
    expect(found(report, "calls", "bash")).toEqual([expect.stringContaining("refused without judging")]);
  });

  test("reports an entry that answers nothing, because the agent then runs every call", async () => {
    const fake = join(makeFolder({ "relay.sh": "#!/bin/sh\ncat >/dev/null\n" }), "relay.sh");
    chmodSync(fake, 0o755);
    const report = await installed({ relay: [fake] }).doctor();
    expect(found(report, "calls", "bash")).toEqual([
      expect.stringMatching(/^problem: .*although shell-guard covers it/),
    ]);
  });

  test("reports tools that the entry's matcher leaves out", async () => {
    const report = await installed({ matcher: "Bash" }).doctor();
    expect(found(report, "calls", "write")).toEqual([expect.stringContaining("does not cover this tool")]);
  });

  test("reports settings of a repository that switch hooks off or redirect them", async () => {
    const one = installed();
    const env = {
      LD_PRELOAD: "/x.so",
      NODE_OPTIONS: "",
      CLAUDE_CODE_SIMPLE: "1",
      HTTP_PROXY: "http://x",
      HOOKBOX_OFF: "1",
    };
    const settings = { disableAllHooks: true, allowedHttpHookUrls: [], env: { ...env, HARMLESS: "1" } };
    writeFileSync(join(one.cwd, ".claude/settings.json"), JSON.stringify(settings));
    const report = await one.doctor();
    expect(found(report, "settings", "disableAllHooks")).toEqual([expect.stringMatching(/^problem/)]);
    expect(found(report, "settings", "allowedHttpHookUrls")).toEqual([expect.stringMatching(/^warning/)]);
    expect(found(report, "settings", "env").map((text) => /sets (\w+)/.exec(text)?.[1])).toEqual(Object.keys(env));
    writeFileSync(join(one.cwd, ".claude/settings.local.json"), '{"disableAllHooks": false}');
    expect(found(await one.doctor(), "settings", "disableAllHooks")).toEqual([expect.stringMatching(/^warning/)]);
  });

  test("starts no entry of a project's settings, before the user has approved the file", async () => {
    const one = installed();
    rmSync(one.settings);
    const mark = join(one.home, "started");
    const hook = { type: "command", command: `touch ${mark}; cat >/dev/null; true ./hookbox` };
    const file = join(one.cwd, ".claude/settings.json");
    writeFileSync(file, JSON.stringify({ hooks: { PreToolUse: [{ matcher: "*", hooks: [hook] }] } }));
    const report = await one.doctor();
    expect(found(report, "calls", "not-started")).toEqual([expect.stringMatching(/^warning: .*come with the project/)]);
    const { stderr } = await hookbox(["hooks", "fire", "PreToolUse"], { env: one.env, cwd: one.cwd });
    expect(stderr).toContain("may have come with the project");
    expect(existsSync(mark)).toBe(false);
    const account = { env: { ...one.env, ...accountOf(one.home) }, cwd: one.cwd, approves: false };
    const { digest } = JSON.parse((await hookbox(["trust", file, "--json"], account)).stdout) as { digest: string };
    expect((await hookbox(["trust", file, "--trust", digest], account)).exitCode).toBe(0);
    await hookbox(["hooks", "fire", "PreToolUse"], account);
    expect(existsSync(mark)).toBe(true);
    expect((await hookbox(["doctor", "claude-code"], account)).stdout).toContain(
      "approved content of 1 file is in force",
    );
  });

  test.each(["codex", "qwen", "docker-agent"])(
    "finds the entry that hookbox init has written for %s",
    async (agent) => {
      const one = installed();
      expect((await hookbox(["init", agent, "--yes"], one)).exitCode).toBe(0);
      const { stdout } = await hookbox(["doctor", agent, "--json"], one);
      const { checks } = JSON.parse(stdout) as Report;
      expect(checks.filter(({ id, status }) => id === "entry" && status === "ok")).toHaveLength(1);
    },
  );

  test("names the way to install if no settings start hookbox", async () => {
    const one = installed();
    rmSync(one.settings);
    const report = await one.doctor();
    expect(found(report, "settings", "entry")).toEqual([expect.stringMatching(/^warning: no settings file/)]);
    expect(report.checks.find(({ id }) => id === "entry")?.repair).toContain("hookbox init");
  });

  test("shows with --faults that the gate stays shut after each fault", async () => {
    const report = await installed().doctor("--faults");
    const faults = report.checks.filter(({ area }) => area === "faults");
    expect(faults.map(({ id, status }) => `${id} ${status}`)).toEqual(
      [
        ...["no-server", "killed", "stopped", "garbage", "half", "silent", "loop", "missing", "digest", "queue"],
        ...["cache", "disk-full"],
      ].map((id) => `${id} ok`),
    );
  });

  test("refuses an agent that it does not know", async () => {
    const { exitCode, stderr } = await hookbox(["doctor", "claud-code"]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('did you mean "claude-code"')]);
  });
});

describe("hookbox hooks fire", { timeout: 60_000 }, () => {
  const fire = ["hooks", "fire", "PreToolUse", "--tool", "Bash", "--input", '{"command":"rm -rf /"}'];

  test("sends one event through the entry, and shows the rule that denied", async () => {
    const { env, cwd, settings } = installed();
    const { stdout, exitCode } = await hookbox(fire, { env, cwd });
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`through ${settings}, PreToolUse 1`);
    expect(stdout).toMatch(/verdict\s+deny/);
    expect(stdout).toContain("shell-guard");
    const { verdict, entry } = JSON.parse((await hookbox([...fire, "--json"], { env, cwd })).stdout);
    expect([verdict.decision, entry]).toEqual(["deny", "PreToolUse 1"]);
  });

  test("says so if no entry sends the event to hookbox", async () => {
    const { exitCode, stderr } = await hookbox(fire);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("no entry in the settings of claude-code")]);
  });
});
