import { mkdirSync, readdirSync, watch } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { answering, withManifest } from "../helpers/guests.ts";
import { times } from "../helpers/tier.ts";
import { bashCall, hookbox, type Project, project, replyOf } from "./cli.ts";

/** Guards that were not built, tested, locked or checked on this machine, as in a fresh clone. */

const AT_ONCE = times(20, 8);
const ALLOWS = answering("{}");
const DENIES = answering(
  '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no nails"}}',
);
const EVENT = JSON.parse(bashCall("ls")) as object;
const guard = (module: Uint8Array, decision: string): Uint8Array =>
  withManifest(module, { name: "nails", version: "1", abi: 1, fixtures: [{ name: "ls", event: EVENT, decision }] });

interface Clone extends Project {
  readonly cache: string;
  run(): ReturnType<typeof hookbox>;
}

/** Creates a configuration with this guard, and an empty cache. */
function clone(module: Uint8Array): Clone {
  const made = project();
  made.write("guard.wasm", module);
  const config = made.configure("PreToolUse", { type: "wasm", module: "./guard.wasm", timeoutMs: 60_000 });
  const home = join(made.folder, "home");
  const cache = join(home, "cache", "hookbox");
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  const env = { HOME: home, XDG_CACHE_HOME: join(home, "cache") };
  return { ...made, cache, run: () => hookbox(["run", "--config", config], { stdin: bashCall("ls"), env }) };
}

const kept = (cache: string, kind: string): readonly string[] =>
  readdirSync(cache).filter((name) => name.endsWith(kind));

describe("a guard whose fixtures were not run yet", () => {
  test("judges the call, and denies by name from the next call on if a fixture fails", async () => {
    const { cache, run } = clone(guard(DENIES, "none"));
    expect(replyOf(await run()).permissionDecisionReason).toContain("no nails");
    await vi.waitFor(() => expect(kept(cache, ".fixtures")).toHaveLength(1), 30_000);
    expect(replyOf(await run())).toMatchObject({
      permissionDecision: "deny",
      permissionDecisionReason: expect.stringMatching(/HOOK_MODULE_FIXTURE: .* fails its own fixture "ls"/),
    });
    await vi.waitFor(() => expect(kept(cache, ".claim")).toEqual([]), 30_000);
  });

  test("judges as before after its fixtures have passed, which are not run again", async () => {
    const { cache, run } = clone(guard(ALLOWS, "none"));
    expect(await run()).toMatchObject({ exitCode: 0, stdout: "" });
    await vi.waitFor(() => expect(kept(cache, ".fixtures")).toHaveLength(1), 30_000);
    await vi.waitFor(() => expect(kept(cache, ".claim")).toEqual([]), 30_000);
    const started = watched(cache, /\.claim$/);
    expect(await run()).toMatchObject({ exitCode: 0, stdout: "" });
    expect(started()).toEqual([]);
  });
});

/** Returns the names of files that appear in the folder from now on. */
function watched(folder: string, pattern: RegExp): () => readonly string[] {
  const names = new Set<string>();
  const watcher = watch(folder, (_, name) => {
    if (name !== null && pattern.test(name)) names.add(name);
  });
  onTestFinished(() => watcher.close());
  return () => [...names];
}

test(`${AT_ONCE} first calls at the same time are all answered, with one admission of the module and one run of its fixtures`, async () => {
  const { cache, run } = clone(guard(DENIES, "deny"));
  // Each process that admits a module, or runs its fixtures, first writes the result to a draft file.
  const drafts = watched(cache, /\.(admitted|fixtures)\.[0-9a-f]+$/);
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, run));
  for (const answer of answers) expect(replyOf(answer).permissionDecisionReason).toContain("no nails");
  await vi.waitFor(() => expect(kept(cache, ".fixtures")).toHaveLength(1), 30_000);
  const count = (kind: string): number => drafts().filter((name) => name.includes(kind)).length;
  await vi.waitFor(() => expect(kept(cache, ".claim")).toEqual([]), 30_000);
  expect([count(".admitted."), count(".fixtures.")]).toEqual([1, 1]);
}, 120_000);
