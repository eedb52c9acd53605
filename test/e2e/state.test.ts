import { describe, expect, test } from "vitest";
import { counting } from "../executors/wasm/counting-guest.ts";
import { guest } from "../helpers/guests.ts";
import { bashCall, hookbox, type Project, project } from "./cli.ts";
import { inProcess } from "./in-process.ts";

/** What a guard has counted, from one command line to the next. */

function guarded(module: Uint8Array, grants?: object): Project {
  const place = project();
  place.write("guard.wasm", module);
  place.configure("PreToolUse", {
    type: "wasm",
    name: "g",
    module: "./guard.wasm",
    timeoutMs: 20_000,
    ...(grants && { grants }),
  });
  return place;
}

const COUNT = /\b\d{6}\b/;
const countOf = (stdout: string): string | undefined => COUNT.exec(stdout)?.[0];

test("a process for each event begins each time with nothing", async () => {
  const { folder } = guarded(counting(), { state: true });
  for (const _ of [1, 2]) {
    const { stdout } = await hookbox(["run"], { cwd: folder, stdin: bashCall("ls") });
    expect(countOf(stdout)).toBe("000001");
  }
});

test("one process for many events keeps count, for each session, until that ends", async () => {
  const { folder } = guarded(counting(), { state: true });
  const call = (session: string): object => ({ ...(JSON.parse(bashCall("ls")) as object), session_id: session });
  const end = { hook_event_name: "SessionEnd", session_id: "a", reason: "clear" };
  const lines = [call("a"), call("a"), call("b"), end, call("a"), call("b")];
  const answers: (string | undefined)[] = [];
  const stdin = lines.map((line, id) => `${JSON.stringify({ id, ...line })}\n`).join("");
  const { stdout } = await inProcess(["run", "--lines"], { cwd: folder, stdin });
  for (const line of stdout.trim().split("\n")) answers.push(countOf(line));
  expect(answers.filter((count) => count !== undefined)).toHaveLength(5);
  // Lines are judged side by side; within a session in their order.
  expect(answers.slice(0, 3)).toEqual(["000001", "000002", "000001"]);
  expect(answers[5]).toBe("000002");
});

describe("hookbox check", () => {
  const warnings = async (place: Project): Promise<readonly object[]> => {
    const { stdout, exitCode } = await inProcess(["check", "--json"], { cwd: place.folder });
    expect(exitCode).toBe(0);
    const { problems } = JSON.parse(stdout) as { readonly problems: readonly { readonly code: string }[] };
    return problems.filter(({ code }) => code === "HOOK_STATE_FORGOTTEN");
  };

  test("warns of a rule whose guard would be forgotten", async () => {
    expect(await warnings(guarded(counting(), { state: true }))).toEqual([
      {
        severity: "warning",
        code: "HOOK_STATE_FORGOTTEN",
        message: 'rule "g": grants state, of which "hookbox run" keeps nothing from one event to the next',
        hint: expect.stringContaining("hookbox run --lines"),
        place: expect.objectContaining({ line: expect.any(Number) }),
      },
    ]);
  });

  test("does not of rules that grant no state, or that cannot run", async () => {
    expect(await warnings(guarded(guest("denies")))).toEqual([]);
    expect(await warnings(guarded(guest("denies"), { clock: "real" }))).toEqual([]);
  });
});
