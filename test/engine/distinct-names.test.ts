import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createEngine, type Engine, type EngineOptions } from "../../src/engine.ts";
import { bash } from "./fake-hooks.ts";

async function engineFor(options: EngineOptions): Promise<Engine> {
  const engine = await createEngine({ sandbox: { threads: 1 }, ...options });
  onTestFinished(() => engine.close());
  return engine;
}

const says = (text: string, more: object = {}) => ({
  type: "command",
  name: "mine",
  command: `echo '${text}' >&2; exit 2`,
  ...more,
});
const at = (...hooks: object[]) => ({ hooks: { PreToolUse: [{ hooks }] } });

test("two rules with one name have different names in reasons, in the verdict and in explain", async () => {
  const engine = await engineFor({ config: at(says("first"), says("second")) });
  const verdict = await engine.dispatch("PreToolUse", bash("ls"));
  expect(verdict.rules.map(({ rule }) => rule)).toEqual(["mine", "mine #2"]);
  expect(verdict.reason).toContain("mine: first");
  expect(verdict.reason).toContain("mine #2: second");
  expect(engine.explain("PreToolUse", bash("ls")).map(({ rule }) => rule.name)).toEqual(["mine", "mine #2"]);
});

test("a name that resembles a numbered one is not given twice", async () => {
  const hooks = [says("a"), says("b", { name: "mine #2" }), says("c")];
  const engine = await engineFor({ config: at(...hooks) });
  expect(engine.rules.map(({ name }) => name)).toEqual(["mine", "mine #2", "mine #3"]);
});

test("rules of different events keep their name", async () => {
  const hooks = { PreToolUse: [{ hooks: [says("a")] }], PostToolUse: [{ hooks: [says("b")] }] };
  const engine = await engineFor({ config: { hooks } });
  expect(engine.rules.map(({ name }) => name)).toEqual(["mine", "mine"]);
});

test("a registered rule does not change the names of the others", async () => {
  const engine = await engineFor({ config: at(says("a")) });
  const [before] = engine.rules;
  await engine.register([{ event: "PreToolUse", type: "command", name: "mine", command: "true" }]);
  expect(engine.rules).toContain(before);
  expect(engine.rules.map(({ name }) => name).sort()).toEqual(["mine", "mine #2"]);
});

test("a project's rule does not take the name of the user's", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookbox-names-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "user.json"), JSON.stringify(at(says("user"))));
  writeFileSync(join(folder, "project.json"), JSON.stringify(at(says("project"))));
  const layers = [
    { file: join(folder, "project.json"), layer: "project" as const },
    { file: join(folder, "user.json"), layer: "user" as const },
  ];
  const engine = await engineFor({ configFiles: layers });
  expect(engine.rules.map(({ name, layer }) => [name, layer])).toEqual([
    ["mine", "user"],
    ["mine #2", "project"],
  ]);
});

test("guards that are all in a file guard.wasm are named after their folders", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookbox-names-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of ["no-prod", "no-push"]) mkdirSync(join(folder, name));
  const modules = ["./no-prod/guard.wasm", "no-push/guard.wasm", "./guard.wasm", "../guard.wasm", "npm:pkg/other.wasm"];
  const engine = await engineFor({ config: at(...modules.map((module) => ({ type: "wasm", module }))), cwd: folder });
  expect(engine.rules.map(({ name }) => name)).toEqual(["no-prod", "no-push", "guard", "guard #2", "other"]);
});
