import { cpSync, mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isJsonObject } from "../../src/json.ts";
import type { Verdict } from "../../src/verdict.ts";
import { bashCall } from "./cli.ts";
import { hooks, type RunSetup, USER_FILE, type World, world } from "./trust-world.ts";

/** An agent that may run commands cannot leave the rules that the user has approved, or exchange what they run. */

const LS = bashCall("ls");
const DENIES = { type: "command", command: "echo scripted >&2; exit 2" };

async function judge(place: World, args: readonly string[] = [], setup: RunSetup = {}): Promise<Verdict> {
  const { stdout } = await place.cli(["run", "--json", ...args], { event: LS, ...setup });
  return JSON.parse(stdout) as Verdict;
}

/** Approves as a user without a terminal does. */
async function trust(place: World, args: readonly string[] = [], setup: RunSetup = {}): Promise<void> {
  const review: unknown = JSON.parse((await place.cli(["trust", "--json", ...args], setup)).stdout);
  const digest = isJsonObject(review) ? String(review["digest"]) : "";
  expect((await place.cli(["trust", "--trust", digest, ...args], setup)).exitCode).toBe(0);
}

function written(files: Readonly<Record<string, string | object>>): World {
  const place = world();
  place.write(USER_FILE, hooks());
  place.write("project/package.json", {});
  for (const [path, content] of Object.entries(files)) place.write(path, content);
  return place;
}

describe("an approved rule stays in force", () => {
  const file = { "project/hookbox.json": hooks(DENIES), "project/src/deep/a.txt": "" };
  const claude = { "project/.claude/settings.json": hooks(DENIES), "project/src/a.txt": "", "elsewhere/a.txt": "" };

  test.each(["project/src", "project/src/deep"])("when the agent changes its folder to %s", async (cwd) => {
    const place = written(file);
    await trust(place);
    expect((await judge(place, [], { cwd })).reason).toContain("scripted");
    expect((await judge(place, ["--config", join(place.folder, USER_FILE), "--with-project"], { cwd })).reason).toContain(
      "scripted",
    );
  });

  test.each([
    ["hookbox", file, []],
    ["Claude Code", claude, ["--format", "claude-code"]],
  ])("when the agent leaves the project, by the session's folder, in the format of %s", async (_, files, args) => {
    const place = written(files);
    mkdirSync(join(place.folder, "elsewhere"), { recursive: true });
    await trust(place, args);
    const env = { CLAUDE_PROJECT_DIR: place.project };
    expect((await judge(place, args, { cwd: "elsewhere", env })).reason).toContain("scripted");
  });

  test("when its folder becomes a link to a copy", async () => {
    const place = written(claude);
    const args = ["--format", "claude-code"];
    await trust(place, args);
    renameSync(join(place.project, ".claude"), join(place.project, "moved"));
    symlinkSync("moved", join(place.project, ".claude"));
    expect((await judge(place, args)).reason).toContain("scripted");
  });

  test("when the project becomes a link to a copy", async () => {
    const place = written(file);
    await trust(place);
    cpSync(place.project, join(place.folder, "copy"), { recursive: true });
    renameSync(place.project, join(place.folder, "old"));
    symlinkSync("copy", place.project);
    const env = { CLAUDE_PROJECT_DIR: place.project };
    expect((await judge(place, [], { cwd: "copy", env })).reason).toContain("scripted");
  });

  test("in its own file, when its folder becomes a link to the folder of another approved file", async () => {
    const place = written({ ...claude, "other/.claude/settings.json": hooks(), "other/package.json": {} });
    const args = ["--format", "claude-code"];
    await trust(place, args);
    await trust(place, args, { cwd: "other" });
    renameSync(join(place.project, ".claude"), join(place.project, "moved"));
    symlinkSync(join(place.folder, "other/.claude"), join(place.project, ".claude"));
    expect((await judge(place, args)).reason).toContain("scripted");
  });
});

test.each(["home", "."])("the user's own file of another format stays the user's in the folder %s above it", async (cwd) => {
  const place = written({ "home/.config/hookbox/absorbed.json": hooks(DENIES), "home/.claude/a.txt": "" });
  place.write("package.json", {});
  const own = join(place.home, ".config/hookbox/absorbed.json");
  expect((await judge(place, ["--config", `claude-code:${own}`], { cwd })).reason).toContain("scripted");
});
