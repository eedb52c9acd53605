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
  note: "A command that runs in a directory is judged as if it were there.",
  dialect: "hookbox",
  cases: [
    call("CD-1", "a relative path is counted from it", { command: "rm -rf ssh", cwd: "/etc" }, REFUSED),
    call("CD-2", "it is counted from the event's", { command: "rm -rf etc", cwd: "../.." }, REFUSED),
    call(
      "CD-3",
      "another agent's name for it counts where the agent is not known",
      { command: "rm -rf ssh", workdir: "/etc" },
      REFUSED,
    ),
    call(
      "CD-4",
      "a field that the agent's tool does not read is not it",
      { command: "rm -rf app/src", cwd: "/tmp", directory: "/etc" },
      PASSED,
      { dialect: "openclaw" },
    ),
    call("CD-5", "work in a directory of one's own passes", { command: "rm -rf *", cwd: "build" }, PASSED),
    call(
      "CD-6",
      "a directory that is not a text cannot be read, so the user is asked",
      { command: "ls", cwd: ["/etc"] },
      {
        verdict: { decision: "ask", reason: /its directory cannot be read/ },
      },
    ),
    call(
      "CD-7",
      "climbing from an unknown directory may lead to what is protected",
      {},
      ASKED,
      somewhere({ command: "rm -rf ../../../../../../../etc" }),
    ),
    call("CD-8", "climbing to a neighbour does not", {}, PASSED, somewhere({ command: "rm -rf ../dist" })),
    {
      id: "CD-9",
      title: "each agent's own field, sent as the agent sends it",
      coveredBy: "test/e2e/every-dialect.test.ts",
    },
  ],
};
