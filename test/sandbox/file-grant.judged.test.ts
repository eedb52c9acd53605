import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { WAITING, type WaitingDisk } from "../../src/files/disk.ts";
import { byComparison, byDescriptor, type Opener } from "../../src/files/opened-file.ts";
import type { PathGrant } from "../../src/grants.ts";
import type { Failure } from "../../src/outcome.ts";
import { commitFiles } from "../../src/sandbox/grants/file-writes.ts";
import { makeFolder } from "../helpers/folders.ts";

/** The paths that a rule may write are checked when the rule is read; they may lead elsewhere later. */

const OPENERS: readonly (readonly [string, Opener])[] = [
  ["by comparison", byComparison],
  ...(process.platform === "linux" ? ([["by descriptor", byDescriptor]] as const) : []),
];

interface Read {
  readonly paths: readonly PathGrant[];
  readonly problems: readonly { readonly code: string; readonly message: string }[];
}

/** The grants of a user's own file, which allow its guard to write one path. */
async function granted(root: string, path: string, file = "config/hookbox.json"): Promise<Read> {
  const grants = { paths: { out: { path, access: "write" } } };
  const hook = { type: "wasm", module: "./guard.wasm", grants };
  mkdirSync(join(root, "config"), { recursive: true });
  writeFileSync(join(root, file), JSON.stringify({ hooks: { PreToolUse: [{ hooks: [hook] }] } }));
  const { rules, problems } = await loadConfig([{ file, layer: "user" }], [], root);
  const [rule] = rules;
  return { paths: (rule?.handler.type === "wasm" && rule.handler.grants?.paths) || [], problems };
}

const write = (
  paths: readonly PathGrant[],
  path: string,
  { opener, disk }: { readonly opener: Opener; readonly disk?: WaitingDisk },
): Promise<Failure | undefined> =>
  commitFiles(paths, [{ path, bytes: Buffer.from("bad") }], { opener, ...(disk === undefined ? {} : { disk }) });

function exchange(path: string, target: string): void {
  if (existsSync(path)) renameSync(path, `${path}-was`);
  symlinkSync(target, path);
}

describe.each(OPENERS)("what a guard writes (%s)", (_, opener) => {
  test("goes to where its path led when the rule was read, even through links", async () => {
    const root = makeFolder({ real: null, "config/below": null });
    symlinkSync("real", join(root, "link"));
    for (const [path, file] of [
      ["../link", "link/a"],
      ["../link/new", "link/new"],
      ["./below", "config/below/a"],
      ["./seen.json", "config/seen.json"],
    ] as const) {
      const { paths, problems } = await granted(root, path);
      expect(problems).toEqual([]);
      expect(await write(paths, join(root, file), { opener })).toBeUndefined();
      expect(readFileSync(join(root, file), "utf8")).toBe("bad");
    }
  });

  test("may go into a folder that did not exist when the rule was read", async () => {
    const root = makeFolder();
    const { paths } = await granted(root, "../cache");
    mkdirSync(join(root, "cache"));
    expect(await write(paths, join(root, "cache/a"), { opener })).toBeUndefined();
  });

  test.each([
    ["the folder of the file that grants it", "config", "guard.wasm"],
    ["the folder above that", ".", "config/hookbox.json"],
    ["another folder with a configuration", "repository", "guard.wasm"],
    ["an agent's folder", "home/.claude", "settings.json"],
    ["just another folder", "elsewhere", "x"],
  ])("is refused once its folder has become a link to %s", async (_case, target, name) => {
    const root = makeFolder({
      cache: null,
      "config/guard.wasm": "good",
      "repository/hookbox.yaml": "good",
      "repository/guard.wasm": "good",
      "home/.claude/settings.json": "good",
      "elsewhere/x": "good",
    });
    const { paths, problems } = await granted(root, "../cache");
    expect(problems).toEqual([]);
    const before = readFileSync(join(root, target, name), "utf8");
    exchange(join(root, "cache"), target);
    expect(await write(paths, join(root, "cache", name), { opener })).toMatchObject({
      kind: "capability",
      message: expect.stringContaining("when its rule was read"),
    });
    expect(readFileSync(join(root, target, name), "utf8")).toBe(before);
  });

  test("is refused once its file has become a link to the file that grants it, whatever its name is", async () => {
    const root = makeFolder({ "config/seen.json": "{}" });
    for (const file of ["config/hookbox.json", "config/rules.json"]) {
      const { paths, problems } = await granted(root, "./seen.json", file);
      expect(problems).toEqual([]);
      const before = readFileSync(join(root, file), "utf8");
      renameSync(join(root, "config/seen.json"), join(root, "kept"));
      symlinkSync(join(root, file), join(root, "config/seen.json"));
      expect(await write(paths, join(root, "config/seen.json"), { opener })).toMatchObject({ kind: "capability" });
      expect(readFileSync(join(root, file), "utf8")).toBe(before);
      renameSync(join(root, "kept"), join(root, "config/seen.json"));
    }
  });

  test("is refused once the folder of the file that grants it has become a link into its own", async () => {
    const root = makeFolder({ "cache/config/hookbox.json": "good" });
    const { paths } = await granted(root, "../cache");
    renameSync(join(root, "config"), join(root, "config-was"));
    symlinkSync("cache/config", join(root, "config"));
    const failure = await write(paths, join(root, "cache/config/other.json"), { opener });
    expect(failure).toMatchObject({
      kind: "capability",
      message: expect.stringContaining("the folder of the file that grants it"),
    });
    expect(existsSync(join(root, "cache/config/other.json"))).toBe(false);
  });

  test.each([
    "hookbox.json",
    "HookBox.YAML",
    "hookbox.lock",
    "deep/hookbox.jsonc",
    ".claude/settings.local.json",
    ".claude/hooks/check.sh",
    "deep/.Autohand/config.json",
  ])("is never a file that configures hooks, in any granted folder: %s", async (name) => {
    const root = makeFolder({ "app/deep/.Autohand": null, "app/.claude/hooks": null });
    const { paths, problems } = await granted(root, "../app");
    expect(problems).toEqual([]);
    const failure = await write(paths, join(root, "app", name), { opener });
    expect(failure).toMatchObject({ kind: "capability", message: expect.stringMatching(/configuration|settings/) });
    expect(existsSync(join(root, "app", name))).toBe(false);
  });

  test("may be in a folder below an agent's folder that its rule names, except for the agent's own files", async () => {
    const root = makeFolder({ "home/.claude/guards": null });
    const { paths, problems } = await granted(root, "../home/.claude/guards");
    expect(problems).toEqual([]);
    expect(await write(paths, join(root, "home/.claude/guards/seen"), { opener })).toBeUndefined();
  });

  test("is never such a file, whatever changes before any one step", async () => {
    for (const name of ["open", "lstat", "readlink", "realpath", "write", "rename"] as const) {
      for (let nth = 1; nth < 30; nth++) {
        const root = makeFolder({ cache: null });
        const { paths } = await granted(root, "../cache");
        let calls = 0;
        const original = WAITING[name] as (...requirements: unknown[]) => Promise<unknown>;
        const disk = {
          ...WAITING,
          [name]: (...requirements: unknown[]) => {
            calls += 1;
            if (calls === nth) exchange(join(root, "cache"), "config");
            return original(...requirements);
          },
        } as WaitingDisk;
        await write(paths, join(root, "cache/other.json"), { opener, disk });
        // Without descriptors, what is replaced between the last check and the next call is lost.
        if (opener === byDescriptor) expect(existsSync(join(root, "config/other.json"))).toBe(false);
        if (calls < nth) break;
      }
    }
  });
});

describe("a rule", () => {
  test.each([
    ["a link to an agent's folder", "../link-to-agent"],
    ["a path below such a link", "../link-to-agent/guards"],
    ["an agent's folder itself", "../home/.claude"],
    ["an agent's settings", "../home/.claude/settings.json"],
    ["a link to a folder with a configuration", "../link-to-repository"],
    ["a file by such a link", "../link-to-repository/guard.wasm"],
    ["a configuration in another folder", "../repository/hookbox.yaml"],
    ["a link to nothing", "../dangling"],
    ["the file that grants it, whatever that is called", "./rules.json"],
  ])("cannot grant writing of %s", async (_, path) => {
    const root = makeFolder({
      "home/.claude/guards": null,
      "home/.claude/settings.json": "{}",
      "repository/hookbox.yaml": "hooks: {}",
      "repository/guard.wasm": "",
    });
    symlinkSync("home/.claude", join(root, "link-to-agent"));
    symlinkSync("repository", join(root, "link-to-repository"));
    symlinkSync("nothing", join(root, "dangling"));
    const { paths, problems } = await granted(root, path, "config/rules.json");
    expect(paths).toEqual([]);
    expect(problems).toMatchObject([{ code: "HOOK_CONFIG_GRANT", hint: expect.any(String) }]);
  });

  test("can grant writing in a folder with a configuration that it names directly, but not through a link", async () => {
    const root = makeFolder({ "repository/hookbox.yaml": "hooks: {}" });
    const { paths, problems } = await granted(root, "../repository");
    expect(problems).toEqual([]);
    expect(paths).toHaveLength(1);
  });
});
