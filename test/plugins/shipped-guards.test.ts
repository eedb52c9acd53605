import { existsSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { hostFunctions, importsOf } from "./bare-host.ts";
import { bytesOf, meteredGuard } from "./metered-guard.ts";
import { fixturesOf, read } from "./verdict.ts";

const plugins = new URL("../../plugins/", import.meta.url);
const names = readdirSync(plugins).filter((name) => existsSync(new URL(`${name}/guard.ts`, plugins)));

test("there are six guards", () => {
  expect(names).toEqual(["command-policy", "egress-guard", "path-guard", "secret-guard", "self-guard", "shell-guard"]);
});

describe.each(names)("%s", async (name) => {
  const call = await meteredGuard(name);
  const module = new WebAssembly.Module(bytesOf(name));
  const fixtures = fixturesOf(name);

  test.each(fixtures)("$name", ({ event, config, decision, reason }) => {
    const verdict = read(call(JSON.stringify({ abi: 1, ...event, dialect: "claude-code" }), config));
    expect(verdict).toEqual({ decision, reason: expect.stringContaining(reason ?? "") });
  });

  test("contains its fixtures, with the manifest", () => {
    const sections = WebAssembly.Module.customSections(module, "hookbox:manifest");
    expect(sections).toHaveLength(1);
    const manifest = JSON.parse(new TextDecoder().decode(sections[0]));
    expect(manifest).toMatchObject({ name, abi: 1, fixtures });
  });

  test("imports functions of the guest ABI and those of its engine, and nothing else", () => {
    const known = Object.keys(hostFunctions(new Uint8Array(), {}, { logs: [] }));
    for (const entry of WebAssembly.Module.imports(module)) {
      if (entry.module === "hookbox:host/absent") continue;
      if (entry.name === "input_read") expect(entry.module).toBe("hookbox:host/env");
      else expect(entry).toEqual({ module: "extism:host/env", name: expect.toBeOneOf(known), kind: "function" });
    }
  });

  test("exports memory and handle and nothing else", () => {
    const exported = WebAssembly.Module.exports(module).map((entry) => entry.name);
    expect(exported.sort()).toEqual(["handle", "memory"]);
  });

  test("does nothing before it is called", () => {
    const imports = importsOf(module, (name) => () => expect.fail(`${name} was called`));
    expect(new WebAssembly.Instance(module, imports).exports["memory"]).toBeDefined();
  });

  test.each(["", "{", "[]", '"x"', "null", '{"a":1}x', '{"tool_name":"Bash",}', '{"a":"\\x"}', '{"a" 1}', "{'a':1}"])(
    "fails for %j, which is no event",
    (input) => {
      expect(call(input)).toMatchObject({
        code: 1,
        output: undefined,
        error: expect.stringMatching(/JSON|SyntaxError/),
      });
    },
  );

  test("fails for text that is not UTF-8", () => {
    const input = new TextEncoder().encode('{"hook_event_name":"PreToolUse","tool_name":"?"}');
    input[input.indexOf(0x3f)] = 0xf0;
    expect(call(input)).toMatchObject({ code: 1, output: undefined });
  });

  test("costs the same each time", () => {
    const input = JSON.stringify({ abi: 1, ...fixtures[0]?.event });
    expect(call(input)).toEqual(call(input));
  });
});
