import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { cleanMessage, plainMessage } from "../../../src/executors/builtin/commit-message.ts";
import type { ModelFunction, ModelRequest } from "../../../src/models/model.ts";
import { runWithin } from "../../../src/models/recursion.ts";
import type { RunResult } from "../../../src/outcome.ts";
import { codePoint } from "../../helpers/code-point.ts";
import fc from "../../helpers/fc.ts";
import { makeRepository, type Repository, temporaryFolder } from "./repository.ts";
import { notesOf, runBuiltin, stopped } from "./run-builtin.ts";

const IDENTITY = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.com",
};

interface Options {
  readonly model?: ModelFunction;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeLeftMs?: number;
}

function commit({ top }: Repository, { model, env = {}, timeLeftMs = 60_000 }: Options = {}): Promise<RunResult> {
  return runBuiltin("smart-commit", stopped(top), {
    choice: { provider: { kind: "function", name: "mine" }, model: "writer" },
    env: { ...IDENTITY, ...env },
    functions: model === undefined ? {} : { mine: model },
    timeLeftMs,
  });
}

const says =
  (text: string, asked: ModelRequest[] = []): ModelFunction =>
  (request) => {
    asked.push(request);
    return Promise.resolve(text);
  };

const lastMessage = ({ git }: Repository): string => git("log", "-1", "--format=%B").trim();

describe("smart-commit", () => {
  test("commits the changes, with the model's message", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    repository.write("a.txt", "two");
    repository.write("unknown.txt", "2");
    const asked: ModelRequest[] = [];
    expect(notesOf(await commit(repository, { model: says("Say two\n\nOne was not enough.", asked) }))).toEqual([]);
    expect(lastMessage(repository)).toBe("Say two\n\nOne was not enough.");
    expect(repository.git("status", "--short")).toBe("?? unknown.txt\n");
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ model: "writer" });
    expect(JSON.stringify(asked[0]?.messages)).toContain("+two");
  });

  test("commits only staged changes if there are any", async () => {
    const repository = makeRepository({ "a.txt": "1", "b.txt": "1" });
    repository.write("a.txt", "2");
    repository.write("b.txt", "2");
    repository.write("new.txt", "2");
    repository.git("add", "b.txt", "new.txt");
    await commit(repository);
    expect(repository.git("show", "--name-only", "--format=")).toBe("b.txt\nnew.txt\n");
    expect(repository.git("status", "--short")).toBe(" M a.txt\n");
  });

  test.each([
    ["there is no such model", undefined, "a plain message: "],
    ["the model fails", () => Promise.reject(new Error("out of order")), "out of order"],
    ["the model says nothing", says("``` \n```\n  "), "a plain message: "],
  ])("writes a default message if %s", async (_, model, note) => {
    const repository = makeRepository({ "a.txt": "1" });
    repository.write("a.txt", "2");
    const notes = notesOf(await commit(repository, model === undefined ? {} : { model }));
    expect(notes.join()).toContain(note);
    expect(lastMessage(repository)).toBe("Change a.txt");
  });

  test("shows the model no secrets", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    const key = ["gh", "p_", "0123456789abcdefghijABCDEFGHIJ012345"].join("");
    repository.write("a.txt", `token = "${key}"\n`);
    const asked: ModelRequest[] = [];
    await commit(repository, { model: says("Add a token", asked) });
    expect(JSON.stringify(asked)).toContain("token =");
    expect(JSON.stringify(asked)).not.toContain(key);
  });

  test("shows the model nothing of secret files, and commits the ones that git tracks", async () => {
    const repository = makeRepository({ ".env": "A=1", "deep/.env.local": "B=1", "deep/my.KEY": "C=1", "a.txt": "1" });
    for (const path of [".env", "deep/.env.local", "deep/my.KEY", "a.txt"]) repository.write(path, "swordfish");
    repository.git("mv", "a.txt", "deep/b.txt");
    repository.git("add", "-A");
    const asked: ModelRequest[] = [];
    await commit({ ...repository, top: join(repository.top, "deep") }, { model: says("Change things", asked) });
    const shown = JSON.stringify(asked);
    expect(shown).toContain("deep/b.txt");
    expect(shown.match(/swordfish/g)).toHaveLength(1);
    expect(shown).not.toMatch(/\.env|my\.KEY/);
    expect(repository.git("status", "--short")).toBe("");
  });

  test("accepts checks with long output", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    repository.write("package.json", JSON.stringify({ scripts: { test: "head -c 3000000 /dev/zero" } }));
    repository.write("a.txt", "2");
    await commit(repository);
    expect(lastMessage(repository)).toBe("Change a.txt");
  });

  test("commits nothing during a bisect", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    repository.git("bisect", "start");
    repository.write("a.txt", "2");
    expect(notesOf(await commit(repository)).join()).toContain("BISECT_LOG");
  });

  test("writes a default message in time if the model uses all of the rule's time", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    repository.write("a.txt", "2");
    const model: ModelFunction = (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
    const notes = notesOf(await commit(repository, { model, timeLeftMs: 400 }));
    expect(notes.join()).toContain("no message from the model within 200 ms");
    expect(lastMessage(repository)).toBe("Change a.txt");
  });

  test("commits nothing if lint or tests fail, and runs them in that order", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    const scripts = { lint: "echo lint >> order", test: "echo test >> order; echo a test fails >&2; exit 3" };
    repository.write("package.json", JSON.stringify({ name: "x", scripts }));
    repository.write("a.txt", "2");
    expect(notesOf(await commit(repository))).toEqual([
      expect.stringMatching(/^nothing was committed: npm run test ended with exit code 3: .*a test fails/),
    ]);
    expect(repository.read("order")).toBe("lint\ntest\n");
    expect(lastMessage(repository)).toBe("first");
  });

  test("does not run npm's placeholder as a test", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    repository.write(
      "package.json",
      JSON.stringify({ scripts: { test: 'echo "Error: no test specified" && exit 1' } }),
    );
    repository.write("a.txt", "2");
    await commit(repository);
    expect(lastMessage(repository)).toBe("Change a.txt");
  });

  test("is subject to the repository's own hooks", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    const hook = join(repository.top, ".git/hooks/pre-commit");
    writeFileSync(hook, "#!/bin/sh\necho not like this >&2\nexit 1\n");
    chmodSync(hook, 0o755);
    repository.write("a.txt", "2");
    expect(notesOf(await commit(repository)).join()).toContain("not like this");
    expect(lastMessage(repository)).toBe("first");
    expect(repository.git("diff", "--cached", "--name-only")).toBe("");
  });

  test("sets a variable for everything that it starts, which says that a hook runs it", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    const hook = join(repository.top, ".git/hooks/post-commit");
    writeFileSync(hook, '#!/bin/sh\necho "$HOOKBOX_WITHIN" > within\n');
    chmodSync(hook, 0o755);
    repository.write("a.txt", "2");
    await commit(repository);
    expect(repository.read("within")).toBe("1\n");
  });

  test("does nothing inside another hook", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    repository.write("a.txt", "2");
    expect(notesOf(await runWithin(() => commit(repository))).join()).toContain("inside another hook");
    vi.stubEnv("HOOKBOX_WITHIN", "1");
    expect(notesOf(await commit(repository)).join()).toContain("inside another hook");
    vi.unstubAllEnvs();
    expect(lastMessage(repository)).toBe("first");
  });

  test("does not interfere with a merge", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    repository.git("checkout", "--quiet", "-b", "other");
    repository.write("b.txt", "1");
    repository.git("add", "-A");
    repository.git("commit", "--quiet", "-m", "other");
    repository.git("checkout", "--quiet", "main");
    repository.git("merge", "--quiet", "--no-commit", "--no-ff", "other");
    expect(notesOf(await commit(repository)).join()).toContain("MERGE_HEAD");
    expect(existsSync(join(repository.top, ".git/MERGE_HEAD"))).toBe(true);
  });

  test("does nothing if nothing has changed, and outside of a repository", async () => {
    expect(notesOf(await commit(makeRepository({ "a.txt": "1" })))).toEqual([]);
    expect(notesOf(await runBuiltin("smart-commit", stopped(temporaryFolder())))).toEqual([]);
  });

  test("never pushes", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    const remote = temporaryFolder();
    repository.git("init", "--quiet", "--bare", remote);
    repository.git("remote", "add", "origin", remote);
    repository.git("push", "--quiet", "--set-upstream", "origin", "main");
    const before = readFileSync(join(remote, "refs/heads/main"), "utf8");
    repository.write("a.txt", "2");
    await commit(repository);
    expect(lastMessage(repository)).toBe("Change a.txt");
    expect(readFileSync(join(remote, "refs/heads/main"), "utf8")).toBe(before);
  });
});

describe("a message", () => {
  test.each([
    ["Say two", "Say two\n"],
    ['"Say two"', "Say two\n"],
    ["```\nSay two\n```", "Say two\n"],
    ["Here it is:\n```text\nSay two\n\nBody\n```\nBye", "Say two\n\nBody\n"],
    ["\n\nSay two\nBody\u001b[2J\n\nSigned-off-by: The Boss <boss@example.com>\n", "Say two\n\nBody[2J\n"],
    ["#1 fixed", "#1 fixed\n"],
    ["Say two\n\nSigned-off-by : The Boss <boss@example.com>\n", "Say two\n"],
    ["x".repeat(100), `${"x".repeat(71)}…\n`],
  ])("is made from %j", (text, message) => {
    expect(cleanMessage(text)).toBe(message);
  });

  test("is a subject of at most 72 characters for any model output, or none", () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (text) => {
        const message = cleanMessage(text);
        if (message === undefined) return;
        const [subject = "", second] = message.split("\n");
        expect(subject.trim()).not.toBe("");
        expect(subject.length).toBeLessThanOrEqual(72);
        expect(second).toBe("");
        expect(message).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      }),
    );
  });

  test("without a model names the file, or the number of files", () => {
    expect(plainMessage({ files: ["src/a.ts"] })).toBe("Change src/a.ts\n");
    expect(plainMessage({ files: ["a", "b"] })).toBe("Change 2 files\n");
    expect(plainMessage({ files: ["x".repeat(100)] })).toBe("Change 1 file\n");
  });
});
