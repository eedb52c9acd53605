import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildGuard } from "../../src/authoring/build.ts";
import { DIALECT_NAMES } from "../../src/dialects/registry.ts";
import type { Verdict } from "../../src/verdict.ts";
import { sampleOf } from "../helpers/tier.ts";
import { AGENTS, type AgentByHand, type Next, RECOGNISABLE, type Said } from "./agents-by-hand.ts";
import { hookbox } from "./cli.ts";
import { inProcess } from "./in-process.ts";

/**
 * One guard for all agents: the same two modules in the same file give the same verdict on the same calls for each
 * agent. The payloads and the reading of answers are in `agents-by-hand.ts`.
 */

interface Call {
  readonly what: string;
  send(agent: AgentByHand): object;
  readonly next: Next;
  readonly says?: RegExp;
}

const shell = (command: string, next: Next, says?: RegExp): Call => ({
  what: command,
  send: (agent) => agent.shell(command),
  next,
  ...(says === undefined ? {} : { says }),
});
const shellIn = (directory: string, command: string, next: Next, says?: RegExp): Call => ({
  ...shell(command, next, says),
  what: `${command} in ${directory}`,
  send: (agent) => agent.shell(command, directory),
});
const write = (path: string, next: Next, says?: RegExp): Call => ({
  what: `a write to ${path}`,
  send: (agent) => agent.write(path),
  next,
  ...(says === undefined ? {} : { says }),
});

const CALLS: readonly Call[] = [
  shell("rm -rf /", "refuses", /protected path/),
  shell("npm test && sudo rm -r --no-preserve-root /usr", "refuses", /protected path/),
  shell("echo $(rm -rf ~)", "refuses", /protected path/),
  shell("deploy --to production", "refuses", /production/),
  shellIn("/etc", "rm -rf ssh", "refuses", /protected path/),
  shellIn("build", "rm -rf *", "runs the tool"),
  write("/etc/hosts", "refuses", /protected path/),
  write("config/production.yaml", "refuses", /production/),
  shell("deploy --to staging", "asks its user", /staging/),
  write("config/staging.yaml", "asks its user", /staging/),
  shell("npm test", "runs the tool"),
  shell("rm -rf ./node_modules", "runs the tool"),
  shell('echo "rm -rf /"', "runs the tool"),
  write("src/cart.ts", "runs the tool"),
];

/** Longer than any agent's own patience, so that a busy machine changes no answer. */
const LINES = ["run", "--lines", "--patience", "60s"];

const expectedOf = ({ asking }: AgentByHand, { next }: Call): Next =>
  next === "asks its user" && asking !== undefined ? asking : next;

let folder: string;
let config: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hookbox-every-"));
  config = join(folder, "hookbox.json");
  const { wasm } = await buildGuard(resolve(import.meta.dirname, "../../guest-sdk/typescript/example"));
  writeFileSync(join(folder, "word-guard.wasm"), wasm);
  const hooks = [
    { type: "wasm", module: "builtin:shell-guard", config: { protectedPaths: ["/etc"] }, timeoutMs: 20_000 },
    { type: "wasm", module: "./word-guard.wasm", config: { askWords: ["staging"] }, timeoutMs: 20_000 },
  ];
  writeFileSync(config, JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash|Write", hooks }] } }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("every dialect is tested", () => {
  expect(AGENTS.map(({ dialect }) => dialect).sort()).toEqual([...DIALECT_NAMES].sort());
});

describe.each(AGENTS.map((agent) => [agent.dialect, agent] as const))("for %s", (dialect, agent) => {
  const asked: readonly Call[] = ["refuses", "asks its user", "runs the tool"].map(
    (next) => CALLS.find((call) => call.next === next) as Call,
  );

  test("a process for one event refuses, and other calls are asked about or go ahead, in that agent's format", async () => {
    const args = ["run", "--config", config, "--dialect", dialect];
    for (const [index, call] of asked.entries()) {
      const start = index === 0 ? hookbox : inProcess;
      const said: Said = await start(args, { stdin: JSON.stringify(call.send(agent)) });
      expect([call.what, agent.next(said)]).toEqual([call.what, expectedOf(agent, call)]);
      if (call.says !== undefined) expect(said.stdout + said.stderr).toMatch(call.says);
    }
  });

  test("a process for many events gives the same answer to each call as a process for one event", async () => {
    const stdin = CALLS.map((call) => `${JSON.stringify(call.send(agent))}\n`).join("");
    const { stdout } = await inProcess([...LINES, "--config", config, "--dialect", dialect], { stdin });
    const lines = stdout.trim().split("\n");
    expect(answersIn(lines).map((line) => agent.next(saidOn(dialect, line)))).toEqual(
      CALLS.map((call) => expectedOf(agent, call)),
    );
  });
});

test("CD-9: the verdict is the same for all agents, word for word", async () => {
  const verdicts = await Promise.all(
    AGENTS.map(async (agent) => {
      const stdin = CALLS.map((call) => `${JSON.stringify(call.send(agent))}\n`).join("");
      const args = [...LINES, "--json", "--config", config, "--dialect", agent.dialect];
      const { stdout } = await inProcess(args, { stdin });
      const answers = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { verdict: Verdict });
      return answers.map(({ verdict }) => ({
        event: verdict.event,
        decision: verdict.decision,
        reason: verdict.reason,
        // If rules run one after another, those after a refusal are not asked.
        said: verdict.rules.filter(({ status }) => status !== "abstained").map(({ rule, reason }) => [rule, reason]),
      }));
    }),
  );
  const [first, ...others] = verdicts;
  expect(first?.map(({ decision }) => decision)).toEqual(
    CALLS.map(({ next }) => ({ refuses: "deny", "asks its user": "ask", "runs the tool": "none" })[next]),
  );
  for (const [index, other] of others.entries())
    expect([AGENTS[index + 1]?.dialect, other]).toEqual([AGENTS[index + 1]?.dialect, first]);
});

describe("with --dialect auto", () => {
  test.each(RECOGNISABLE.map((agent) => [agent.dialect, agent] as const))(
    "a payload of %s is recognised, and answered in its format",
    async (dialect, agent) => {
      for (const call of sampleOf([CALLS[0] as Call, CALLS.at(-1) as Call], 2, () => dialect)) {
        const stdin = JSON.stringify(call.send(agent));
        const [auto, named] = await Promise.all([
          inProcess(["run", "--config", config, "--dialect", "auto"], { stdin }),
          inProcess(["run", "--config", config, "--dialect", dialect], { stdin }),
        ]);
        expect(agent.next(auto)).toBe(call.next);
        expect({ ...auto, elapsedMs: 0 }).toEqual({ ...named, elapsedMs: 0 });
      }
    },
  );

  test("one process serves all agents, line by line", async () => {
    const asked = CALLS.flatMap((call) => RECOGNISABLE.map((agent) => ({ call, agent })));
    const stdin = asked.map(({ call, agent }) => `${JSON.stringify(call.send(agent))}\n`).join("");
    const { exitCode, stdout } = await hookbox([...LINES, "--config", config, "--dialect", "auto"], { stdin });
    expect(exitCode).toBe(0);
    const lines = answersIn(stdout.trim().split("\n"));
    const read = asked.map(({ agent }, index) => agent.next(saidOn(agent.dialect, lines[index] ?? "")));
    expect(read).toEqual(asked.map(({ call }) => call.next));
  });
});

/** Leaves out notifications, which have no id and need no answer. */
function answersIn(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => !("method" in (JSON.parse(line) as object)));
}

/** What a client takes from an answer line and treats like the output of a process. */
function saidOn(dialect: string, line: string): Said {
  const answer = JSON.parse(line) as Said & { readonly result: Said };
  if (dialect === "openclaw") return { exitCode: 0, stdout: line, stderr: "" };
  return dialect === "autohand" ? answer.result : answer;
}
