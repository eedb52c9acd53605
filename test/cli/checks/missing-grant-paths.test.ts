import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Problem } from "../../../src/errors.ts";
import { type Project, project } from "../../e2e/cli.ts";
import { inProcess } from "../../e2e/in-process.ts";
import { HANDLE, wat } from "../../helpers/guests.ts";

const GUARD = wat(`(module
  (import "hookbox:host/env" "file_read" (func (param i64) (result i64)))
  (import "hookbox:host/env" "file_write" (func (param i64 i64)))
  ${HANDLE})`);

function granting(paths: object): Project {
  const place = project();
  place.write("guard.wasm", GUARD);
  place.configure("PreToolUse", { type: "wasm", name: "g", module: "./guard.wasm", grants: { paths } });
  return place;
}

/** For a file that its user names. */
async function absent({ folder }: Project): Promise<readonly Problem[]> {
  const { exitCode, stdout } = await inProcess(["check", "--json", "--config", join(folder, "hookbox.json")]);
  // A warning is no error.
  expect(exitCode).toBe(0);
  const { problems } = JSON.parse(stdout) as { readonly problems: readonly Problem[] };
  return problems.filter(({ code }) => code === "HOOK_GRANT_ABSENT");
}

test("check warns of a missing path to read, with its place and what the guard will receive", async () => {
  const place = granting({ "policy.json": "./polcy.json", "there.json": "./there.json" });
  place.write("there.json", "{}");
  const [first, ...others] = await absent(place);
  expect(others).toEqual([]);
  expect(first).toMatchObject({
    severity: "warning",
    message: expect.stringMatching(
      /^rule "g": grants\.paths\.policy\.json: nothing is at .*polcy\.json now: .*will find no such file$/,
    ),
    hint: expect.stringContaining("correct the path"),
    place: { file: expect.stringContaining("hookbox.json"), line: expect.any(Number) },
  });
  place.write("polcy.json", "{}");
  expect(await absent(place)).toEqual([]);
});

test("check reports it to people as well, in one line, with its place and a hint", async () => {
  const { folder } = granting({ policy: "./policy" });
  const { stdout } = await inProcess(["check"], { cwd: folder });
  expect(stdout).toMatch(
    /hookbox\.json:\d+:\d+ +warning +rule "g": grants\.paths\.policy: .*HOOK_GRANT_ABSENT\n(?: *\d* \|.*\n)* +correct/,
  );
});

test("check warns of a path below a file, and not of an empty folder", async () => {
  const place = granting({ folder: "./folder", below: "./guard.wasm/x" });
  mkdirSync(join(place.folder, "folder"));
  expect((await absent(place)).map(({ message }) => message)).toEqual([expect.stringContaining("grants.paths.below")]);
});

test("check warns of a user's link that leads nowhere", async () => {
  const place = granting({ link: "./link" });
  symlinkSync("nothing", join(place.folder, "link"));
  expect(await absent(place)).toHaveLength(1);
});

test("check warns of a path to write only if its folder is missing, too", async () => {
  const write = (path: string) => ({ path, access: "write" });
  const found = await absent(granting({ log: write("./log"), deep: write("./none/log") }));
  expect(found).toMatchObject([{ message: expect.stringMatching(/grants\.paths\.deep: .*cannot write its files$/) }]);
});
