import { expect, onTestFinished, test } from "vitest";
import { createEngine } from "../../src/engine.ts";
import { folderWith } from "../config/config-files.ts";

/** docker-agent's page has its judges approve calls; in hookbox's own format a rule must say that its judge may. */

const CALL = { session_id: "s", cwd: "/", tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "1" };
const ALLOWS = '{"decision": "allow", "reason": "it only reads"}';

async function decide(file: string, text: string, dialect: "docker-agent" | "hookbox"): Promise<string> {
  const cwd = folderWith({ [file]: text });
  const engine = await createEngine({
    cwd,
    configFiles: [{ file, dialect, layer: "user" }],
    dialect: "docker-agent",
    models: { mine: async () => ALLOWS },
  });
  onTestFinished(() => engine.close());
  return (await engine.dispatch("PreToolUse", CALL)).decision;
}

const DOCKER = `hooks:
  pre_tool_use:
    - matcher: shell
      hooks:
        - { type: model, model: mine/judge, prompt: "{{ .ToolName }}", schema: pre_tool_use_decision }
`;
const own = (more: object) => {
  const hook = { type: "model", model: "mine/judge", prompt: "{{ .ToolName }}", schema: "pre_tool_use_decision" };
  return JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ ...hook, ...more }] }] } });
};

test("a judge in docker-agent's file approves, as its page says", async () => {
  expect(await decide("agent.yaml", DOCKER, "docker-agent")).toBe("allow");
});

test("a judge in a file of hookbox's own format approves only if the rule says so", async () => {
  expect(await decide("hookbox.json", own({}), "hookbox")).toBe("none");
  expect(await decide("hookbox.json", own({ speaks: "docker-agent" }), "hookbox")).toBe("none");
  expect(await decide("hookbox.json", own({ may: ["deny", "ask", "allow"] }), "hookbox")).toBe("allow");
});
