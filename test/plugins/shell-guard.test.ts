import { describe, expect, test } from "vitest";
import { callGuard, hostFunctions } from "./bare-host.ts";
import { fixtures, guard, guardBytes, read } from "./shell-guard-verdict.ts";

describe("fixtures", () => {
  test.each(fixtures)("$name", ({ event, config, decision, reason }) => {
    const verdict = read(callGuard(guard, JSON.stringify({ abi: 1, ...event, dialect: "claude-code" }), config));
    expect(verdict).toEqual({ decision, reason: expect.stringContaining(reason ?? "") });
  });

  test("travel in the module, with the manifest", () => {
    const sections = WebAssembly.Module.customSections(guard, "hookbox:manifest");
    expect(sections).toHaveLength(1);
    const manifest = JSON.parse(new TextDecoder().decode(sections[0]));
    expect(manifest).toMatchObject({ name: "shell-guard", abi: 1, wants: [], fixtures });
  });
});

describe("the module", () => {
  test("imports functions of the guest ABI and nothing else", () => {
    const known = Object.keys(hostFunctions(new Uint8Array(), {}, { logs: [] }));
    for (const entry of WebAssembly.Module.imports(guard)) {
      expect(entry).toEqual({ module: "extism:host/env", name: expect.toBeOneOf(known), kind: "function" });
    }
  });

  test("exports memory and handle and nothing else", () => {
    expect(WebAssembly.Module.exports(guard)).toEqual(
      expect.arrayContaining([
        { name: "handle", kind: "function" },
        { name: "memory", kind: "memory" },
      ]),
    );
    expect(WebAssembly.Module.exports(guard)).toHaveLength(2);
  });

  test("does nothing before it is called", () => {
    // A start function would call the host, or write to memory that it has not got yet.
    const imports = Object.fromEntries(
      WebAssembly.Module.imports(guard).map(({ name }) => [name, () => expect.fail(`${name} was called`)]),
    );
    const { memory } = new WebAssembly.Instance(guard, { "extism:host/env": imports }).exports;
    expect((memory as WebAssembly.Memory).buffer.byteLength).toBe(65_536);
    expect(hasStartSection(guardBytes)).toBe(false);
  });
});

describe("input that cannot be judged", () => {
  test.each(["", "{", "[]", '"x"', "null", '{"a":1}x', '{"tool_name":"Bash",}', '{"a":"\\x"}', '{"a" 1}', "{'a':1}"])(
    "%j is a failure",
    (input) => {
      expect(callGuard(guard, input)).toMatchObject({
        code: 1,
        output: undefined,
        error: expect.stringContaining("JSON"),
      });
    },
  );

  test("text that is not UTF-8 does not hide what follows it", () => {
    const text = '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"echo ?; rm -rf /"}}';
    const input = new TextEncoder().encode(text);
    input[text.indexOf("?")] = 0xf0;
    expect(read(callGuard(guard, input)).decision).toBe("deny");
  });

  test.each([["/etc"], [{}], [[1]], [true], ["[1"]])("protectedPaths of %j is a failure", (protectedPaths) => {
    const event = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } };
    const answer = callGuard(guard, JSON.stringify(event), { protectedPaths });
    expect(answer).toMatchObject({ code: 1, output: undefined, error: expect.stringContaining("protectedPaths") });
  });

  test("escaped keys and values are read like any other", () => {
    const input =
      '{"hook_event_name":"PreToolUse","tool\\u005fname":"B\\u0061sh","tool_input":{"c\\u006fmmand":"\\u0072m -rf \\/"}}';
    expect(read(callGuard(guard, input)).decision).toBe("deny");
  });

  test("of two members with one key the last counts, as for JSON.parse", () => {
    const input =
      '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls","command":"rm -rf /"}}';
    expect(read(callGuard(guard, input)).decision).toBe("deny");
  });
});

/** Walks the sections of a module; number 8 is the start section. */
function hasStartSection(module: Uint8Array): boolean {
  let at = 8;
  while (at < module.length) {
    const id = module[at++];
    let size = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = module[at++] ?? 0;
      size |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    if (id === 8) return true;
    at += size;
  }
  return false;
}
