import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { bash } from "../test/agents/claude-code/calls.ts";
import { installClaudeCode } from "../test/agents/claude-code/install.ts";
import { startMessagesApi } from "../test/agents/claude-code/messages-api.ts";
import { accountOf } from "../test/e2e/approve.ts";
import { svgOf } from "./terminal-svg.ts";

/**
 * Writes the picture of the README: a session of the real Claude Code in a terminal of tmux, after `hookbox init`. Only
 * the model is a stand-in, whose answers are below.
 */

const ROOT = resolve(import.meta.dirname, "..");
const PICTURE = join(ROOT, "docs/denied-call.svg");
const WAIT_MS = 60_000;

const PROMPT = "Start again from the last commit.";
const LAST = "git reset --hard was refused, so your changes are in the stash.";
const TURNS = [
  bash("git reset --hard", "toolu_1"),
  bash("git stash push --include-untracked", "toolu_2"),
  { type: "text", text: LAST } as const,
];

const root = realpathSync(mkdtempSync(join(tmpdir(), "hbp-")));
const [home, project] = ["home", "shop"].map((name) => join(root, name)) as [string, string];
const run = promisify(execFile);

/** Creates a home as after the first start of Claude Code, and a repository with a change that is not committed. */
async function prepare(env: Readonly<Record<string, string>>): Promise<void> {
  mkdirSync(join(home, ".claude"), { recursive: true });
  const allowed = { permissions: { allow: ["Bash"], defaultMode: "default" } };
  writeFileSync(join(home, ".claude/settings.json"), JSON.stringify(allowed));
  const started = {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: [env["ANTHROPIC_API_KEY"]], rejected: [] },
    projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  };
  writeFileSync(join(home, ".claude.json"), JSON.stringify(started));
  await run("git", ["init", "-q", "-b", "main", "shop"], { cwd: root, env });
  const author = ["-c", "user.name=me", "-c", "user.email=me@example.com"];
  await run("git", [...author, "commit", "-q", "--allow-empty", "-m", "first"], { cwd: project, env });
  writeFileSync(join(project, "cart.js"), "let total = 0;\n");
  for (const name of ["name", "email"]) await run("git", ["config", `user.${name}`, "me"], { cwd: project, env });
}

/** Returns the terminal's screen with its colours, once Claude Code has given its last answer. */
async function screenOf(binary: string, env: Readonly<Record<string, string>>): Promise<string> {
  const tmux = async (...args: readonly string[]): Promise<string> =>
    (await run("tmux", ["-S", join(root, "tmux"), "-f", join(root, "tmux.conf"), ...args], { env })).stdout;
  const shown = async (text: string): Promise<void> => {
    const end = performance.now() + WAIT_MS;
    while (!(await tmux("capture-pane", "-p")).includes(text)) {
      if (performance.now() > end) throw new Error(`no "${text}" on the screen:\n${await tmux("capture-pane", "-p")}`);
      await new Promise((later) => setTimeout(later, 200));
    }
  };
  writeFileSync(join(root, "tmux.conf"), "set -g focus-events on\nset -g status off\n");
  await tmux("new-session", "-d", "-x", "96", "-y", "50", "-c", project, binary);
  try {
    await shown("❯");
    await tmux("send-keys", "-l", PROMPT);
    await shown(PROMPT);
    await tmux("send-keys", "Enter");
    await shown(LAST);
    return await tmux("capture-pane", "-p", "-e");
  } finally {
    await tmux("kill-server");
  }
}

const { binary } = await installClaudeCode();
const api = await startMessagesApi({ [PROMPT]: TURNS });
const env = {
  PATH: process.env["PATH"] ?? "",
  HOME: home,
  TERM: "xterm-256color",
  LANG: "C.UTF-8",
  ANTHROPIC_BASE_URL: api.url,
  ANTHROPIC_API_KEY: "made-up-for-a-test",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
};
const hookbox = (...args: readonly string[]): Promise<unknown> =>
  run(process.execPath, [join(ROOT, "dist/bundle/hookbox.cjs"), ...args], {
    cwd: project,
    env: { ...env, ...accountOf(home) },
  });
try {
  await prepare(env);
  await hookbox("init", "claude-code", "--yes");
  const screen = await screenOf(binary, env);
  if (!screen.includes("shell-guard")) throw new Error(`no guard has denied:\n${screen}`);
  // The folder has a random name, and few fonts have the character of the client's corners.
  const rows = screen.replaceAll(project, "~/shop").replaceAll("⎿", "└").split("\n");
  const last = rows.findIndex((row) => row.includes(LAST));
  writeFileSync(PICTURE, svgOf(rows.slice(0, last + 1), "Claude Code, in which hookbox has refused git reset --hard"));
} finally {
  await hookbox("serve", "--stop").catch(() => undefined);
  await api.close();
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
}
