import { describe, expect, test } from "vitest";
import { buildGuard } from "../../src/authoring/build.ts";
import { withCustomSection } from "../../src/authoring/custom-section.ts";
import { tryBytes } from "../../src/authoring/guard-trial.ts";
import fc from "../helpers/fc.ts";
import { folderWith, guardText } from "./source-folder.ts";

const EMPTY_MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
const event = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "x" } };

describe("a custom section", () => {
  test("is found by V8 with the same text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 400 }), (text) => {
        const compiled = new WebAssembly.Module(withCustomSection(EMPTY_MODULE, "hookbox:manifest", text));
        const [section] = WebAssembly.Module.customSections(compiled, "hookbox:manifest");
        expect(new TextDecoder("utf-8", { ignoreBOM: true }).decode(section)).toBe(text);
      }),
    );
  });
});

describe("buildGuard", () => {
  test("writes a manifest with the values of defineGuard, and the fixtures", async () => {
    const stays = { name: "stays", event: { hook_event_name: "Stop" }, decision: "block" };
    const fixtures = [{ name: "one", event, decision: "deny" }, stays];
    const { wasm, manifest, report, inspection } = await buildGuard(
      folderWith({ "guard.ts": guardText('return deny("x");'), "fixtures.json": fixtures }),
    );
    expect(manifest).toMatchObject({ name: "test-guard", version: "1.0.0", abi: 1, events: ["PreToolUse"] });
    // A guard's own denial is called deny, whatever the event's word is.
    expect(manifest.fixtures).toEqual([fixtures[0], { ...stays, decision: "deny" }]);
    expect(inspection.admissible).toBe(true);
    expect(inspection.manifest).toEqual(manifest);
    expect(report.totalBytes).toBe(wasm.byteLength);
    const { engineBytes = 0, snapshotBytes = 0 } = report.script ?? {};
    // The packer's own code and the section's header are small.
    expect(Math.abs(engineBytes + snapshotBytes + report.manifestBytes - report.totalBytes)).toBeLessThan(2_000);
  });

  test("bundles a real package, and uses other fixtures than those of the file", async () => {
    const before = 'import { parse } from "yaml";';
    const folder = folderWith({
      "guard.ts": guardText('return deny(parse(String(event.tool_input["command"])).why);', { before }),
      "fixtures.json": [{ name: "of the file", event, decision: "ask" }],
    });
    const { symlinkSync, mkdirSync } = await import("node:fs");
    mkdirSync(`${folder}/node_modules`);
    symlinkSync(new URL("../../node_modules/yaml", import.meta.url).pathname, `${folder}/node_modules/yaml`);
    const command = "why: because\nlist: [1, 2]";
    const { wasm, manifest, report } = await buildGuard(folder, {
      fixtures: [{ name: "given", event: { ...event, tool_input: { command } }, decision: "deny", reason: "because" }],
    });
    const { results, stuck } = await tryBytes(wasm, manifest);
    expect(results).toEqual([expect.objectContaining({ name: "given", passed: true, log: [] })]);
    expect(stuck).toBe(false);
    expect(report.script?.inputs).toContainEqual(expect.objectContaining({ name: "yaml", kind: "package" }));
  });

  test("runs fixtures in their worlds, with all grants that the guard wants, and checks what remains", async () => {
    const guard = guardText(
      `const { state, files } = context;
    files.write("log.txt", (files.read("log.txt") ?? "") + state.increment("n"));
    state.delete("old");
    return deny(state.get("who") ?? "nobody");`,
      { fields: '\n  wants: ["state", "paths"],' },
    );
    const given = { state: { n: "1", old: "x", who: "me" }, files: { "log.txt": "1" } };
    const after = { state: { n: "2", old: null, who: "me", never: null }, files: { "log.txt": "12", other: null } };
    const denied = { event, decision: "deny" };
    const wrong = (name: string, of: object) => ({ name, ...denied, given, after: of });
    const { wasm, manifest } = await buildGuard(folderWith({ "guard.ts": guard }), {
      fixtures: [
        { name: "all of it", ...denied, given, reason: "me", after },
        {
          name: "an empty world",
          ...denied,
          reason: "nobody",
          after: { state: { n: "1" }, files: { "log.txt": "1" } },
        },
        wrong("another number", { state: { n: "3" } }),
        wrong("what was removed", { state: { old: "x" } }),
        wrong("what was kept", { state: { who: null } }),
        wrong("another text", { files: { "log.txt": "1" } }),
      ] as never,
    });
    const { results } = await tryBytes(wasm, manifest);
    expect(results.map(({ message }) => message)).toEqual([
      undefined,
      undefined,
      'expected state "n" to be "3" after the call, but it is "2"',
      'expected state "old" to be "x" after the call, but it is missing',
      'expected state "who" to be missing after the call, but it is "me"',
      'expected file "log.txt" to be "1" after the call, but it is "12"',
    ]);
    expect(results[0]?.expected).toEqual({ decision: "deny", reason: "me", after });
  });

  test.each([
    [{ given: { file: {} } }, /given: unknown key "file"/, 'did you mean "files"?'],
    [{ given: { state: { n: 1 } } }, /given\.state\.n is 1; expected a string/, undefined],
    [{ given: { http: [{ url: "/relative", status: 200 }] } }, /given\.http\.0\.url/, undefined],
    [{ given: { http: [{ url: "https://a.example", status: 20 }] } }, /given\.http\.0\.status/, undefined],
    [{ given: { nowMs: 0.5 } }, /given\.nowMs/, undefined],
    [{ after: { http: [] } }, /after: unknown key "http"/, undefined],
  ])("rejects an invalid world: %j", async (parts, message, hint) => {
    const fixtures = [{ name: "one", event, decision: "deny", ...parts }];
    const folder = folderWith({ "guard.ts": guardText("return;"), "fixtures.json": fixtures });
    const error = await buildGuard(folder).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "HOOK_BUILD_FILE", message: expect.stringMatching(message) });
    if (hint !== undefined) expect(error).toMatchObject({ hint: expect.stringContaining(hint) });
  });

  test("rejects manifest.json of a guard in C if it is wrong or missing", async () => {
    const missing = await buildGuard(folderWith({ "guard.c": "" })).catch((thrown: unknown) => thrown);
    expect(missing).toMatchObject({ code: "HOOK_BUILD_FILE", hint: expect.stringContaining('"abi": 1') });
    const manifest = '{ "name": "x", "version": "1", "abi": 2 }';
    const wrong = await buildGuard(folderWith({ "guard.c": "", "manifest.json": manifest })).catch(
      (thrown: unknown) => thrown,
    );
    expect(wrong).toMatchObject({ code: "HOOK_BUILD_FILE", place: { line: 1, column: 39 } });
  });
});
