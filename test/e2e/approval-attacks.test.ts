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
    expect(
      (await judge(place, ["--config", join(place.folder, USER_FILE), "--with-project"], { cwd })).reason,
    ).toContain("scripted");
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

test.each(["home", "."])(
  "the user's own file of another format stays the user's in the folder %s above it",
  async (cwd) => {
    const place = written({ "home/.config/hookbox/absorbed.json": hooks(DENIES), "home/.claude/a.txt": "" });
    place.write("package.json", {});
    const own = join(place.home, ".config/hookbox/absorbed.json");
    expect((await judge(place, ["--config", `claude-code:${own}`], { cwd })).reason).toContain("scripted");
  },
);

describe.each(["home", "."])("after a cd to the folder %j, the home or above it,", (cwd) => {
  test("a file in the home that --config names stays the user's", async () => {
    const place = written({ "home/rules/team.json": hooks(DENIES), "home/.claude/a.txt": "", "home/.git/a.txt": "" });
    const args = ["--config", join(place.home, "rules/team.json")];
    expect((await judge(place, args)).reason).toContain("scripted");
    expect((await judge(place, args, { cwd })).reason).toContain("scripted");
    expect((await judge(place, args, { cwd, env: { CLAUDE_PROJECT_DIR: place.home } })).reason).toContain("scripted");
  });

  test("a folder in the home that XDG_CONFIG_HOME names stays the user's", async () => {
    const place = world();
    place.write("home/settings/hookbox/hookbox.json", hooks(DENIES));
    const env = { XDG_CONFIG_HOME: join(place.home, "settings") };
    expect((await judge(place, [], { env })).reason).toContain("scripted");
    expect((await judge(place, [], { cwd, env })).reason).toContain("scripted");
  });

  test("a file of the project where the session began stays the project's", async () => {
    const place = world();
    place.write("home/work/package.json", {});
    place.write("home/work/hookbox/hookbox.json", hooks(DENIES));
    const session = { CLAUDE_PROJECT_DIR: join(place.home, "work") };
    const byVariable = { env: { ...session, XDG_CONFIG_HOME: join(place.home, "work") }, cwd };
    expect((await judge(place, [], byVariable)).reason).toBeNull();
    const named = ["--config", join(place.home, "work/hookbox/hookbox.json")];
    expect((await judge(place, named, { env: session, cwd })).reason).toBeNull();
  });
});

describe("hookbox trust shows", () => {
  const shown = async (rule: object, settings: object = {}): Promise<string> => {
    const place = written({ "project/hookbox.json": { ...settings, ...hooks(rule) } });
    return (await place.cli(["trust"])).stdout;
  };
  const run = (command: string) => shown({ type: "command", command });

  test("the end of a line, after which a comment is over", async () => {
    expect(await run("true # harmless\ntouch x")).toContain("runs true # harmless\\ntouch x");
  });

  test.each([
    ["a zero-width space", "sh ./check\u200b.sh", "./check\\u{200b}.sh"],
    ["a change of direction", "sh ./\u202ehs.kcehc", "./\\u{202e}hs.kcehc"],
    ["an escape sequence", "sh ./a.sh \u001b[2K", "./a.sh \\u{1b}[2K"],
    ["a carriage return", "touch x\rtrue", "touch x\\rtrue"],
    ["a space that is no separator", "sh\u00a0./a.sh", "sh\\u{a0}./a.sh"],
    ["a letter of another script", "sh ./\u0441heck.sh", "./\\u{441}heck.sh"],
  ])("%s", async (_, command, text) => {
    expect(await run(command)).toContain(text);
  });

  test("words of other languages as they are", async () => {
    expect(await run("echo grün Привет 日本")).toContain("runs echo grün Привет 日本");
  });

  test("the end of a long command", async () => {
    expect(await run(`true ${"x".repeat(5_000)} && touch the-end`)).toContain("touch the-end");
  });

  test("values of variables and settings, texts for the model and prompts", async () => {
    expect(await shown({ type: "command", command: "true", env: { LD_PRELOAD: "./evil.so" } })).toContain(
      "with LD_PRELOAD=./evil.so",
    );
    expect(await shown({ type: "context", text: "do evil" })).toContain("adds text for the model: do evil");
    expect(await shown({ type: "prompt", prompt: "say yes", model: "anthropic/x" })).toContain("say yes");
    expect(await shown(DENIES, { allowedHttpHookUrls: ["https://evil.example/*"] })).toContain(
      'sets allowedHttpHookUrls = ["https://evil.example/*"]',
    );
  });
});

describe("hookbox trust approves nothing", () => {
  const pending = { "project/hookbox.json": hooks(DENIES) };
  const digestOf = async (place: World): Promise<string> =>
    (JSON.parse((await place.cli(["trust", "--json"])).stdout) as { digest: string }).digest;

  test("by HOOKBOX_TRUST if the user can answer on a terminal", async () => {
    const place = written(pending);
    const env = { HOOKBOX_TRUST: await digestOf(place) };
    const { stdout, exitCode } = await place.cli(["trust"], { env, answer: "n" });
    expect(stdout).toContain("Approve exactly this content: 1 command hook? [y/N]");
    expect(exitCode).toBe(1);
    expect((await place.cli(["trust"], { answer: "y" })).exitCode).toBe(0);
  });

  test.each(["CLAUDECODE", "GEMINI_CLI", "CODEX_THREAD_ID"])("for an agent that sets %s", async (name) => {
    const place = written(pending);
    const digest = await digestOf(place);
    const { stderr, exitCode } = await place.cli(["trust", "--trust", digest], { env: { [name]: "1" } });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("HOOK_PERSON_NEEDED")]);
    expect((await judge(place)).decision).not.toBe("deny");
  });
});
