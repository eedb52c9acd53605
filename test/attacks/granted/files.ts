import type { Attack, Ending } from "../attacks.ts";
import { type ReachParts, reach } from "./reach.ts";
import { type Body, swallows, times, wants } from "./reaching-guest.ts";
import type { World } from "./world.ts";

/**
 * Attacks through files: outside of the grant, through links, in other spellings, too many, too large, and without end.
 */

const grants = ({ granted }: World): object => ({
  paths: {
    policy: granted.file,
    folder: granted.folder,
    writable: { path: granted.writable, access: "write" },
  },
});

const on = (name: string, ends: Ending, body: Body, parts: ReachParts = {}): readonly Attack[] =>
  reach(grants, name, ends, body, parts);

type Name = string | Uint8Array | ((world: World) => string);
const of = (name: Name, world: World): string | Uint8Array => (typeof name === "function" ? name(world) : name);

const REFUSED: Ending = { kind: "capability" };
const NOTHING: Ending = { decision: "deny" };

const READ: Readonly<Record<string, readonly [Name, Ending]>> = {
  "a-file-beside-the-granted-one": ["policy.json.bak", REFUSED],
  "a-name-that-begins-like-a-granted-one": ["policy.bak", REFUSED],
  "a-granted-name-in-capitals": ["POLICY", REFUSED],
  "what-is-behind-a-file": ["policy/../secret/canary.txt", REFUSED],
  "a-folder-up": ["folder/../secret/canary.txt", REFUSED],
  "a-folder-up-by-a-link": ["folder/up/secret/canary.txt", REFUSED],
  "many-folders-up": [`folder/${"../".repeat(40)}etc/passwd`, REFUSED],
  "folders-up-in-percents": ["folder/%2e%2e/secret/canary.txt", NOTHING],
  "folders-up-behind-a-backslash": ["folder\\..\\secret\\canary.txt", REFUSED],
  "an-absolute-path": [({ secretFolder }) => `${secretFolder}/canary.txt`, REFUSED],
  "the-granted-file-by-its-absolute-path": [({ granted }) => granted.file, REFUSED],
  "an-absolute-path-behind-a-folder": [({ secretFolder }) => `folder/${secretFolder}/canary.txt`, REFUSED],
  "an-empty-part": ["folder//policy.txt", REFUSED],
  "a-part-that-is-a-dot": ["folder/./policy.txt", REFUSED],
  "a-name-with-an-end-in-it": ["folder/policy.txt\0.png", REFUSED],
  nothing: ["", REFUSED],
  "a-name-that-is-not-utf-8": [Uint8Array.from([0x66, 0xff, 0xfe]), REFUSED],
  "a-link-to-a-file": ["folder/link.txt", REFUSED],
  "a-file-behind-a-link": ["folder/link/canary.txt", REFUSED],
  "a-device-behind-a-link": ["folder/zero", REFUSED],
  "a-pipe": ["folder/pipe", REFUSED],
  "a-folder": ["folder", REFUSED],
  "itself-as-the-system-sees-it": ["/proc/self/environ", REFUSED],
  "a-file-in-capitals": ["folder/POLICY.TXT", NOTHING],
  "a-file-in-decomposed-letters": ["folder/cafe\u0301.txt", NOTHING],
  "a-file-that-is-not-there": ["folder/none.txt", NOTHING],
  "a-file-behind-a-file": ["folder/policy.txt/x", NOTHING],
  "a-file-over-the-limit": ["folder/huge.bin", { kind: "memory" }],
};

/** Whatever is there at that time. */
const RACE: Ending = { decision: "deny", or: "capability" };

const WRITTEN: Readonly<Record<string, readonly [Name, Ending]>> = {
  "a-file-to-read": ["policy", REFUSED],
  "into-a-folder-to-read": ["folder/new.txt", REFUSED],
  "beside-its-folder": ["writable.txt", REFUSED],
  "a-folder-up": ["writable/../policy.json", REFUSED],
  "through-a-link-to-a-file": ["writable/link.txt", REFUSED],
  "through-a-link-to-a-folder": ["writable/link/canary.txt", REFUSED],
  "a-pipe": ["writable/pipe", REFUSED],
  "in-place-of-its-folder": ["writable", REFUSED],
  "into-a-folder-that-is-not-there": ["writable/none/new.txt", { kind: "unavailable" }],
};

const write = (name: string, content: string): string => `(call $file_write ${name} ${content})`;

export const FILE_ATTACKS: readonly Attack[] = [
  ...Object.entries(READ).flatMap(([name, [path, ends]]) =>
    on(`reads-${name}`, ends, ({ block }, world) => {
      const read = `(call $file_read ${block(of(path, world))})`;
      return "kind" in ends ? swallows(`(drop ${read})`) : wants(read);
    }),
  ),
  ...Object.entries(WRITTEN).flatMap(([name, [path, ends]]) =>
    on(`writes-${name}`, ends, ({ block }, world) => swallows(write(block(of(path, world)), block("overwritten")))),
  ),
  ...on(
    "reads-what-is-exchanged-for-a-link",
    RACE,
    ({ block }) =>
      times(
        50,
        `(local.set $block (call $file_read ${block("folder/changing/canary.txt")}))
         (if (i64.ne (local.get $block) (i64.const 0)) (then (call $log_info (local.get $block))))`,
      ),
    { calls: 20 },
  ),
  ...on(
    "writes-what-is-exchanged-for-a-link",
    { decision: "deny", or: ["capability", "unavailable"] },
    ({ block }) => write(block("writable/changing/canary.txt"), block("overwritten")),
    { calls: 20 },
  ),
  ...on("writes-and-traps", { kind: "trap" }, ({ block }) =>
    swallows(write(block("writable/kept.txt"), block("overwritten")), "unreachable"),
  ),
  ...on("writes-and-loops", { kind: "fuel" }, ({ block }) =>
    swallows(write(block("writable/kept.txt"), block("overwritten")), "(loop $l (br $l))"),
  ),
  ...on("writes-and-returns-1", { kind: "exit" }, ({ block }) =>
    swallows(write(block("writable/kept.txt"), block("overwritten")), "(return (i32.const 1))"),
  ),
  ...on("writes-and-then-what-it-may-not", REFUSED, ({ block }) =>
    swallows(write(block("writable/kept.txt"), block("overwritten")), write(block("policy"), block("overwritten"))),
  ),
  ...on("writes-one-file-and-cannot-write-the-other", REFUSED, ({ block }) =>
    swallows(
      write(block("writable/kept.txt"), block("overwritten")),
      write(block("writable/link.txt"), block("overwritten")),
    ),
  ),
  ...on("writes-more-than-a-megabyte", { kind: "memory" }, ({ block }) =>
    swallows(write(block("writable/kept.txt"), "(call $alloc (i64.const 1048577))")),
  ),
  ...on("writes-many-files", { kind: "memory" }, ({ block }) =>
    swallows(...Array.from({ length: 17 }, (_, index) => write(block(`writable/${index}`), block("new")))),
  ),
  ...on("floods-the-disk-with-reading", REFUSED, ({ block }) =>
    swallows(times(100, `(drop (call $file_read ${block("policy")}))`)),
  ),
  ...on("reads-a-name-from-nowhere", { kind: "trap" }, () => swallows("(drop (call $file_read (i64.const -1)))")),
  ...on("writes-a-content-from-nowhere", { kind: "trap" }, ({ block }) =>
    swallows(write(block("writable/kept.txt"), "(i64.const 999999)")),
  ),
];
