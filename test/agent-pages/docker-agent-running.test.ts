import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { JsonObject } from "../../src/json.ts";
import { HookServer } from "../conformance/hook-server.ts";
import { inProcess } from "../e2e/in-process.ts";
import { type StubAnswer, type StubRequest, startStubModel } from "../helpers/stub-model.ts";
import { openShop, shell, specific } from "./docker-agent-examples.ts";

/** The page's examples of hooks that are not commands, with a real model server, repository and model runner. */

function environment(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

/** The provider that the example names, on this machine. */
async function openai(answer: (request: StubRequest) => StubAnswer) {
  const model = await startStubModel(answer);
  onTestFinished(() => model.close());
  environment({ OPENAI_BASE_URL: `${model.url}/v1`, OPENAI_API_KEY: "a-key" });
  return model;
}

const decides = (decision: string, reason: string): StubAnswer => ({ text: JSON.stringify({ decision, reason }) });

describe("a model that judges calls", () => {
  test("is asked with the page's prompt, and allows, asks and denies", async () => {
    const { requests } = await openai(({ body }) => {
      const asked = JSON.stringify(body["messages"]);
      if (asked.includes("wc -l")) return decides("allow", "counts");
      return asked.includes("safe") && asked.includes("open the safe")
        ? decides("deny", "the safe")
        : decides("ask", "?");
    });
    const shop = await openShop("judge.yaml");
    const said = async (cmd: string) => specific(await shop.fire("pre_tool_use", shell(cmd)));
    const verdict = (permission_decision: string) => ({ hook_event_name: "pre_tool_use", permission_decision });
    expect(await said("wc -l stock")).toMatchObject(verdict("allow"));
    expect(await said("mv a b")).toMatchObject(verdict("ask"));
    expect(await said("open the safe")).toMatchObject({
      ...verdict("deny"),
      permission_decision_reason: expect.stringMatching(/the safe$/),
    });
    expect(requests.map(({ body, headers }) => [body["model"], headers.authorization])).toEqual(
      Array(3).fill(["gpt-4o-mini", "Bearer a-key"]),
    );
    const prompt = JSON.stringify(requests[0]?.body["messages"]);
    for (const part of ["What: shell", "wc -l stock", "Nobody touches the safe."]) expect(prompt).toContain(part);
  });

  test.each<[string, StubAnswer]>([
    ["talks its way around its schema", { text: "Trust me: it is allowed." }],
    ["is out of order", { status: 400, text: "no" }],
  ])("that %s denies", async (_, answer) => {
    await openai(() => answer);
    const shop = await openShop("judge.yaml");
    expect((await shop.fire("pre_tool_use", shell("ls"))).verdict.decision).toBe("deny");
  });

  test("that does not answer in time denies, whatever on_error says", async () => {
    await openai(() => ({ hangs: true }));
    const shop = await openShop("judge.yaml");
    const yaml = readFileSync(join(shop.folder, "judge.yaml"), "utf8").replace(
      "timeout: 12",
      "timeout: 1\n          on_error: ignore",
    );
    const { verdict } = await (await openShop(yaml)).fire("pre_tool_use", shell("ls"));
    expect(verdict).toMatchObject({ decision: "deny", rules: [{ failure: { kind: "timeout" } }] });
  });
});

test("built-in hooks add date, files and environment, and end the model's calls at their limit", async () => {
  const shop = await openShop("builtins.yaml");
  writeFileSync(join(shop.folder, "STOCK.md"), "Twelve crates.\n");
  const contextAt = async (event: string): Promise<unknown> => specific(await shop.fire(event))?.["additional_context"];
  expect(await contextAt("turn_start")).toMatch(/^Today's date: \d{4}-\d\d-\d\d\n[\s\S]*Twelve crates\./);
  expect(await contextAt("session_start")).toContain(shop.folder);
  const call = (iteration: number) => shop.fire("before_llm_call", { iteration, model_id: "a/b", messages: [] });
  expect((await call(12)).json).toBeUndefined();
  expect((await call(13)).json).toMatchObject({ decision: "block", reason: expect.stringContaining("12") });
});

const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd, encoding: "utf8" });

test("DB14: snapshots of turns are taken without a trace in the repository, and an undo restores the files", async () => {
  const shop = await openShop("snapshot-hooks.yaml");
  const cwd = join(shop.folder, "repository");
  const state = join(shop.folder, "state");
  environment({ XDG_STATE_HOME: state, HOME: shop.folder });
  mkdirSync(cwd);
  git(cwd, "init", "--quiet");
  writeFileSync(join(cwd, ".gitignore"), "*.log\n");
  writeFileSync(join(cwd, "ledger.txt"), "12 crates\n");
  git(cwd, "add", "-A");
  git(cwd, "commit", "--quiet", "-m", "begin");
  const before = git(cwd, "rev-list", "--all", "--objects");
  const turn = async (work: () => void): Promise<void> => {
    expect((await shop.fire("turn_start", { cwd })).verdict.decision).toBe("none");
    work();
    expect((await shop.fire("turn_end", { cwd, agent_name: "root", reason: "normal" })).verdict.decision).toBe("none");
  };
  await turn(() => {
    writeFileSync(join(cwd, "ledger.txt"), "0 crates\n");
    writeFileSync(join(cwd, "new.txt"), "new");
    writeFileSync(join(cwd, "noise.log"), "noise");
  });
  // A last turn that changes nothing hides no earlier turn.
  await turn(() => {});
  const options = { cwd, env: { XDG_STATE_HOME: state, HOME: shop.folder } };
  expect(await inProcess(["snapshots", "undo", "--yes"], options)).toMatchObject({ exitCode: 0 });
  expect(readFileSync(join(cwd, "ledger.txt"), "utf8")).toBe("12 crates\n");
  expect(readFileSync(join(cwd, "noise.log"), "utf8")).toBe("noise");
  expect(git(cwd, "status", "--short")).toBe("");
  expect(git(cwd, "rev-list", "--all", "--objects")).toBe(before);
  expect((await shop.fire("session_end", { cwd, reason: "other" })).verdict.decision).toBe("none");
});

test("the user's setting takes snapshots of sessions and turns for every agent, and none of a single tool call", async () => {
  const shop = await openShop("snapshot-setting.yaml");
  const cwd = join(shop.folder, "repository");
  const state = join(shop.folder, "state");
  environment({ XDG_STATE_HOME: state, HOME: shop.folder });
  mkdirSync(cwd);
  git(cwd, "init", "--quiet");
  writeFileSync(join(cwd, "ledger.txt"), "12 crates\n");
  await shop.fire("turn_start", { cwd });
  const { rules } = (await shop.fire("pre_tool_use", { ...shell("count"), cwd })).verdict;
  expect(rules).toEqual([]);
  writeFileSync(join(cwd, "ledger.txt"), "11 crates\n");
  await shop.fire("turn_end", { cwd, agent_name: "root", reason: "normal" });
  const options = { cwd, env: { XDG_STATE_HOME: state, HOME: shop.folder } };
  expect(await inProcess(["snapshots", "undo", "--yes"], options)).toMatchObject({ exitCode: 0 });
  expect(readFileSync(join(cwd, "ledger.txt"), "utf8")).toBe("12 crates\n");
});

test("models of the agent before are asked to leave a model runner, and no cloud is asked", async () => {
  const server = await HookServer.open();
  onTestFinished(() => server.close());
  const bodies: string[] = [];
  const unload_api = server.add(({ method, body }) => {
    bodies.push(`${method} ${body}`);
    return {};
  });
  const shop = await openShop("unload.yaml", { agent: "counter" });
  const models: readonly JsonObject[] = [
    { provider: "dmr", model: "ai/gemma3", unload_api },
    { provider: "anthropic", model: "claude", unload_api },
  ];
  const answer = await shop.fire("on_agent_switch", {
    from_agent: "counter",
    to_agent: "storeroom",
    agent_switch_kind: "handoff",
    from_agent_models: models,
  });
  expect(answer).toMatchObject({ exitCode: 0, json: undefined });
  expect(bodies).toEqual(['POST {"model":"ai/gemma3"}']);
});
