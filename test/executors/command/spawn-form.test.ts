import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import type { SpawnForm } from "../../../src/executors/command/spawn-form.ts";
import { planSpawn } from "../../../src/executors/command/spawn-form.ts";
import type { Rule } from "../../../src/rule.ts";
import { ABSENT } from "../../helpers/folders.ts";
import { commandRule, HOOKS, scratchFolder, toolEvent } from "./command-rule.ts";

function plan(rule: Rule, payload = {}) {
  if (rule.handler.type !== "command") throw new Error("not a command rule");
  return planSpawn(rule, rule.handler, toolEvent(payload), { PATH: "/usr/bin:/bin", HOME: "/home/ada" }, "linux");
}

function formOf(rule: Rule, payload = {}): SpawnForm {
  const planned = plan(rule, payload);
  if (!planned.ok) throw new Error(planned.failure.message);
  return planned.form;
}

const codec = { environment: () => ({ CLAUDE_PROJECT_DIR: "/srv/a b", EMPTY: "" }) };

describe("the shell form", () => {
  test("passes the command to /bin/sh as one argument", () => {
    const command = 'echo "$HOME" | cat';
    expect(formOf(commandRule(command))).toMatchObject({ form: "shell", file: "/bin/sh", args: ["-c", command] });
  });

  test("leaves placeholders to the shell, which has them in its environment", () => {
    const form = formOf(commandRule('"${CLAUDE_PROJECT_DIR}"/guard.sh', { codec }));
    expect(form.args[1]).toBe('"${CLAUDE_PROJECT_DIR}"/guard.sh');
    expect(form.env).toHaveProperty("CLAUDE_PROJECT_DIR", "/srv/a b");
  });

  test("finds bash on PATH if the rule asks for it", () => {
    const form = formOf(commandRule({ command: "true", shell: "bash" }));
    expect(form.file).toMatch(/^\/.*\/bash$/);
    expect(form.args).toEqual(["-c", "true"]);
  });

  test("fails by name if bash is not installed", () => {
    const planned = plan(commandRule({ command: "true", shell: "bash", env: { PATH: ABSENT } }));
    expect(planned).toMatchObject({
      failure: { kind: "spawn", message: expect.stringContaining('"bash" was not found') },
    });
  });
});

describe("the exec form", () => {
  test("is also chosen by an empty list of arguments", () => {
    expect(formOf(commandRule({ command: "true", args: [] }))).toMatchObject({ form: "exec", args: [] });
  });

  test("finds a bare name on PATH", () => {
    expect(formOf(commandRule({ command: "true", args: [] })).file).toMatch(/^\/.*\/true$/);
  });

  test("uses the rule's own PATH for the lookup if it has one", () => {
    const rule = commandRule({ command: "denies.sh", args: [], env: { PATH: `.:${HOOKS}` } });
    expect(formOf(rule).file).toBe(`${HOOKS}/denies.sh`);
  });

  test.each(["./denies.sh", `${HOOKS}/denies.sh`, "../hooks/denies.sh"])(
    "resolves %s in the rule's folder",
    (command) => {
      expect(formOf(commandRule({ command, args: [] }), { cwd: "/" }).file).toBe(`${HOOKS}/denies.sh`);
    },
  );

  test("replaces placeholders by plain text, in the command and in each argument", () => {
    const rule = commandRule({ command: "true", args: ["${CLAUDE_PROJECT_DIR}/x", "-${EMPTY}-${EMPTY}-"] }, { codec });
    expect(formOf(rule).args).toEqual(["/srv/a b/x", "---"]);
    const inCommand = commandRule({ command: "${CLAUDE_PROJECT_DIR}/guard", args: [] }, { codec });
    expect(plan(inCommand)).toMatchObject({
      failure: { message: expect.stringContaining("/srv/a b/guard does not") },
    });
  });

  test("keeps every other text with a dollar sign unchanged", () => {
    const args = ["${HOME}", "$CLAUDE_PROJECT_DIR", "${toString}", "${__proto__}", "${}", "$(id)"];
    expect(formOf(commandRule({ command: "true", args }, { codec })).args).toEqual(args);
  });

  test("does not interpret a dollar sign in a value", () => {
    const tricky = { environment: () => ({ NAME: "$& $1 ${NAME}" }) };
    expect(formOf(commandRule({ command: "true", args: ["<${NAME}>"] }, { codec: tricky })).args).toEqual([
      "<$& $1 ${NAME}>",
    ]);
  });
});

describe("the working directory", () => {
  test("is the agent's for a rule that was written for that agent", () => {
    expect(formOf(commandRule("true", { dialect: "claude-code" }), { cwd: "/" }).cwd).toBe("/");
  });

  test("is the folder of its file for a rule of hookbox's own format, whatever the agent's directory is", () => {
    expect(formOf(commandRule("true"), { cwd: "/" }).cwd).toBe(HOOKS);
  });

  test.each([
    {},
    { cwd: 7 },
    { cwd: "" },
    { cwd: "relative" },
    { cwd: `${HOOKS}/denies.sh` },
    { cwd: ABSENT },
    { cwd: "/\0" },
  ])("is the rule's folder for %j", (payload) => {
    expect(formOf(commandRule("true", { dialect: "claude-code" }), payload).cwd).toBe(HOOKS);
  });

  test("is the system's folder for temporary files if the rule's folder is missing as well", () => {
    const baseDir = scratchFolder();
    rmSync(baseDir, { recursive: true });
    expect(formOf(commandRule("true", { baseDir }), { cwd: baseDir }).cwd).toBe(tmpdir());
  });
});

test("a rule of another dialect inherits variables that a rule of hookbox's own format does not", () => {
  const parent = { PATH: "/bin", SECRET: "x", OPENAI_API_KEY: "x" };
  const names = (rule: Rule) => {
    if (rule.handler.type !== "command") throw new Error("not a command rule");
    const planned = planSpawn(rule, rule.handler, toolEvent(), parent, "linux");
    return planned.ok ? Object.keys(planned.form.env).sort() : [];
  };
  expect(names(commandRule("true"))).toEqual(["PATH"]);
  expect(names(commandRule("true", { dialect: "claude-code" }))).toEqual(["PATH", "SECRET"]);
});
