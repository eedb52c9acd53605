import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compileC } from "../../../src/authoring/c/compile.ts";
import fc from "../../helpers/fc.ts";
import { type Answer, callGuard } from "../../plugins/bare-host.ts";
import { noClang } from "../toolchains.ts";

/** A guard that writes the values that the header's parser reads from its input. */
const ECHO = `#include "hookbox.h"

static void dump(hb_writer *out, const hb_json *value) {
  switch (value->kind) {
    case HB_OBJECT:
    case HB_ARRAY:
      hb_write(out, value->kind == HB_OBJECT ? HB("{") : HB("["));
      for (hb_each(child, value)) {
        if (child != value->first) hb_write(out, HB(","));
        if (value->kind == HB_OBJECT) {
          hb_write_json(out, child->name);
          hb_write(out, HB(":"));
        }
        dump(out, child);
      }
      hb_write(out, value->kind == HB_OBJECT ? HB("}") : HB("]"));
      break;
    case HB_STRING: hb_write_json(out, value->text); break;
    case HB_NUMBER: hb_write(out, value->text); break;
    case HB_TRUE: hb_write(out, HB("true")); break;
    case HB_FALSE: hb_write(out, HB("false")); break;
    default: hb_write(out, HB("null"));
  }
}

static hb_reply echo(const hb_json *event) {
  hb_writer out = {0};
  dump(&out, event);
  return hb_reply_json(hb_written(&out));
}

HB_GUARD(echo)
`;

const folder = mkdtempSync(path.join(tmpdir(), "hookbox-c-reader-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Every character of every string as an escape, so that no text is spelled as in the value. */
const escaped = (json: string): string =>
  json.replace(/"(?:[^"\\]|\\.)*"/g, (text) => {
    const units = Array.from(JSON.parse(text) as string, (character) =>
      [...Array(character.length).keys()].map((at) => character.charCodeAt(at)),
    );
    return `"${units
      .flat()
      .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
      .join("")}"`;
  });

describe.skipIf(noClang !== "")(`the JSON reader of hookbox.h${noClang}`, () => {
  let module: WebAssembly.Module;
  beforeAll(async () => {
    writeFileSync(path.join(folder, "guard.c"), ECHO);
    module = new WebAssembly.Module(await compileC(folder));
  });
  const read = (input: string | Uint8Array): Answer => callGuard(module, input);

  const text = fc.string({ unit: "binary", maxLength: 20 });
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom<unknown>(null, true, false),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      text,
      fc.array(tie("any"), { maxLength: 4 }),
      fc.dictionary(text, tie("any"), { maxKeys: 4 }),
    ),
  })).any;
  const objects = fc.dictionary(text, value, { maxKeys: 5 });

  test("reads what JSON.parse reads, in any spelling", () => {
    fc.assert(
      fc.property(objects, fc.constantFrom(undefined, 2, "\t"), (object, indent) => {
        const json = JSON.stringify(object, null, indent);
        for (const spelling of [json, escaped(json)]) {
          expect(JSON.parse(read(spelling).output ?? "")).toEqual(JSON.parse(json));
        }
      }),
      { numRuns: 300 },
    );
  });

  test("rejects what JSON.parse rejects, and reads other damaged text in the same way", () => {
    const damage = fc.tuple(fc.nat(), fc.nat(3), fc.string({ maxLength: 3 }));
    fc.assert(
      fc.property(objects, damage, (object, [where, length, put]) => {
        const json = JSON.stringify(object);
        const at = where % json.length;
        const damaged = json.slice(0, at) + put + json.slice(at + length);
        let expected: unknown;
        try {
          expected = JSON.parse(damaged);
        } catch {
          expected = undefined;
        }
        // Lone surrogates are valid in JSON, but UTF-8 cannot encode them.
        if (/\p{Surrogate}/u.test(damaged) || /\\ud[89a-f]/i.test(damaged)) return;
        const isObject = typeof expected === "object" && expected !== null && !Array.isArray(expected);
        const answer = read(damaged);
        if (isObject) expect(JSON.parse(answer.output ?? "")).toEqual(expected);
        else expect(answer).toMatchObject({ code: 1, output: undefined, error: expect.stringContaining("the event") });
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    ["an overlong form", [0xc0, 0xaf]],
    ["half of a surrogate pair", [0xed, 0xa0, 0x80]],
    ["a character beyond the last", [0xf4, 0x90, 0x80, 0x80]],
    ["a continuation alone", [0x80]],
    ["a character cut short", [0xe2, 0x82]],
  ])("refuses bytes that are not UTF-8: %s", (_, bytes) => {
    const input = Buffer.concat([Buffer.from('{"a":"'), Uint8Array.from(bytes), Buffer.from('"}')]);
    expect(read(new Uint8Array(input))).toMatchObject({ code: 1, error: expect.stringContaining("UTF-8") });
  });

  test("reads 128 levels, and rejects one more", () => {
    const nested = (levels: number): string => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
    expect(read(nested(128)).output).toBe(nested(128));
    expect(read(nested(129))).toMatchObject({ code: 1, error: expect.stringContaining("128 levels") });
  });

  test("keeps both of two members with one name, and finds the last one", () => {
    expect(read('{"a":1,"\\u0061":2}').output).toBe('{"a":1,"a":2}');
  });
});
