import { expect, onTestFinished, test } from "vitest";
import { hookAt } from "../../src/cli/hooks/changes.ts";
import { openHooksFile } from "../../src/cli/hooks/hooks-file.ts";
import { trialText } from "../../src/cli/hooks/trial-text.ts";
import { tryHook } from "../../src/cli/hooks/try-hook.ts";
import { folderWith } from "../config/config-files.ts";
import { startStubModel } from "../helpers/stub-model.ts";

/** Trying a judge asks a model, which is said before anything is sent. */

test("trying a judge says first what it sends, and then which model was asked", async () => {
  const server = await startStubModel(() => ({
    text: '{"ok": false, "reason": "no"}',
    inputTokens: 7,
    outputTokens: 3,
  }));
  onTestFinished(() => server.close());
  const value = {
    modelProviders: { here: { type: "openai", baseUrl: `${server.url}/v1`, apiKeyEnv: null } },
    hooks: { PreToolUse: [{ hooks: [{ type: "prompt", prompt: "Fine?", model: "here/small" }] }] },
  };
  const cwd = folderWith({ "hookbox.json": JSON.stringify(value) });
  const file = await openHooksFile("hookbox.json", undefined, { cwd, mayBeNew: false });
  const told: (readonly [line: string, asked: number])[] = [];
  const trial = await tryHook(file, hookAt(file, "PreToolUse", 1), {
    payload: undefined,
    // In another folder than the file's, so that the file is not a project's.
    cwd: folderWith(),
    printLine: (line) => told.push([line, server.requests.length]),
  });
  const host = new URL(server.url).host;
  expect(told).toEqual([[`PreToolUse  here/small  sends the whole event to here (${host}), with secrets redacted`, 0]]);
  expect(server.requests).toHaveLength(1);
  expect(trial).toMatchObject({
    failure: null,
    sends: { to: `here (${host})`, redacted: true },
    asked: { model: "here/small", inputTokens: 7, outputTokens: 3 },
    verdict: { decision: "deny" },
  });
  expect(trialText(trial, false)).toContain("asked     here/small, 7 tokens in, 3 out");
});
