import { lstatSync, realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import { expect, test } from "vitest";
import { byComparison, byDescriptor, type Opener } from "../../src/files/opened-file.ts";
import { GrantedFiles } from "../../src/sandbox/guest/capabilities/granted-files.ts";
import { attackedFolder, INSIDE } from "../files/attacked-folder.ts";
import fc from "../helpers/fc.ts";
import { times } from "../helpers/tier.ts";

const OPENERS: readonly (readonly [string, Opener])[] = [
  ["by comparison", byComparison],
  ...(process.platform === "linux" ? ([["by descriptor", byDescriptor]] as const) : []),
];

const PARTS = [
  ...["..", ".", "", "~", "\0", "\\", "..\\..", "\u2024\u2024", "\ud800", "*"],
  ...["app", "APP", "app-secrets", "secret.txt", "folder", "Folder", "inside.txt", "INSIDE.TXT", "below.txt", "empty"],
  ...["to-file", "to-folder", "to-parent", "to-root", "chain-1", "loop-1", "up", "out-and-in", "process-root", "pipe"],
  ...["proc", "self", "root", "etc", "passwd", "socket", "zero", "app\u0301", "inside.txt\u200d", "with\nnewline.txt"],
];

/**
 * An independent check, link by link and without our resolver: whether the path is a plain file, spelled as on disk.
 */
function isPlainFileIn(root: string, path: string): boolean {
  const place = resolve(root, path);
  if (!place.startsWith(root + sep) || place.slice(root.length + 1) !== path) return false;
  try {
    return realpathSync.native(place) === place && lstatSync(place).isFile();
  } catch {
    return false;
  }
}

test.each(OPENERS)("a guard reads a path exactly if it is a plain file inside of the grant: %s", async (_, opener) => {
  const { root } = await attackedFolder();
  const files = new GrantedFiles({ opener });
  const grants = [{ name: "app", path: root, access: "read" as const }];
  const part = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...PARTS) },
    { weight: 2, arbitrary: fc.constantFrom("inside.txt", "below.txt", "folder") },
    { weight: 1, arbitrary: fc.string({ maxLength: 4, unit: "binary" }) },
  );
  const start = fc.constantFrom(
    "app/",
    "app/",
    "app/",
    "app/folder/",
    "app",
    "",
    "/",
    "APP/",
    `${root}/`,
    "app/../app/",
  );
  const parts = fc.oneof(fc.array(part, { maxLength: 4 }), fc.tuple(part));
  let reads = 0;
  fc.assert(
    fc.property(start, parts, (first, rest) => {
      const name = first + rest.join("/");
      files.begin({
        grants,
        given: undefined,
        refuse: ({ message }) => {
          throw new Error(message);
        },
      });
      let text: string | undefined;
      try {
        const bytes = files.read(name);
        text = bytes === undefined ? undefined : Buffer.from(bytes).toString();
      } catch {
        text = undefined;
      }
      const isPlain = name.startsWith("app/") && isPlainFileIn(root, name.slice("app/".length));
      expect([name, text]).toEqual([name, isPlain ? INSIDE : undefined]);
      if (isPlain) reads += 1;
    }),
    {
      numRuns: 1_500,
      examples: [
        ["app/", ["inside.txt"]],
        ["app/folder/", ["below.txt"]],
      ],
    },
  );
  expect(reads).toBeGreaterThan(times(10, 3));
});
