import { chmodSync, existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { Stop } from "../../../src/stop-signal.ts";
import { isRunning, readPids } from "../command/command-rule.ts";
import {
  atStart,
  builtinRule,
  call,
  failureOf,
  folder,
  git,
  openExecutor,
  repository,
  sessionStart,
  textOf,
} from "./builtin-kit.ts";

describe("add_git_status", () => {
  test("gives the branch and the changes", async () => {
    const root = repository();
    writeFileSync(path.join(root, "a.txt"), "two\n");
    writeFileSync(path.join(root, "grün.txt"), "");
    expect(textOf(await atStart(root, "add_git_status"))).toBe("Git status:\n## main\n M a.txt\n?? grün.txt");
  });

  test("gives the same from a subfolder", async () => {
    const root = repository({ "sub/a.txt": "" });
    writeFileSync(path.join(root, "sub/a.txt"), "two\n");
    expect(textOf(await atStart(path.join(root, "sub"), "add_git_status"))).toBe("Git status:\n## main\n M a.txt");
  });

  test("cuts a long status between characters, and says so", async () => {
    const root = repository();
    for (let i = 0; i < 300; i += 1) writeFileSync(path.join(root, `${"ü".repeat(30)}${i}`), "");
    const text = textOf(await atStart(root, "add_git_status")) ?? "";
    expect(text).toMatch(/\[cut at 8192 bytes\]$/);
    expect(text).not.toContain("�");
    expect(Buffer.byteLength(text)).toBeLessThan(8_300);
  });
});

describe("add_git_diff", () => {
  const changed = (): string => {
    const root = repository();
    writeFileSync(path.join(root, "a.txt"), "two\n");
    return root;
  };

  test("gives the number of changes", async () => {
    expect(textOf(await atStart(changed(), "add_git_diff"))).toMatch(/^Git diff \(summary\):\n a\.txt \| 2 \+-\n/);
  });

  test("gives the changes with full", async () => {
    const text = textOf(await atStart(changed(), "add_git_diff", ["full"]));
    expect(text).toMatch(/^Git diff:\ndiff --git a\/a\.txt b\/a\.txt\n/);
    expect(text).toMatch(/\n-one\n\+two$/);
  });

  test("is cut at 4 KB between characters", async () => {
    const root = repository();
    writeFileSync(path.join(root, "a.txt"), "ü".repeat(10_000));
    const text = textOf(await atStart(root, "add_git_diff", ["full"])) ?? "";
    expect(text).toMatch(/ü\n\[cut at 4096 bytes\]$/);
    expect(Buffer.byteLength(text)).toBeLessThan(4_200);
  });

  test("adds nothing if nothing has changed", async () => {
    expect(await atStart(repository(), "add_git_diff")).toMatchObject({ ok: true, reply: {} });
  });
});

describe("add_recent_commits", () => {
  test("gives the last ten commits, or the requested number", async () => {
    const root = repository();
    for (let i = 2; i <= 12; i += 1) git(root, "commit", "-q", "--allow-empty", "-m", `commit ${i}`);
    const lines = (text = ""): string[] => text.split("\n").slice(1);
    const ten = lines(textOf(await atStart(root, "add_recent_commits")));
    expect(ten).toHaveLength(10);
    expect(ten[0]).toMatch(/^[0-9a-f]{7,} commit 12$/);
    expect(lines(textOf(await atStart(root, "add_recent_commits", ["2"])))).toHaveLength(2);
  });

  test.each(["0", "-1", "many", "1001", "1; ls", "--all"])("rejects %j as a number", async (count) => {
    const executor = openExecutor();
    const rule = builtinRule("add_recent_commits", [count]);
    expect(await executor.prepare(rule)).toMatchObject([{ code: "HOOK_BUILTIN", severity: "error" }]);
    expect(failureOf(await call(rule, sessionStart("/"), { executor }))).toMatchObject({ code: "HOOK_BUILTIN" });
  });

  test("adds nothing if there is no commit yet, and notes why", async () => {
    const root = folder();
    git(root, "init", "-q");
    expect(await atStart(root, "add_recent_commits")).toMatchObject({
      ok: true,
      reply: {},
      receipt: { log: [expect.stringContaining("git ended with exit code 128")] },
    });
  });
});

const ALL = [
  ["add_git_status", []],
  ["add_git_diff", []],
  ["add_git_diff", ["full"]],
  ["add_recent_commits", []],
] as const;

describe.each(ALL)("%s %j", (name, args) => {
  test("adds nothing outside of a repository", async () => {
    expect(await atStart(folder(), name, args)).toMatchObject({ ok: true, reply: {} });
    expect(await atStart("/no/such/folder", name, args)).toMatchObject({ ok: true, reply: {} });
  });

  test("adds nothing without git", async () => {
    const rule = builtinRule(name, args, { handler: { env: { PATH: folder() } } });
    expect(await call(rule, sessionStart(repository()))).toMatchObject({ ok: true, reply: {} });
  });

  test("runs nothing that the repository configures", async () => {
    const { root, traces } = hostileRepository();
    // Each program does run if git is started without precautions; otherwise the test would prove nothing.
    git(root, "status");
    git(root, "--no-pager", "diff");
    git(root, "--no-pager", "log", "-1");
    expect(traces().sort()).toEqual(["clean", "diff-driver", "fsmonitor", "gpg", "index-change", "textconv"]);
    const hostile = hostileRepository();
    expect((await atStart(hostile.root, name, args)).ok).toBe(true);
    expect(hostile.traces()).toEqual([]);
  });

  test("does not change the index", async () => {
    const { root } = hostileRepository();
    const lock = path.join(root, ".git/index.lock");
    writeFileSync(lock, "");
    expect((await atStart(root, name, args)).ok).toBe(true);
    expect(existsSync(lock)).toBe(true);
  });
});

/**
 * Creates a repository whose configuration names a program in each place where git accepts one; each program leaves a
 * trace.
 */
function hostileRepository(): { readonly root: string; traces(): string[] } {
  const root = repository({
    "a.txt": "one\n",
    "b.bin": "one\n",
    "c.dat": "one\n",
    ".gitattributes": "*.txt diff=evil\n*.bin diff=text\n*.dat filter=evil=name\n",
  });
  const traces = folder();
  const program = (name: string): string => {
    const file = path.join(traces, `${name}.sh`);
    writeFileSync(file, `#!/bin/sh\n: > '${path.join(traces, name)}.ran'\ncat 2>/dev/null\n`, { mode: 0o755 });
    return file;
  };
  const hooks = path.join(root, ".git/hooks");
  mkdirSync(hooks, { recursive: true });
  const hook = path.join(hooks, "post-index-change");
  writeFileSync(hook, `#!/bin/sh\n: > '${path.join(traces, "index-change")}.ran'\n`);
  chmodSync(hook, 0o755);
  const set = (key: string, value: string): string => git(root, "config", key, value);
  // Signed, so that git would verify it.
  const commit = git(root, "cat-file", "commit", "HEAD").replace(
    /\n\n/,
    "\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----\n\n",
  );
  writeFileSync(path.join(root, ".git/commit"), commit);
  git(root, "update-ref", "HEAD", git(root, "hash-object", "-t", "commit", "-w", ".git/commit").trim());
  set("core.fsmonitor", program("fsmonitor"));
  set("diff.evil.command", program("diff-driver"));
  set("diff.text.textconv", program("textconv"));
  set("filter.evil=name.clean", program("clean"));
  set("core.pager", program("pager"));
  set("pager.status", "true");
  set("alias.status", `!${program("alias")}`);
  set("log.showSignature", "true");
  set("gpg.program", program("gpg"));
  for (const name of ["a.txt", "b.bin", "c.dat"]) writeFileSync(path.join(root, name), "two\n");
  return {
    root,
    traces: () =>
      ["fsmonitor", "diff-driver", "textconv", "clean", "pager", "alias", "gpg", "index-change"].filter((name) =>
        existsSync(path.join(traces, `${name}.ran`)),
      ),
  };
}

describe("a repository that points elsewhere", () => {
  test("cannot make git compare the user's own files", async () => {
    const secrets = folder({ id_key: "PRIVATE\n" });
    const root = repository({ id_key: "placeholder\n" });
    git(root, "config", "core.worktree", secrets);
    expect(git(root, "diff")).toContain("PRIVATE");
    expect(textOf(await atStart(root, "add_git_diff", ["full"]))).toBeUndefined();
  });

  test("cannot make git read an endless file as settings", async () => {
    const root = repository();
    writeFileSync(path.join(root, "a.txt"), "two\n");
    for (const key of ["core.attributesFile", "core.excludesFile", "diff.orderFile", "mailmap.file"]) {
      git(root, "config", key, "/dev/zero");
    }
    expect(textOf(await atStart(root, "add_git_diff", ["full"]))).toContain("+two");
    expect(textOf(await atStart(root, "add_git_status"))).toContain(" M a.txt");
    expect(textOf(await atStart(root, "add_recent_commits"))).toBeDefined();
  });

  test("is not mixed with the repository that a link leads to", async () => {
    const elsewhere = repository({ "sub/secret.txt": "PRIVATE\n" });
    const root = repository();
    symlinkSync(path.join(elsewhere, "sub"), path.join(root, "link"));
    expect(await atStart(path.join(root, "link"), "add_git_diff", ["full"])).toMatchObject({ ok: true, reply: {} });
  });

  test("is not searched in parent folders if its .git is no repository", async () => {
    const root = repository({ "secret.txt": "PRIVATE\n" });
    mkdirSync(path.join(root, "sub/.git"), { recursive: true });
    const sub = path.join(root, "sub");
    expect(git(sub, "--work-tree=.", "diff")).toContain("PRIVATE");
    expect(await atStart(sub, "add_git_diff", ["full"])).toMatchObject({ ok: true, reply: {} });
    expect(await atStart(sub, "add_recent_commits")).toMatchObject({ ok: true, reply: {} });
  });

  test("is not used if it is a bare repository inside another repository", async () => {
    const root = repository();
    git(root, "init", "-q", "--bare", "-b", "planted", "bare.git");
    const bare = path.join(root, "bare.git");
    expect(git(bare, "--work-tree=..", "status", "--short", "--branch")).toContain("planted");
    expect(await atStart(bare, "add_git_status")).toMatchObject({ ok: true, reply: {} });
  });

  test("fetches no missing objects", async () => {
    const root = repository();
    const trace = path.join(folder(), "ran");
    const pack = path.join(folder({ "pack.sh": `#!/bin/sh\n: > '${trace}'\n` }), "pack.sh");
    chmodSync(pack, 0o755);
    const blob = git(root, "rev-parse", "HEAD:a.txt").trim();
    renameSync(path.join(root, ".git/objects", blob.slice(0, 2)), path.join(folder(), "gone"));
    for (const [key, value] of [
      ["extensions.partialClone", "origin"],
      ["core.repositoryFormatVersion", "1"],
      ["remote.origin.promisor", "true"],
      ["remote.origin.url", folder()],
      ["remote.origin.uploadpack", pack],
    ] as const) {
      git(root, "config", key, value);
    }
    writeFileSync(path.join(root, "a.txt"), "two\n");
    expect(() => git(root, "diff")).toThrow();
    expect(existsSync(trace)).toBe(true);
    const again = path.join(folder({ "pack.sh": `#!/bin/sh\n: > '${trace}.again'\n` }), "pack.sh");
    chmodSync(again, 0o755);
    git(root, "config", "remote.origin.uploadpack", again);
    expect(await atStart(root, "add_git_diff", ["full"])).toMatchObject({ ok: true, reply: {} });
    expect(existsSync(`${trace}.again`)).toBe(false);
  });
});

describe("a stop while git runs", () => {
  const slow = (): { readonly env: Record<string, string>; readonly pids: string } => {
    const pids = path.join(folder(), "pids");
    const bin = folder({ git: `#!/bin/sh\necho $$ >> '${pids}'\nsleep 600 & echo $! >> '${pids}'\nwait\n` });
    chmodSync(path.join(bin, "git"), 0o755);
    return { env: { PATH: `${bin}:/usr/bin:/bin` }, pids };
  };

  test("ends git, and is reported as the stop that it is", async () => {
    const { env, pids } = slow();
    const stop = new Stop();
    const running = call(builtinRule("add_git_status", [], { handler: { env } }), sessionStart(repository()), { stop });
    await expect.poll(() => readPids(pids).length, { timeout: 10_000 }).toBe(2);
    stop.abort({ kind: "timeout", message: "no answer within 5 ms" });
    expect(failureOf(await running)).toEqual({ kind: "timeout", message: "no answer within 5 ms" });
    expect(readPids(pids).filter(isRunning)).toEqual([]);
  });

  test("by closing the engine ends git as well", async () => {
    const { env, pids } = slow();
    const executor = openExecutor();
    const rule = builtinRule("add_git_status", [], { handler: { env } });
    const running = call(rule, sessionStart(repository()), { executor });
    await expect.poll(() => readPids(pids).length, { timeout: 10_000 }).toBe(2);
    await executor.close();
    expect(readPids(pids).filter(isRunning)).toEqual([]);
    expect(failureOf(await running)).toMatchObject({ kind: "cancelled" });
    expect(failureOf(await call(rule, sessionStart("/"), { executor }))).toMatchObject({ kind: "unavailable" });
  });
});

test("a link to a repository is a repository", async () => {
  const root = repository();
  const link = path.join(folder(), "link");
  symlinkSync(root, link);
  expect(textOf(await atStart(link, "add_git_status"))).toBe("Git status:\n## main");
});
