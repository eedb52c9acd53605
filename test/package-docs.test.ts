import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createEngine } from "../src/index.ts";

/**
 * The installed package has all its pages, and the pages refer only to files that the package or its repository has.
 */

const ROOT = resolve(import.meta.dirname, "..");

interface Packed {
  readonly size: number;
  readonly entryCount: number;
  readonly files: readonly { readonly path: string }[];
}

// Without scripts, because a build would remove dist/ while other tests use it.
const packed = Object.values(
  JSON.parse(execFileSync("npm", ["pack", "--dry-run", "--ignore-scripts", "--json"], { cwd: ROOT, encoding: "utf8" })),
) as readonly Packed[];
const files = packed.flatMap((one) => one.files.map(({ path }) => path));
const pages = files.filter((file) => /^(README\.md|docs\/.*\.md|guest-sdk\/README\.md)$/.test(file));

test("the package has at most 2.5 MB and 600 files", () => {
  const [{ size, entryCount }] = packed as readonly [Packed];
  expect(size).toBeLessThanOrEqual(2_500_000);
  expect(entryCount).toBeLessThanOrEqual(600);
});

test("the examples that the pages name are in the package, without files that a compiler left behind", () => {
  expect(files).toEqual(
    expect.arrayContaining([
      "guest-sdk/example-fixtures.json",
      "guest-sdk/c/example/guard.c",
      "guest-sdk/c/examples/state/guard.c",
      "guest-sdk/rust/examples/state/guard.rs",
      "guest-sdk/rust/example/guard.rs",
      "guest-sdk/typescript/example/guard.ts",
    ]),
  );
  expect(files.filter((file) => /(^|\/)(target|Cargo\.lock)(\/|$)/.test(file))).toEqual([]);
});

test.each(pages)("every link of %s leads to a file of the package", (page) => {
  const text = readFileSync(join(ROOT, page), "utf8");
  const links = [...text.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)].map(([, link = ""]) =>
    posix.normalize(posix.join(dirname(page), link)),
  );
  expect(links.filter((link) => !files.some((file) => file === link || file.startsWith(`${link}/`)))).toEqual([]);
});

test("the picture of README shows the reason that shell-guard gives", async () => {
  const picture = readFileSync(join(ROOT, "docs/denied-call.svg"), "utf8");
  const rows = picture.split("\n").map((row) => row.replaceAll(/<[^>]*>/g, "").replaceAll("│", ""));
  const engine = await createEngine({
    config: { hooks: { PreToolUse: [{ hooks: [{ type: "wasm", module: "builtin:shell-guard" }] }] } },
  });
  onTestFinished(() => engine.close());
  const call = { tool_name: "Bash", tool_input: { command: "git reset --hard" } };
  const { reason } = await engine.dispatch("PreToolUse", call);
  expect(rows.join(" ").replaceAll(/\s+/g, " ")).toContain(reason);
});

/** Returns the anchors that GitHub makes from the headings of a page. */
function anchorsOf(page: string): readonly string[] {
  const text = readFileSync(join(ROOT, page), "utf8").replace(/^```.*?^```$/gms, "");
  const names = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-"),
  );
  return names;
}

test.each(pages)("every link of %s to an anchor leads to a heading", (page) => {
  const text = readFileSync(join(ROOT, page), "utf8");
  const links = [...text.matchAll(/\]\((?![a-z]+:)([^)#\s]*)#([^)\s]+)\)/g)].map(([, file = "", anchor = ""]) => ({
    file: file === "" ? page : posix.normalize(posix.join(dirname(page), file)),
    anchor,
  }));
  expect(links.filter(({ file, anchor }) => file.endsWith(".md") && !anchorsOf(file).includes(anchor))).toEqual([]);
});

// Its table names the test for each promise, and tests are only in the repository.
const NAMES_TESTS = ["docs/threat-model.md"];
test.each(pages.filter((page) => !NAMES_TESTS.includes(page)))(
  "%s names no file that only the repository has",
  (page) => {
    const text = readFileSync(join(ROOT, page), "utf8");
    const names = text.match(/`(plugins|test|src|scripts|bench)\/[^`\s]+`|CONTRIBUTING\.md/g) ?? [];
    expect(names.filter((name) => existsSync(join(ROOT, name.replaceAll("`", ""))))).toEqual([]);
  },
);
