import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createEngine } from "../../src/engine.ts";
import { project } from "../e2e/cli.ts";
import { guest } from "../helpers/guests.ts";

/** Time in which a rule's handler only waits does not count for its `timeoutMs`. */

const TIMEOUT_MS = 400;

test.each(["thread", "process"] as const)("a guard that waits for a %s to be free is not late", async (boundary) => {
  const place = project();
  const module = (name: string): string => place.write(`${name}.wasm`, guest(name));
  const engine = await createEngine({
    cwd: place.folder,
    cacheDir: join(place.folder, "cache"),
    sandbox: { boundary, threads: 1 },
    config: {
      hooks: {
        PreToolUse: [
          {
            hooks: [
              {
                type: "wasm",
                name: "slow",
                module: module("allows-then-loops-for-ever"),
                limits: { fuel: 2_000_000_000 },
                timeoutMs: 60_000,
              },
              { type: "wasm", name: "quick", module: module("abstains"), timeoutMs: TIMEOUT_MS },
            ],
          },
        ],
      },
    },
  });
  onTestFinished(() => engine.close());
  const payload = { session_id: "s", cwd: place.folder, tool_name: "Bash", tool_input: { command: "ls" } };
  const { rules } = await engine.dispatch("PreToolUse", payload);
  expect(rules).toMatchObject([
    { rule: "slow", failure: { kind: "fuel" } },
    { rule: "quick", status: "abstained" },
  ]);
  const waitedMicros = rules[1]?.receipt.micros ?? 0;
  expect(waitedMicros).toBeGreaterThan(TIMEOUT_MS * 1_000);
});
