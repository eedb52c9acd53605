import { mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { planSpawn } from "../../../src/executors/command/spawn-form.ts";
import {
  commandRule,
  HOOKS,
  type RuleParts,
  run,
  runToFailure,
  scratchFolder,
  textOf,
  toolEvent,
} from "./command-rule.ts";

const folder = realpathSync(path.resolve(HOOKS, ".."));

/** Returns where a hook with this setting starts; `HOME` is the parent of the rule's folder. */
function plan(workingDir: string, parts: RuleParts = {}) {
  const rule = commandRule({ command: "true", workingDir, env: { BASE: folder, EMPTY: "", DOLLAR: "$BASE" } }, parts);
  if (rule.handler.type !== "command") throw new Error("not a command rule");
  return planSpawn(
    rule,
    rule.handler,
    toolEvent({ cwd: "/" }),
    { PATH: "/bin", HOME: folder, SECRET: folder },
    "linux",
  );
}

describe("the workingDir of a rule", () => {
  test.each([
    ["/", "/"],
    [".", HOOKS],
    ["..", folder],
    ["../hooks", HOOKS],
    ["~", folder],
    ["~/hooks", HOOKS],
    ["$BASE", folder],
    ["$BASE/hooks", HOOKS],
    ["${BASE}/hooks", HOOKS],
    ["${env.BASE}/hooks", HOOKS],
    ["$EMPTY.", HOOKS],
    ["$HOME", folder],
  ])("%s is %s", (workingDir, cwd) => {
    expect(plan(workingDir)).toMatchObject({ form: { cwd, notes: [] } });
  });

  test.each(["a~", "~ada", "${BASE", "$DOLLAR", "$(pwd)", "./nowhere", "denies.sh", "a\0"])(
    "%s is a failure that names the folder, because it does not exist",
    (workingDir) => {
      expect(plan(workingDir)).toMatchObject({
        failure: { kind: "spawn", message: expect.stringMatching(/its workingDir .* is not a folder/s) },
      });
    },
  );

  test.each(["$EMPTY", "$BASEx", "${NOPE}", "${env.NOPE}", " ", "$SECRET"])(
    "that expands to nothing (%s) is ignored, and a note says so",
    (workingDir) => {
      const note = `workingDir "${workingDir}" expands to nothing; started in ${HOOKS}`;
      expect(plan(workingDir)).toMatchObject({ form: { cwd: HOOKS, notes: [note] } });
      expect(plan(workingDir, { dialect: "claude-code", codec: { inheritedEnvironment: "listed" } })).toMatchObject({
        form: { cwd: "/" },
      });
    },
  );

  test("is the hook's current directory, and a note with its answer says what was ignored", async () => {
    const own = realpathSync(scratchFolder());
    mkdirSync(path.join(own, "sub"));
    expect(await textOf(commandRule({ command: "pwd -P", workingDir: "sub" }, { baseDir: own }))).toBe(`${own}/sub\n`);
    const rule = commandRule({ command: "pwd -P", workingDir: "$NOPE" }, { baseDir: own });
    expect(await run(rule)).toMatchObject({
      ok: true,
      reply: { additionalContext: [`${own}\n`] },
      ignored: [expect.stringContaining("expands to nothing")],
    });
    rmSync(path.join(own, "sub"), { recursive: true });
    const gone = await runToFailure(commandRule({ command: "pwd", workingDir: "sub" }, { baseDir: own }));
    expect(gone).toMatchObject({ kind: "spawn", message: expect.stringContaining(`${own}/sub`) });
  });

  test("does not change which program the exec form starts", async () => {
    const own = scratchFolder();
    writeFileSync(path.join(own, "prints-arguments.sh"), "#!/bin/sh\necho hijacked\n", { mode: 0o755 });
    const handler = { command: "./prints-arguments.sh", args: ["x"], workingDir: own };
    expect(await textOf(commandRule(handler))).toBe("<x>");
  });
});
