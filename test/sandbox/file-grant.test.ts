import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { BLOCKING, type DiskCalls } from "../../src/files/disk.ts";
import { byComparison, byDescriptor, type Opener } from "../../src/files/opened-file.ts";
import type { PathGrant } from "../../src/grants.ts";
import type { Failure } from "../../src/outcome.ts";
import { GrantedFiles } from "../../src/sandbox/guest/capabilities/granted-files.ts";
import type { GivenWorld } from "../../src/sandbox/guest/protocol.ts";
import { attackedFolder, hostilePaths, INSIDE, MARKER } from "../files/attacked-folder.ts";
import { makeFolder } from "../helpers/folders.ts";
import { DrivenHost } from "./guest-host.ts";

const isLinux = process.platform === "linux";
const OPENERS: readonly (readonly [string, Opener])[] = [
  ["by comparison", byComparison],
  ...(isLinux ? ([["by descriptor", byDescriptor]] as const) : []),
];

/** A guest's call, with these paths granted. */
class Guest {
  readonly driven: DrivenHost;

  constructor(paths: readonly PathGrant[], files = new GrantedFiles(), given?: GivenWorld) {
    this.driven = new DrivenHost({ grants: { paths }, files, task: given === undefined ? {} : { given } });
  }

  /** Returns the text, or `undefined` if the file does not exist. */
  read(name: string | Uint8Array): string | undefined {
    const block = this.driven.call("file_read", this.driven.store(name)) as bigint;
    return block === 0n ? undefined : this.driven.text(block);
  }

  write(name: string, content: string | Uint8Array): void {
    this.driven.call("file_write", this.driven.store(name), this.driven.store(content));
  }

  /** Returns `undefined` if the file does not exist, and the failure if it is refused. */
  tryRead(name: string): Failure | string | undefined {
    try {
      return this.read(name);
    } catch (error) {
      const { failure } = this.driven.host;
      if (failure === undefined) throw error;
      return failure;
    }
  }

  refused(run: (guest: this) => unknown): Failure {
    return this.driven.refusal(() => run(this));
  }
}

const grant = (name: string, path: string, access: "read" | "write" = "read"): PathGrant => ({ name, path, access });
const openDescriptors = (): number => (isLinux ? readdirSync("/proc/self/fd").length : 0);

let descriptors = 0;
afterEach(() => {
  if (descriptors !== 0) expect(openDescriptors()).toBe(descriptors);
  descriptors = 0;
});
const countDescriptors = (): void => {
  descriptors = openDescriptors();
};

describe.each(OPENERS)("a granted file (%s)", (_, opener) => {
  const files = (): GrantedFiles => new GrantedFiles({ opener });

  test("is read by the name that the rule gives it, and by no other", () => {
    const root = makeFolder({ "policy.json": INSIDE });
    countDescriptors();
    const paths = [grant("policy.json", join(root, "policy.json"))];
    expect(new Guest(paths, files()).read("policy.json")).toBe(INSIDE);
    for (const name of [
      "POLICY.JSON",
      "policy.json/",
      "./policy.json",
      "policy.json/x",
      "x/../policy.json",
      join(root, "policy.json"),
      "policy.jso",
      "",
      "policy.json\0",
    ]) {
      const found = new Guest(paths, files()).tryRead(name);
      if (name === "policy.json/x") expect(found, name).toBeUndefined();
      else expect(found, name).toMatchObject({ kind: "capability", message: expect.stringContaining('"policy.json"') });
    }
  });

  test("may be reached through a link that the rule's author has named", () => {
    const root = makeFolder({ "real/policy.json": INSIDE });
    symlinkSync("real", join(root, "linked"));
    symlinkSync("real/policy.json", join(root, "link.json"));
    const paths = [
      grant("a", join(root, "linked/policy.json")),
      grant("b", join(root, "link.json")),
      grant("c", join(root, "linked")),
    ];
    const guest = new Guest(paths, files());
    for (const name of ["a", "b", "c/policy.json"]) expect(guest.read(name), name).toBe(INSIDE);
  });

  test("that does not exist is 0, and so is a file in a folder that does not exist", () => {
    const root = makeFolder();
    countDescriptors();
    const guest = new Guest([grant("a", join(root, "a")), grant("b", join(root, "no/b"))], files());
    for (const name of ["a", "b", "a/x/y"]) expect(guest.read(name)).toBeUndefined();
  });

  test("has to be where it was when the call first read it, otherwise it is refused", () => {
    const root = makeFolder({ "one/a": INSIDE, "two/a": MARKER });
    symlinkSync("one", join(root, "current"));
    const guest = new Guest([grant("current", join(root, "current"))], files());
    expect(guest.read("current/a")).toBe(INSIDE);
    rmSync(join(root, "current"));
    symlinkSync("two", join(root, "current"));
    expect(guest.read("current/a")).toBe(INSIDE);
    renameSync(join(root, "one"), join(root, "three"));
    symlinkSync("two", join(root, "one"));
    expect(guest.refused((one) => one.read("current/a"))).toMatchObject({ kind: "capability" });
  });

  test("is refused if it is a folder, a pipe, a device or the kernel's, without waiting", () => {
    const root = makeFolder({ folder: null });
    execFileSync("mkfifo", [join(root, "pipe")]);
    countDescriptors();
    const what = { folder: join(root, "folder"), pipe: join(root, "pipe"), zero: "/dev/zero", tty: "/dev/tty" };
    const kernels = isLinux ? { environ: "/proc/self/environ", notes: "/sys/kernel/notes", self: "/proc/self" } : {};
    for (const [name, path] of Object.entries({ ...what, ...kernels })) {
      const paths = [grant(name, path)];
      expect(new Guest(paths, files()).tryRead(name), name).toMatchObject({ kind: "capability" });
    }
    const within = new Guest([grant("root", root)], files());
    expect(within.tryRead("root/pipe")).toMatchObject({ kind: "capability" });
  });

  test.runIf(isLinux)("cannot be one of the kernel's through the root folder", () => {
    for (const path of ["proc/self/environ", "sys/kernel/notes", "dev/zero", "proc/self/root/etc/passwd"]) {
      const guest = new Guest([grant("all", "/")], files());
      expect(guest.tryRead(`all/${path}`), path).toMatchObject({ kind: "capability" });
    }
  });

  test("that may not be read is refused, and is not reported as missing", ({ skip }) => {
    if (process.getuid?.() === 0) skip("root reads everything");
    const root = makeFolder({ "policy.json": INSIDE });
    chmodSync(join(root, "policy.json"), 0);
    const guest = new Guest([grant("policy.json", join(root, "policy.json"))], files());
    expect(guest.tryRead("policy.json")).toMatchObject({
      kind: "capability",
      message: expect.stringContaining("EACCES"),
    });
  });
});

describe.each(OPENERS)("a granted folder (%s)", (_, opener) => {
  test("gives the files in it at any depth, and files with odd names", async () => {
    const { root } = await attackedFolder();
    writeFileSync(join(root, "x (deleted)"), INSIDE);
    countDescriptors();
    const guest = new Guest([grant("app", root)], new GrantedFiles({ opener }));
    for (const path of ["inside.txt", "folder/below.txt", "with\nnewline.txt", "x (deleted)"])
      expect(guest.read(`app/${path}`), path).toBe(INSIDE);
    expect(guest.driven.host.failure).toBeUndefined();
  });

  test("gives nothing through a link, even if the link leads back inside", async () => {
    const { root } = await attackedFolder();
    countDescriptors();
    const files = new GrantedFiles({ opener });
    const links = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink());
    expect(links.length).toBeGreaterThan(15);
    for (const { name } of links) {
      for (const path of [name, `${name}/secret.txt`, `${name}/no-such-file`]) {
        // The answer does not depend on whether the link's target exists.
        const found = new Guest([grant("app", root)], files).tryRead(`app/${path}`);
        expect(found, path).toMatchObject({ kind: "capability", message: expect.stringContaining("symbolic link") });
      }
    }
  });

  test("gives nothing for a path that leads elsewhere", async () => {
    const attacked = await attackedFolder();
    const files = new GrantedFiles({ opener });
    const paths = [grant("app", attacked.root)];
    for (const path of hostilePaths(attacked)) {
      for (const name of [`app/${path}`, path]) {
        const found = new Guest(paths, files).tryRead(name);
        expect(typeof found, `${JSON.stringify(name)} gave ${JSON.stringify(found)}`).not.toBe("string");
        if (found === undefined) expect(name).toMatch(/^app\//);
      }
    }
  });

  test("gives other files through their hard links, which are no different from other names", () => {
    const root = makeFolder({ "app/inside.txt": INSIDE, "secret.txt": MARKER });
    linkSync(join(root, "secret.txt"), join(root, "app/hard"));
    expect(new Guest([grant("app", join(root, "app"))], new GrantedFiles({ opener })).read("app/hard")).toBe(MARKER);
  });

  test("is granted by the longest matching name", () => {
    const root = makeFolder({ "a/b/x": "outer", "c/x": "inner" });
    const paths = [grant("a", join(root, "a")), grant("a/b", join(root, "c"))];
    const guest = new Guest(paths, new GrantedFiles({ opener }));
    expect(guest.read("a/b/x")).toBe("inner");
    expect(guest.refused((one) => one.read("ab/x"))).toMatchObject({ kind: "capability" });
  });
});

describe("a call", () => {
  test("without the grant reads and writes nothing, and fails by name", () => {
    for (const run of [(one: Guest) => one.read("a"), (one: Guest) => one.write("a", "x")]) {
      const guest = new Guest([]);
      guest.driven.begin({ files: new GrantedFiles() });
      expect(guest.refused(run)).toEqual({
        kind: "capability",
        message: expect.stringMatching(/^file_(read|write) needs a grant of "paths"$/),
      });
      guest.driven.begin({ grants: { paths: [] }, files: new GrantedFiles() });
      expect(guest.refused(run)).toMatchObject({ message: expect.stringContaining("the rule grants no path") });
    }
  });

  test("in a thread that was given no file access reads nothing", () => {
    const root = makeFolder({ a: INSIDE });
    const guest = new Guest([]);
    guest.driven.begin({ grants: { paths: [grant("a", join(root, "a"))] } });
    expect(guest.refused((one) => one.read("a"))).toMatchObject({ kind: "capability" });
  });

  test("fails with the first refusal, whatever it reads afterwards", () => {
    const root = makeFolder({ a: INSIDE });
    const guest = new Guest([grant("a", join(root, "a"))]);
    const first = guest.refused((one) => one.read("b"));
    expect(guest.read("a")).toBe(INSIDE);
    expect(guest.driven.host.failure).toBe(first);
  });

  test("names files in UTF-8 only", () => {
    const root = makeFolder({ "\ufffd": INSIDE });
    const guest = new Guest([grant("all", root)]);
    expect(guest.read("all/\ufffd")).toBe(INSIDE);
    const bytes = (text: string) => Buffer.from(text, "latin1");
    for (const name of ["all/\xff", "all/\xed\xa0\x80", "all/\xc0\xaf", "all/\xc0\xae\xc0\xae/x", "\xfeall/x"]) {
      const other = new Guest([grant("all", root)]);
      expect(other.refused((one) => one.read(bytes(name)))).toMatchObject({
        message: expect.stringContaining("UTF-8"),
      });
    }
  });

  test("reads files of up to 1 MiB, and reports the length of a longer file", () => {
    const root = makeFolder({ full: Buffer.alloc(1_048_576, "x"), over: Buffer.alloc(1_048_577, "x"), none: "" });
    const guest = new Guest([grant("all", root)]);
    expect(guest.driven.call("length", guest.driven.call("file_read", guest.driven.store("all/full")) as bigint)).toBe(
      1_048_576n,
    );
    expect(guest.read("all/none")).toBe("");
    expect(guest.refused((one) => one.read("all/over"))).toMatchObject({
      kind: "memory",
      limit: 1_048_576,
      value: 1_048_577,
    });
  });

  test("may read 64 times", () => {
    const guest = new Guest([grant("a", join(makeFolder({ a: "x" }), "a"))]);
    for (let time = 0; time < 64; time++) guest.read("a");
    expect(guest.refused((one) => one.read("a"))).toMatchObject({ kind: "capability", limit: 64, value: 65 });
  });

  test("may write 64 times, even to the same file", () => {
    const guest = new Guest([grant("all", makeFolder(), "write")]);
    for (let time = 0; time < 64; time++) guest.write("all/a", "x");
    expect(guest.refused((one) => one.write("all/a", "x"))).toMatchObject({ kind: "capability", limit: 64, value: 65 });
  });

  test("reads what it has written, which other calls cannot before it has answered", () => {
    const root = makeFolder({ "cache/a": "old" });
    const path = join(root, "cache");
    const guest = new Guest([grant("cache", path, "write"), grant("again", path)]);
    guest.write("cache/a", "new");
    guest.write("cache/b", "more");
    guest.write("cache/b", "most");
    expect([guest.read("cache/a"), guest.read("again/a"), guest.read("cache/b")]).toEqual(["new", "new", "most"]);
    expect(new Guest([grant("cache", path)]).read("cache/a")).toBe("old");
    expect(readdirSync(path)).toEqual(["a"]);
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    expect(guest.driven.host.effects?.files?.map((file) => [file.path, text(file.bytes)])).toEqual([
      [join(path, "a"), "new"],
      [join(path, "b"), "most"],
    ]);
  });

  test("keeps what it wrote, even if the block changes afterwards", () => {
    const guest = new Guest([grant("a", join(makeFolder(), "a"), "write")]);
    const content = guest.driven.store("before");
    guest.driven.call("file_write", guest.driven.store("a"), content);
    guest.driven.call("store_u8", content, 0x42);
    expect(guest.read("a")).toBe("before");
  });

  test("leaves nothing to the next call", () => {
    const root = makeFolder();
    const files = new GrantedFiles();
    const paths = [grant("a", join(root, "a"), "write")];
    const guest = new Guest(paths, files);
    guest.write("a", "x");
    guest.driven.begin({ grants: { paths }, files });
    expect(guest.read("a")).toBeUndefined();
    expect(guest.driven.host.effects).toBeUndefined();
  });

  test("writes no file that is granted for reading only, or not at all", () => {
    const root = makeFolder({ a: "x" });
    const paths = [grant("a", join(root, "a")), grant("w", join(root, "w"), "write")];
    for (const [name, why] of [
      ["a", "for reading only"],
      ["b", "is not granted"],
      ["w/../a", 'the part ".."'],
    ] as const) {
      const guest = new Guest(paths);
      expect(guest.refused((one) => one.write(name, "y"))).toMatchObject({
        kind: "capability",
        message: expect.stringContaining(why),
      });
    }
  });

  test("may write 16 files and 1 MiB, counting the last content of each", () => {
    const paths = [grant("all", makeFolder(), "write")];
    const many = new Guest(paths);
    for (let file = 0; file < 16; file++) many.write(`all/${file}`, "x");
    many.write("all/0", "y");
    expect(many.refused((one) => one.write("all/16", "x"))).toMatchObject({ kind: "memory", limit: 16, value: 17 });
    const large = new Guest(paths);
    large.write("all/a", new Uint8Array(1_048_576));
    large.write("all/a", new Uint8Array(1_048_575));
    large.write("all/b", "x");
    expect(large.refused((one) => one.write("all/c", "x"))).toMatchObject({
      kind: "memory",
      limit: 1_048_576,
      value: 1_048_577,
    });
  });

  test("whose stack is full when files are to be closed leaves none open for the next call", () => {
    const root = makeFolder({ a: INSIDE });
    countDescriptors();
    const paths = [grant("a", join(root, "a"))];
    let isFull = true;
    const disk: DiskCalls = {
      ...BLOCKING,
      close: (fd) => {
        if (isFull) throw new RangeError("Maximum call stack size exceeded");
        BLOCKING.close(fd);
      },
    };
    const files = new GrantedFiles({ disk });
    const guest = new Guest(paths, files);
    expect(guest.read("a")).toBe(INSIDE);
    expect(openDescriptors()).toBeGreaterThan(descriptors);
    isFull = false;
    new Guest(paths, files);
  });
});

describe("a fixture's world", () => {
  const given = { files: { "policy.json": "given", "not/granted": "too" } };

  test("has its own files and no others, whatever is granted", () => {
    const root = makeFolder({ "policy.json": MARKER, other: MARKER });
    let opened = 0;
    const disk = {
      ...BLOCKING,
      open: (...requirements: Parameters<typeof BLOCKING.open>) => {
        opened++;
        return BLOCKING.open(...requirements);
      },
    };
    const paths = [grant("policy.json", join(root, "policy.json")), grant("all", root)];
    const guest = new Guest(paths, new GrantedFiles({ disk }), given);
    expect(guest.read("policy.json")).toBe("given");
    expect(guest.read("not/granted")).toBe("too");
    for (const name of ["all/other", "all/policy.json", "nothing", "constructor", "__proto__"])
      expect(guest.read(name), name).toBeUndefined();
    expect(opened).toBe(0);
    expect(guest.tryRead("../policy.json")).toMatchObject({ kind: "capability" });
  });

  test("accepts writes to the guard's own names, and changes nothing on this machine", () => {
    const root = makeFolder({ "policy.json": MARKER });
    const guest = new Guest([grant("policy.json", join(root, "policy.json"))], new GrantedFiles(), given);
    guest.write("elsewhere", "new");
    // The module's own tests do not know which access the rule grants.
    guest.write("policy.json", "changed");
    expect([guest.read("elsewhere"), guest.read("policy.json")]).toEqual(["new", "changed"]);
    const written = guest.driven.host.effects?.files?.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]);
    expect(written).toEqual([
      ["elsewhere", "new"],
      ["policy.json", "changed"],
    ]);
    expect(guest.refused((one) => one.write("../policy.json", "x"))).toMatchObject({ kind: "capability" });
  });
});
