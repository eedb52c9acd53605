import { expect, test } from "vitest";
import { refreshed } from "./output.ts";

const DIGEST = "c9aa0379a12838bbb732dfba3d4b8e2cde092abde29d6469e02983675631efd0";

test("an output with the same meaning stays as on the page, and any other digest or figure is replaced", () => {
  const shown = "  sha256  …\n  took 2.1 ms, 400 fuel\n";
  expect(refreshed(shown, `  sha256  ${DIGEST}\n  took 97.3 ms, 400 fuel\n`, "[\\d.]+ ms")).toBe(shown);
  expect(refreshed(shown, `  sha256  ${DIGEST}\n  took 97.3 ms, 401 fuel\n`, "[\\d.]+ ms")).toBe(
    "  sha256  …\n  took 97.3 ms, 401 fuel\n",
  );
  expect(refreshed(`  sha256  ${DIGEST.replace("c", "d")}\n`, `  sha256  ${DIGEST}\n`)).toBe(`  sha256  ${DIGEST}\n`);
});

test("an output with more or fewer lines replaces all lines", () => {
  expect(refreshed("  …\n", "\n  one\n  two\n\n")).toBe("  one\n  two\n");
});
