import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SHIPPED_HOOKS } from "../../src/dialects/autohand/shipped-hooks.ts";
import { project } from "./cli.ts";
import { inProcess } from "./in-process.ts";

const hooks = (cwd: string, ...args: readonly string[]) => inProcess(["hooks", ...args], { cwd });

test("adds the hooks that come with an agent once each, switched off", async () => {
  const place = project();
  place.write(
    "config.json",
    '{\n  "theme": "dark",\n  "hooks": { "hooks": [{ "event": "stop", "command": "builtin:log-stop" }] }\n}\n',
  );
  const added = await hooks(place.folder, "defaults", "config.json");
  expect([added.exitCode, added.stdout]).toEqual([0, "Added 9 hooks, switched off\n"]);
  const { theme, hooks: section } = JSON.parse(readFileSync(join(place.folder, "config.json"), "utf8"));
  const others = SHIPPED_HOOKS.filter(({ command }) => command !== "builtin:log-stop");
  expect([theme, section]).toEqual(["dark", { hooks: [{ event: "stop", command: "builtin:log-stop" }, ...others] }]);

  const text = readFileSync(join(place.folder, "config.json"), "utf8");
  const again = await hooks(place.folder, "defaults", "config.json", "--json");
  expect(JSON.parse(again.stdout)).toMatchObject({ changed: false, done: "Added nothing: the file has all of them" });
  expect(readFileSync(join(place.folder, "config.json"), "utf8")).toBe(text);

  await hooks(place.folder, "enable", "config.json", "stop", "2");
  const listed = await hooks(place.folder, "list", "config.json");
  expect(listed.stdout).toMatch(/builtin:sound-alert/);
  const checked = await inProcess(["check", "config.json", "--format", "autohand", "--json"], { cwd: place.folder });
  const { rules } = JSON.parse(checked.stdout) as { rules: { type: string; async: boolean }[] };
  expect(rules.map(({ type, async }) => [type, async])).toEqual([
    ["builtin", false],
    ["builtin", true],
  ]);
});

test("creates a file with them if there is none", async () => {
  const place = project();
  const { exitCode } = await hooks(place.folder, "defaults", "config.json", "--format", "autohand");
  expect(exitCode).toBe(0);
  expect(JSON.parse(readFileSync(join(place.folder, "config.json"), "utf8"))).toEqual({
    hooks: { hooks: SHIPPED_HOOKS },
  });
});

test("is refused for an agent without such hooks", async () => {
  const place = project();
  place.write("settings.json", '{ "hooks": {} }');
  const { exitCode, stderr } = await hooks(place.folder, "defaults", "settings.json", "--format", "claude-code");
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("claude-code ships with no hooks")]);
});
