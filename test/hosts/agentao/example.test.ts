import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { blocksOf } from "../../pages/blocks.ts";
import { chat } from "./example.ts";
import { prints, runs } from "./running.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookbox-example-"));
  vi.spyOn(process, "cwd").mockReturnValue(folder);
  vi.spyOn(console, "log").mockReturnValue();
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

test("the page's example is the one that runs here", () => {
  const example = readFileSync(resolve(import.meta.dirname, "example.ts"), "utf8");
  const shown = blocksOf("docs/agentao.md").find(({ language }) => language === "ts");
  expect(shown?.text).toBe(example.replace("../../../src/hosts/agentao/index.ts", "hookbox/agentao"));
});

test("the example asks the model again for a hook, and reports it", async () => {
  const once = `grep -q '"stop_hook_active":false' && echo '{"force_continue": true, "follow_up_message": "And why?"}'`;
  const hooks = { UserPromptSubmit: prints({ additionalContext: "It is May." }), Stop: runs(once) };
  writeFileSync(join(folder, "hooks.json"), JSON.stringify(hooks));
  const asked: (readonly string[])[] = [];
  const answer = await chat("When?", async (messages) => {
    asked.push([...messages]);
    return `answer ${asked.length}`;
  });
  expect(answer).toBe("answer 2");
  expect(asked[0]).toEqual(["<user-prompt-submit-hook>\nIt is May.\n</user-prompt-submit-hook>\nWhen?"]);
  expect(asked[1]).toEqual([asked[0]?.[0], "answer 1", "And why?"]);
  expect(vi.mocked(console.log).mock.calls).toEqual([
    ["UserPromptSubmit", "allow"],
    ["Stop", "continue"],
    ["Stop", "allow"],
  ]);
});

test("the example's user sees what a hook has blocked", async () => {
  writeFileSync(join(folder, "hooks.json"), JSON.stringify({ UserPromptSubmit: prints({ blockingError: "not now" }) }));
  expect(await chat("When?", async () => "never asked")).toBe("[Blocked by hook] not now");
});
