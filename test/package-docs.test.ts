import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, posix, resolve } from "node:path";
import { expect, test } from "vitest";

/** Whoever installs the package has its pages, and nothing of the repository that is not in it. */

const ROOT = resolve(import.meta.dirname, "..");

interface Packed {
  readonly files: readonly { readonly path: string }[];
}

// Without scripts: a build would take dist/ away from the tests that run meanwhile.
const packed = Object.values(
  JSON.parse(execFileSync("npm", ["pack", "--dry-run", "--ignore-scripts", "--json"], { cwd: ROOT, encoding: "utf8" })),
) as readonly Packed[];
const files = packed.flatMap((one) => one.files.map(({ path }) => path));
const pages = files.filter((file) => /^(README\.md|docs\/.*\.md|guest-sdk\/README\.md)$/.test(file));

test("the examples that the pages name are in the package, and nothing that a compiler has left there", () => {
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

/** As GitHub makes them of headings. */
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

test.each(pages)("every link of %s to a place on a page leads to a heading", (page) => {
  const text = readFileSync(join(ROOT, page), "utf8");
  const links = [...text.matchAll(/\]\((?![a-z]+:)([^)#\s]*)#([^)\s]+)\)/g)].map(([, file = "", anchor = ""]) => ({
    file: file === "" ? page : posix.normalize(posix.join(dirname(page), file)),
    anchor,
  }));
  expect(links.filter(({ file, anchor }) => file.endsWith(".md") && !anchorsOf(file).includes(anchor))).toEqual([]);
});

// Their tables say which test holds each promise, and that tests are in the repository.
const NAMES_TESTS = ["docs/threat-model.md", "docs/conformance.md", "docs/agent-pages.md"];
test.each(pages.filter((page) => !NAMES_TESTS.includes(page)))("%s names no file that is not there", (page) => {
  const text = readFileSync(join(ROOT, page), "utf8");
  expect(text.match(/`(plugins|test|src|scripts|bench)\/[^`\s]+`|CONTRIBUTING\.md/g) ?? []).toEqual([]);
});
