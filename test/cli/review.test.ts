import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { reviewModules } from "../../src/cli/lock/review.ts";
import { readModule } from "../../src/sandbox/modules/module-source.ts";
import { guest, withManifest } from "../helpers/guests.ts";

vi.mock("../../src/sandbox/modules/module-source.ts", { spy: true });

afterEach(() => {
  vi.restoreAllMocks();
});

const EVENT = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: {} };
const TESTED = withManifest(guest("denies"), {
  name: "no-nails",
  version: "1",
  abi: 1,
  fixtures: [{ name: "all", event: EVENT, decision: "deny" }],
});

function folderWith(module: Uint8Array): string {
  const folder = mkdtempSync(join(tmpdir(), "hookbox-review-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "guard.wasm"), module);
  const hooks = { PreToolUse: [{ hooks: [{ type: "wasm", module: "guard.wasm" }] }] };
  writeFileSync(join(folder, "hookbox.json"), JSON.stringify({ hooks }));
  return folder;
}

async function reviewed(folder: string): Promise<unknown> {
  const reviews = await reviewModules([{ file: "hookbox.json" }], folder);
  return reviews.get(folder)?.map(({ module, problems, entry }) => ({ module, problems, locks: entry !== undefined }));
}

test("a module that passes its own tests may be locked", async () => {
  expect(await reviewed(folderWith(TESTED))).toEqual([{ module: "./guard.wasm", problems: [], locks: true }]);
});

test("a module that is replaced between the review and its tests may not be locked, although both would pass", async () => {
  vi.mocked(readModule).mockResolvedValueOnce({ bytes: TESTED });
  expect(await reviewed(folderWith(guest("denies")))).toEqual([
    {
      module: "./guard.wasm",
      problems: [{ code: "HOOK_MODULE_FIXTURE", message: "fails 1 of its own 1 fixtures" }],
      locks: false,
    },
  ]);
});
