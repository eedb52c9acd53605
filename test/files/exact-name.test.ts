import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { type DiskCalls, waitFor } from "../../src/files/disk.ts";
import { kernelDevices } from "../../src/files/kernel-folders.ts";
import { openRoot, openWithin, readWhole, type Ways } from "../../src/files/open-without-links.ts";
import { byComparison, byDescriptor } from "../../src/files/opened-file.ts";
import { makeFolder } from "../helpers/folders.ts";
import { foldingDisk } from "./folding-disk.ts";

const isLinux = process.platform === "linux";
const OPENERS = [
  ["by comparison", byComparison],
  ...(isLinux ? ([["by descriptor", byDescriptor]] as const) : []),
] as const;

function readIn(ways: Ways, root: string, path: string, disk?: DiskCalls): string {
  const opened = waitFor(openRoot(ways, root), disk);
  try {
    const file = waitFor(openWithin(ways, opened, path.split("/")), disk);
    try {
      return waitFor(readWhole(ways, file, 1_000), disk).toString();
    } finally {
      (disk?.close ?? foldingDisk().close)(file.fd);
    }
  } finally {
    (disk?.close ?? foldingDisk().close)(opened.fd);
  }
}

const FILES = {
  "policy.json": "policy",
  "Straße.txt": "street",
  "caf\u00e9.txt": "composed",
  "re\u0301sume\u0301.txt": "decomposed",
  ΣΊΣΥΦΟΣ: "greek",
  "deep/Folder/x": "deep",
  "123": "digits",
} as const;

const OTHERS = [
  "POLICY.JSON",
  "Policy.json",
  "policy.jSon",
  "poli\u200ccy.json",
  "\ufeffpolicy.json",
  "STRASSE.TXT",
  "stra\u1e9ee.txt",
  "cafe\u0301.txt",
  "CAFE\u0301.TXT",
  "r\u00e9sum\u00e9.txt",
  "σίσυφος",
  "DEEP/Folder/x",
  "deep/folder/x",
  "deep/Folder/X",
  "12\u200d3",
];

test.each(OPENERS)("on a disk that treats spellings as equal, only a file's own name finds it: %s", (_, opener) => {
  const root = makeFolder(FILES);
  const disk = foldingDisk();
  const ways = { opener, kernel: waitFor(kernelDevices()) };
  const before = isLinux ? readdirSync("/proc/self/fd").length : 0;
  for (const [path, content] of Object.entries(FILES)) expect(readIn(ways, root, path, disk)).toBe(content);
  for (const path of OTHERS) expect(() => readIn(ways, root, path, disk), path).toThrow(/name|ENOENT/);
  if (isLinux) expect(readdirSync("/proc/self/fd").length).toBe(before);
});

test("the disk of that test does accept other spellings, otherwise it would show nothing", () => {
  const root = makeFolder(FILES);
  const disk = foldingDisk();
  for (const name of ["POLICY.JSON", "cafe\u0301.txt", "poli\u200ccy.json"])
    expect(disk.lstat(`${root}/${name}`)).toBeDefined();
});

test.runIf(isLinux)("on a disk that distinguishes spellings, each is a separate file", () => {
  const root = makeFolder({ "policy.json": "lower", "POLICY.JSON": "upper" });
  const ways = { opener: byDescriptor, kernel: waitFor(kernelDevices()) };
  expect(readIn(ways, root, "policy.json")).toBe("lower");
  expect(readIn(ways, root, "POLICY.JSON")).toBe("upper");
  expect(() => readIn(ways, root, "Policy.json")).toThrow(/ENOENT|nothing/);
});
