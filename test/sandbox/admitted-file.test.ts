import { describe, expect, test } from "vitest";
import { admitCode } from "../../src/sandbox/admission/admission.ts";
import { decodeAdmitted, encodeAdmitted } from "../../src/sandbox/admission/admitted-file.ts";
import type { AdmittedCode } from "../../src/sandbox/admission/admitted-module.ts";
import fc from "../helpers/fc.ts";
import { guest } from "../helpers/guests.ts";
import { requirements } from "./module-requirements.ts";

describe("admitted code in a file", () => {
  test("is restored unchanged", async () => {
    for (const name of ["denies", "remembers-in-a-table", "answers-from-its-config"]) {
      const code = await admitCode(guest(name), requirements());
      if (!code.ok) throw new Error(code.message);
      expect(decodeAdmitted(encodeAdmitted(code))).toEqual(code);
    }
  });

  test("keeps any names and any bytes, line ends too", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "binary-ascii" })),
        fc.uint8Array(),
        fc.nat(),
        (imports, bytes, memoryPages) => {
          const state = { fuel: "f\n", depth: "d" };
          const code = {
            ok: true,
            digest: "x",
            imports,
            startExports: [],
            memoryPages,
            isLight: true,
            state,
            bytes: Uint8Array.from(bytes),
          };
          expect(decodeAdmitted(encodeAdmitted(code as unknown as AdmittedCode))).toEqual(code);
        },
      ),
    );
  });

  test("without the information whether V8 may optimise it is rejected", async () => {
    const code = await admitCode(guest("denies"), requirements());
    if (!code.ok) throw new Error(code.message);
    const { isLight: _, ...rest } = code;
    expect(decodeAdmitted(encodeAdmitted(rest as AdmittedCode))).toBeUndefined();
  });

  test.each(["", "{}", "no line end", "not JSON\n", '["a"]\n', '{"digest":1,"digest":2}\n', "\n"])(
    "rejects other content, such as %j",
    (text) => {
      expect(decodeAdmitted(Buffer.from(text))).toBeUndefined();
    },
  );
});
