import { expect, test } from "vitest";
import { cleanSearchPath } from "../../src/processes/search-path.ts";
import fc from "../helpers/fc.ts";

const word = fc.stringMatching(/^[a-z .~$-]{0,8}$/);
const absolute = word.map((name) => `/${name}`);
const relative = fc.oneof(
  fc.constantFrom("", ".", "..", "./bin", "../bin", "~", "~/bin", " /bin", "$HOME/bin"),
  word.map((name) => `${name}/bin`).filter((entry) => !entry.startsWith("/")),
);
const entries = fc.array(fc.oneof(absolute, relative), { maxLength: 12 });

test("cleaning keeps every absolute entry, in order, and no other", () => {
  fc.assert(
    fc.property(entries, (list) => {
      const kept = list.filter((entry) => entry.startsWith("/"));
      fc.pre(kept.length > 0);
      expect(cleanSearchPath(list.join(":"), "linux").split(":")).toEqual(kept);
    }),
  );
});

test("whatever PATH is, no entry of the cleaned one depends on the working directory", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        entries.map((list) => list.join(":")),
      ),
      (value) => {
        const cleaned = cleanSearchPath(value, "linux");
        expect(cleaned).not.toBe("");
        for (const entry of cleaned.split(":")) expect(entry).toMatch(/^\//);
      },
    ),
  );
});

test("cleaning twice changes nothing more, on either kind of system", () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom("linux" as const, "win32" as const), (value, platform) => {
      const once = cleanSearchPath(value, platform);
      expect(cleanSearchPath(once, platform)).toBe(once);
    }),
  );
});
