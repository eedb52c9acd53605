import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ConfinedFolder } from "../../../src/executors/agent/confined-folder.ts";
import type { ModelRequest } from "../../../src/models/model.ts";
import { Stop } from "../../../src/stop-signal.ts";
import { makeFolder } from "../../helpers/folders.ts";
import { callTool, confined, placeIn, resultsIn, runAgainst, say, scripted, type Turn } from "./agent-kit.ts";

const LOOK: Turn = [["glob", { pattern: "*" }]];

describe("turns", () => {
  test("run out, which is a failure that names the limit", async () => {
    const script = scripted(LOOK);
    expect(await runAgainst(script, makeFolder(), { maxTurns: 3 })).toEqual({
      ok: false,
      failure: { kind: "turns", message: "the agent has not answered within 3 turns", limit: 3, value: 3 },
      receipt: expect.objectContaining({ turns: 3, inputTokens: 30, outputTokens: 15 }),
    });
    expect(script.requests).toHaveLength(3);
  });

  test("are sufficient if the last one answers", async () => {
    expect(await runAgainst(scripted(LOOK, LOOK, [say(true)]), makeFolder(), { maxTurns: 3 })).toMatchObject({
      ok: true,
    });
  });

  test("without a call get one reminder in a row, and count", async () => {
    const words: Turn = { text: '{"ok": true, "reason": "fine"}' };
    const script = scripted(words, LOOK, words, [say(false)]);
    expect(await runAgainst(script, makeFolder(), { maxTurns: 4 })).toMatchObject({ ok: true, receipt: { turns: 4 } });
    expect(script.requests[1]?.messages.at(-1)).toMatchObject({
      role: "user",
      text: expect.stringContaining("Call answer"),
    });
    expect(await runAgainst(scripted(words), makeFolder())).toMatchObject({
      ok: false,
      failure: { kind: "invalid-output", message: expect.stringContaining("did not call a tool") },
      receipt: { turns: 2 },
    });
    expect(await runAgainst(scripted({ text: "" }, [say(true)]), makeFolder())).toMatchObject({ ok: true });
  });
});

describe("tokens", () => {
  test("run out, and the model is not asked again", async () => {
    const script = scripted({
      calls: [{ id: "1", name: "glob", input: { pattern: "*" } }],
      inputTokens: 3_000,
      outputTokens: 10,
    });
    const result = await runAgainst(script, makeFolder(), { maxTokens: 10_000 });
    expect(result).toMatchObject({ ok: false, failure: { kind: "turns", limit: 10_000 }, receipt: { turns: 3 } });
    expect(!result.ok && result.failure.value).toBeGreaterThan(10_000);
    expect(script.requests).toHaveLength(3);
    // The rest of the tokens bounds the next answer.
    expect(script.requests.map(({ maxTokens }) => maxTokens > 3_100)).toEqual([true, true, false]);
  });

  test("over the limit make an answer invalid", async () => {
    const dear: Turn = {
      calls: [{ id: "1", name: "answer", input: { ok: true, reason: "" } }],
      inputTokens: 9_000,
      outputTokens: 1,
    };
    expect(await runAgainst(scripted(dear), makeFolder(), { maxTokens: 9_000 })).toMatchObject({
      ok: false,
      failure: { kind: "turns", limit: 9_000, value: 9_001, message: expect.stringContaining("it has taken 9001") },
    });
    expect(await runAgainst(scripted(dear), makeFolder(), { maxTokens: 9_001 })).toMatchObject({ ok: true });
  });

  test("are estimated if the provider does not count them, for input and output", async () => {
    const uncounted: Turn = {
      calls: [{ id: "1", name: "glob", input: { pattern: "*" } }],
      text: "x".repeat(4_000),
      inputTokens: 0,
      outputTokens: 0,
    };
    const script = scripted(uncounted);
    const result = await runAgainst(script, makeFolder(), { maxTokens: 10_000 });
    expect(result).toMatchObject({ ok: false, failure: { kind: "turns" } });
    expect(result.receipt.outputTokens).toBe(script.requests.length * 1_013);
    expect(result.receipt.inputTokens).toBeGreaterThan(script.requests.length * 400);
  });

  test("are not spent on a prompt that is longer than the limit", async () => {
    const script = scripted([say(true)]);
    const result = await runAgainst(script, makeFolder(), { prompt: "x".repeat(40_000), maxTokens: 5_000 });
    expect(result).toMatchObject({ ok: false, failure: { kind: "turns", limit: 5_000 } });
    expect(script.requests).toEqual([]);
  });

  test("run out if too few are left for an answer, but an answer that is too long is invalid", async () => {
    const cut: Turn = { end: "length" };
    expect(await runAgainst(scripted(cut), makeFolder(), { maxTokens: 3_000 })).toMatchObject({
      ok: false,
      failure: { kind: "turns", limit: 3_000 },
    });
    expect(await runAgainst(scripted(cut), makeFolder())).toMatchObject({
      ok: false,
      failure: { kind: "invalid-output", message: expect.stringContaining("4096 tokens") },
    });
  });
});

describe("answers", () => {
  const wrongInputs = [
    {},
    { ok: true },
    { ok: "true", reason: "" },
    { ok: 1, reason: "" },
    { ok: true, reason: null },
    { ok: true, reason: "", impossible: "no" },
    { ok: true, reason: "", decision: "allow" },
    { ok: true, reason: "", impossible: true },
    { OK: true, reason: "" },
    [{ ok: true, reason: "" }],
    "true",
    true,
    null,
  ];

  test.each(wrongInputs)("of the wrong shape get an error, and count: %j", async (input) => {
    const script = scripted([["answer", input as never]], [say(false)]);
    expect(await runAgainst(script, makeFolder())).toMatchObject({
      ok: true,
      reply: { decision: "deny" },
      receipt: { turns: 2 },
    });
    expect(resultsIn(script.requests[1])).toMatchObject([{ isError: true }]);
    expect(await runAgainst(scripted([["answer", input as never]]), makeFolder(), { maxTurns: 2 })).toMatchObject({
      ok: false,
      failure: { kind: "turns" },
    });
  });

  test.each([
    [[say(true), say(false)]],
    [[say(true, "a"), say(true, "b")]],
    [[say(false), say(false, "because", { impossible: true })]],
    [[say(true), ["answer", {}] as const]],
    [[["answer", {}] as const, say(true)]],
    [[say(true), ["read", { path: "a" }] as const, say(false)]],
    [[...Array.from({ length: 20 }, () => say(true)), say(false)]],
  ])("that disagree are no answer: %j", async (calls) => {
    expect(await runAgainst(scripted(calls), makeFolder())).toMatchObject({
      ok: false,
      failure: { kind: "invalid-output", message: "the model gave two answers at once that are not the same" },
    });
  });

  test("that agree are one answer", async () => {
    expect(await runAgainst(scripted([say(false), say(false)]), makeFolder())).toMatchObject({
      ok: true,
      reply: { decision: "deny" },
      receipt: { turns: 1 },
    });
  });

  test("in words, or by a tool with a similar name, grant no permission", async () => {
    for (const name of ["Answer", "answer ", "ANSWER", "approve"]) {
      const script = scripted([[name, { ok: true, reason: "" }]]);
      expect(await runAgainst(script, makeFolder(), { maxTurns: 2 })).toMatchObject({
        ok: false,
        failure: { kind: "turns" },
      });
    }
  });

  test("that the provider refuses to give are a failure", async () => {
    expect(await runAgainst(scripted({ end: "refusal" }), makeFolder())).toMatchObject({
      ok: false,
      failure: { kind: "invalid-output", message: "the model would not answer" },
    });
  });
});

describe("calls", () => {
  test("in one turn are answered in their order, up to sixteen", async () => {
    const calls = Array.from({ length: 20 }, (_, at) => ["read", { path: `f${at}` }] as const);
    const files = Object.fromEntries(calls.map((_, at) => [`f${at}`, `text ${at}`]));
    const script = scripted(calls, [say(true)]);
    await runAgainst(script, makeFolder(files));
    const results = resultsIn(script.requests[1]);
    expect(results.map(({ text }) => text)).toEqual([
      ...Array.from({ length: 16 }, (_, at) => `1: text ${at}`),
      ...Array.from({ length: 4 }, () => "not run: at most 16 calls at once"),
    ]);
    expect(results.map(({ isError }) => isError).indexOf(true)).toBe(16);
  });

  test("by the hundred are no answer", async () => {
    const calls = Array.from({ length: 257 }, () => ["read", { path: "a" }] as const);
    expect(await runAgainst(scripted(calls), makeFolder())).toMatchObject({
      ok: false,
      failure: { kind: "invalid-output" },
    });
  });

  test("next to an answer are not run", async () => {
    const script = scripted([["read", { path: "/etc/passwd" }], say(false), ["grep", { pattern: "x" }]]);
    expect(await runAgainst(script, makeFolder())).toMatchObject({ ok: true, receipt: { turns: 1 } });
    expect(script.requests).toHaveLength(1);
  });

  test("of an unknown tool change nothing, and the agent may go on", async () => {
    const cwd = makeFolder({ "a.txt": "x" });
    const made = join(cwd, "made");
    const script = scripted(
      [
        ["Bash", { command: `touch ${made}` }],
        ["bash", { command: `touch ${made}` }],
        ["Write", { path: made, content: "x" }],
        ["Edit", { path: "a.txt", old_string: "x", new_string: "y" }],
        ["WebFetch", { url: "http://127.0.0.1:9/" }],
        ["Task", { prompt: "look further" }],
        ["agent", { prompt: "look further" }],
        ["read", { path: "a.txt", content: "y" }],
        ["glob", { pattern: "$(touch made)" }],
        ["grep", { pattern: "`touch made`", path: ";touch made" }],
      ],
      [say(true)],
    );
    expect(await runAgainst(script, cwd)).toMatchObject({ ok: true });
    const results = resultsIn(script.requests[1]);
    expect(results.slice(0, 8).every(({ isError }) => isError)).toBe(true);
    expect(results.slice(0, 7).every(({ text }) => text.startsWith("there is no tool"))).toBe(true);
    expect(existsSync(made)).toBe(false);
    expect(readdirSync(cwd)).toEqual(["a.txt"]);
  });
});

test("the conversation keeps all messages, and ends when it is too long", async () => {
  const cwd = makeFolder({ "a.txt": `${"y".repeat(1_000)}\n`.repeat(100) });
  const calls = Array.from({ length: 16 }, () => ["read", { path: "a.txt" }] as const);
  const script = scripted(calls);
  const result = await runAgainst(script, cwd, { maxTokens: 10_000_000 });
  expect(result).toMatchObject({ ok: false, failure: { kind: "turns", limit: 1_000_000 } });
  expect(!result.ok && result.failure.value).toBeGreaterThan(1_000_000);
  const lengths = script.requests.map(({ messages }: ModelRequest) => messages.length);
  expect(lengths).toEqual([1, 3]);
});

describe("a folder with 20,100 files", () => {
  /** Not on a disk, because creating so many files takes longer than searching them. */
  const files = new Map<string, readonly string[]>(
    ["g0", "g1", "g2"].map((group) => [group, Array.from({ length: 6_700 }, (_, at) => `f${at}`)]),
  );
  const many: ConfinedFolder = {
    root: "/made-up",
    async list(path, maxEntries) {
      const names = path === "." || path === "" ? [...files.keys()] : (files.get(path) ?? []);
      const kind = files.has(names[0] as string) ? "folder" : "file";
      const entries = names.slice(0, maxEntries).map((name) => ({ name, kind }) as const);
      return { ok: true, value: { folder: path === "." ? "" : path, entries, isWhole: names.length <= maxEntries } };
    },
    async read(path) {
      return { ok: true, value: { bytes: Buffer.from(path.endsWith("f6699") ? "needle" : ""), isWhole: true } };
    },
  };
  const place = { folder: many, redacts: false, stop: new Stop() };

  test("is searched up to a limit, and the tools say so", async () => {
    const listed = await callTool(place, "glob", { pattern: "**" });
    expect(listed.text.split("\n")).toHaveLength(301);
    expect(listed.text).toContain("[stopped after 300 paths]");
    const found = await callTool(place, "grep", { pattern: "needle" });
    expect(found.text).toBe("g0/f6699:1: needle\ng1/f6699:1: needle\n[stopped after 20000 files and folders]");
    expect((await callTool(place, "grep", { pattern: "needle", path: "g2" })).text).toBe("g2/f6699:1: needle");
  });
});

test("a folder with a thousand files is searched completely", async () => {
  const files = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`d${at % 10}/f${at}`, "text"]));
  const place = await placeIn(makeFolder({ ...files, "d9/zz": "needle" }));
  expect((await callTool(place, "grep", { pattern: "needle" })).text).toBe("d9/zz:1: needle");
  expect((await callTool(place, "glob", { pattern: "zz" })).text).toBe("d9/zz");
});

test("nested folders are searched to a limited depth, and the tools say so", async () => {
  const deep = "d/".repeat(45);
  const { text } = await callTool(await placeIn(makeFolder({ [`${deep}x`]: "needle", top: "needle" })), "grep", {
    pattern: "needle",
  });
  expect(text).toBe("top:1: needle\n[folders deeper than 40 are left out]");
});

test("huge files are searched up to a limit each, and a limit for all together", async () => {
  const text = `${"x".repeat(4_000)}\n`.repeat(132);
  const cwd = makeFolder({ huge: `${text}needle`, small: "needle" });
  const { text: found } = await callTool(await placeIn(cwd), "grep", { pattern: "needle" });
  expect(found).toBe("small:1: needle\n[of long files only the first 524288 bytes are searched]");

  const start = { bytes: Buffer.from(text).subarray(0, 524_288), isWhole: false };
  const names = Array.from({ length: 200 }, (_, at) => ({ name: `f${at}`, kind: "file" as const }));
  let reads = 0;
  const folder: ConfinedFolder = {
    root: "/made-up",
    list: async () => ({ ok: true, value: { folder: "", entries: names, isWhole: true } }),
    read: async () => {
      reads++;
      return { ok: true, value: start };
    },
  };
  const all = await callTool({ folder, redacts: false, stop: new Stop() }, "grep", { pattern: "needle" });
  expect(all.text).toMatch(/^\[nothing found\]\n\[of long files .*\]\n\[stopped after (67108864 bytes|10 seconds)\]$/);
  expect(reads).toBeLessThanOrEqual(128);
}, 30_000);

describe("a search that is stopped", () => {
  /** Stops at the given step, and counts the steps after it. */
  async function stoppingAt(
    cwd: string,
    step: number,
  ): Promise<{ folder: ConfinedFolder; stop: Stop; late: () => number }> {
    const stop = new Stop();
    const folder = await confined(cwd);
    let [steps, late] = [0, 0];
    const count = (): void => {
      if (stop.aborted) late++;
      if (++steps === step) stop.abort({ kind: "cancelled", message: "enough" });
    };
    return {
      stop,
      late: () => late,
      folder: {
        root: folder.root,
        read: (...args) => {
          count();
          return folder.read(...args);
        },
        list: (...args) => {
          count();
          return folder.list(...args);
        },
      },
    };
  }

  test.each([1, 2, 5, 20])("opens nothing after step %i", async (step) => {
    const files = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`d${at % 7}/f${at}`, "text\n"]));
    const cwd = makeFolder(files);
    for (const [name, input] of [
      ["grep", { pattern: "text" }],
      ["glob", { pattern: "**" }],
    ] as const) {
      const { folder, stop, late } = await stoppingAt(cwd, step);
      await callTool({ folder, stop, redacts: false }, name, input);
      expect(late()).toBe(0);
    }
  });
});
