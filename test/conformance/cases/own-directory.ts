import type { CaseFamily, Expectation, JsonObject, RunCase } from "../case.ts";

/** Payloads are canonical: each dialect decodes the agent's own field as `cwd`. */

const REFUSED: Expectation = { verdict: { decision: "deny", reason: /protected path/ } };
const ASKED: Expectation = { verdict: { decision: "ask", reason: /the directory of the call is unknown/ } };
const PASSED: Expectation = { verdict: { decision: "none" } };

function call(id: string, title: string, input: JsonObject, expect: Expectation, more: Partial<RunCase> = {}): RunCase {
  return {
    id,
    title,
    registers: () => [
      { event: "PreToolUse", type: "wasm", name: "guard", module: "builtin:shell-guard", timeoutMs: 20_000 },
    ],
    payload: { cwd: "/work/app", tool_name: "Bash", tool_input: input },
    expect,
    ...more,
  };
}

const somewhere = (tool_input: JsonObject): Partial<RunCase> => ({
  payload: { cwd: "", tool_name: "Bash", tool_input },
});

export const ownDirectory: CaseFamily = {
  title: "A call with a directory of its own",
  source:
    "the tools of docker-agent (`cwd`), Agentao (`working_directory`), Autohand (`directory`), OpenClaw (`workdir`)",
  note: "hookbox judges a command from the directory in which the command runs.",
  dialect: "hookbox",
  cases: [
    call(
      "CD-1",
      "a relative path in a command starts at the call's own directory",
      { command: "rm -rf ssh", cwd: "/etc" },
      REFUSED,
    ),
    call(
      "CD-2",
      "a call's relative directory starts at the event's directory",
      { command: "rm -rf etc", cwd: "../.." },
      REFUSED,
    ),
    call(
      "CD-3",
      "for an unknown agent, every agent's field for a directory counts",
      { command: "rm -rf ssh", workdir: "/etc" },
      REFUSED,
    ),
    call(
      "CD-4",
      "a directory field that the agent's tool does not read has no effect",
      { command: "rm -rf app/src", cwd: "/tmp", directory: "/etc" },
      PASSED,
      { dialect: "openclaw" },
    ),
    call("CD-5", "work in the call's own harmless directory passes", { command: "rm -rf *", cwd: "build" }, PASSED),
    call(
      "CD-6",
      "a directory that is not a text makes the guard ask the user",
      { command: "ls", cwd: ["/etc"] },
      {
        verdict: { decision: "ask", reason: /the directory cannot be read/ },
      },
    ),
    call(
      "CD-7",
      "a path upwards from an unknown directory may lead to a protected path",
      {},
      ASKED,
      somewhere({ command: "rm -rf ../../../../../../../etc" }),
    ),
    call(
      "CD-8",
      "the guard asks before a neighbour of an unknown directory is removed",
      {},
      { verdict: { decision: "ask", reason: /next to the working directory/ } },
      somewhere({ command: "rm -rf ../dist" }),
    ),
    {
      id: "CD-9",
      title: "each agent's own field for a directory, in the agent's payload",
      coveredBy: "test/e2e/every-dialect.test.ts",
    },
  ],
};
