import type { Attack, Ending } from "../attacks.ts";
import { type ReachParts, reach } from "./reach.ts";
import { type Body, hopes, reached, swallows, times } from "./reaching-guest.ts";
import type { World } from "./world.ts";

/** Attacks through WASI: the functions that it could open, invalid pointers, and code that runs before `handle`. */

const wasi = (): object => ({ wasi: true });
const withFiles = ({ granted }: World): object => ({
  wasi: true,
  paths: { policy: granted.file, folder: granted.folder, writable: { path: granted.writable, access: "write" } },
});

const on = (name: string, ends: Ending, body: Body, parts: ReachParts = {}): readonly Attack[] =>
  reach(wasi, name, ends, body, parts);
const onFiles = (name: string, ends: Ending, body: Body, parts: ReachParts = {}): readonly Attack[] =>
  reach(withFiles, name, ends, body, parts);

const NOTHING: Ending = { decision: "deny" };
const REFUSED: Ending = { kind: "capability" };

/** A subscription of an hour's sleep, and the address for the event. */
const SLEEP = `(i64.store (i32.const 24) (i64.const 3600000000000))
  (drop (call $poll_oneoff (i32.const 0) (i32.const 512) (i32.const 1) (i32.const 1024)))`;

const open = (path: string, { fd = "(i32.const 3)", flags = 0, rights = 2 } = {}): string =>
  `(call $path_open ${fd} (i32.const 0) ${path} (i32.const ${flags}) (i64.const ${rights}) (i64.const 0)
     (i32.const 0) (i32.const 8))`;

/** Reads the file that it has opened, logs the content and allows. */
const READ = `(i32.store (i32.const 16) (i32.const 1024)) (i32.store (i32.const 20) (i32.const 1024))
  (drop (call $fd_read (i32.load (i32.const 8)) (i32.const 16) (i32.const 1) (i32.const 24)))
  (i32.store (i32.const 20) (i32.load (i32.const 24)))
  (drop (call $fd_write (i32.const 2) (i32.const 16) (i32.const 1) (i32.const 24)))`;

const OUTSIDE: Readonly<Record<string, readonly [string, Ending]>> = {
  "an-absolute-path": ["/etc/passwd", REFUSED],
  "a-path-of-the-system": ["etc/passwd", REFUSED],
  "folders-up": ["../../../../etc/passwd", REFUSED],
  "a-folder-up": ["folder/../secret/canary.txt", REFUSED],
  "a-link": ["folder/link.txt", REFUSED],
  "a-file-behind-a-link": ["folder/link/canary.txt", REFUSED],
  "a-pipe": ["folder/pipe", REFUSED],
  "another-name": ["POLICY", REFUSED],
};

const CHANGES: Readonly<Record<string, (name: string) => string>> = {
  "makes-a-folder": (name) => `(call $path_create_directory (i32.const 3) ${name})`,
  "removes-a-file": (name) => `(call $path_unlink_file (i32.const 3) ${name})`,
  "removes-a-folder": (name) => `(call $path_remove_directory (i32.const 3) ${name})`,
  "renames-a-file": (name) => `(call $path_rename (i32.const 3) ${name} (i32.const 3) ${name})`,
  "makes-a-link": (name) => `(call $path_link (i32.const 3) (i32.const 0) ${name} (i32.const 3) ${name})`,
  "makes-a-symlink": (name) => `(call $path_symlink ${name} (i32.const 3) ${name})`,
  "makes-a-file": (name) => open(name, { flags: 1 }),
  "empties-a-file": (name) => open(name, { flags: 8 }),
  "opens-a-file-to-write": (name) => open(name, { rights: 64 }),
};

/** The last byte of the memory is one of them: no requested data fits there. */
const POINTERS = [
  "(i32.const -1)",
  "(i32.const 0x7fffffff)",
  "(i32.const 0x80000000)",
  "(i32.sub (i32.mul (memory.size) (i32.const 65536)) (i32.const 1))",
];

/** Every function with a pointer, with each of these as pointers. */
const MISUSES = POINTERS.flatMap((at) => {
  return [
    `(call $args_sizes_get ${at} ${at})`,
    `(call $environ_sizes_get ${at} ${at})`,
    `(call $clock_time_get (i32.const 0) (i64.const 0) ${at})`,
    `(call $clock_res_get (i32.const 0) ${at})`,
    `(call $fd_read (i32.const 0) ${at} (i32.const 1) ${at})`,
    `(call $fd_write (i32.const 1) ${at} (i32.const 1) ${at})`,
    `(call $fd_write (i32.const 1) ${at} (i32.const -1) ${at})`,
    `(call $fd_fdstat_get (i32.const 0) ${at})`,
    `(call $fd_filestat_get (i32.const 0) ${at})`,
    `(call $fd_prestat_get (i32.const 3) ${at})`,
    `(call $fd_prestat_dir_name (i32.const 3) ${at} (i32.const 2))`,
    `(call $path_filestat_get (i32.const 3) (i32.const 0) ${at} (i32.const 6) ${at})`,
    `(call $path_open (i32.const 3) (i32.const 0) ${at} (i32.const 6) (i32.const 0) (i64.const 2) (i64.const 0) (i32.const 0) ${at})`,
    `(call $poll_oneoff ${at} ${at} (i32.const 1) ${at})`,
    `(call $random_get ${at} (i32.const 8))`,
  ].map(hopes);
});

const SOCKETS = [
  "(call $sock_accept (i32.const 3) (i32.const 0) (i32.const 0))",
  "(call $sock_send (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0))",
  "(call $sock_recv (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0))",
  "(call $sock_shutdown (i32.const 3) (i32.const 0))",
].map(hopes);

const print = (buffer: string): string =>
  `${buffer} (drop (call $fd_write (local.get $and) (i32.const 16) (i32.const 1) (i32.const 24)))`;

const ALLOW = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}';

/** Modules with code that runs before the first call. */
const initializes = (name: string, ends: Ending, code: Body, others = ""): readonly Attack[] =>
  reach(withFiles, name, ends, () => reached, {
    ungranted: "HOOK_MODULE_ABI",
    fields: (words, world) => `${others} (func (export "_initialize") (local $at i32) ${code(words, world)})`,
  });

/** Programs: their answer is what they print. */
const program = (name: string, ends: Ending, code: Body): readonly Attack[] =>
  on(name, ends, (words, world) => `(func (export "_start") (local $at i32) (local $and i32) ${code(words, world)})`, {
    ungranted: "HOOK_MODULE_ABI",
    isBare: true,
    function: "_start",
  });

export const WASI_ATTACKS: readonly Attack[] = [
  ...on("sleeps-for-an-hour-by-wasi", NOTHING, () => SLEEP),
  ...on("sleeps-for-ever-by-wasi", REFUSED, () => `(loop $again ${SLEEP} (br $again)) ${reached}`),
  ...on(
    "looks-for-an-environment-by-wasi",
    NOTHING,
    () => `
      (drop (call $environ_sizes_get (i32.const 0) (i32.const 4)))
      (drop (call $args_sizes_get (i32.const 8) (i32.const 12)))
      (drop (call $environ_get (i32.const 1024) (i32.const 2048)))
      (drop (call $args_get (i32.const 1024) (i32.const 2048)))
      (if (i64.ne (i64.or (i64.load (i32.const 0)) (i64.load (i32.const 8))) (i64.const 0)) (then ${reached}))
      (if (i64.ne (i64.or (i64.load (i32.const 1024)) (i64.load (i32.const 2048))) (i64.const 0)) (then ${reached}))`,
  ),
  ...[1, 2].flatMap((fd) =>
    on(
      `floods-stream-${fd}-by-wasi`,
      NOTHING,
      ({ buffer }) =>
        `(local.set $and (i32.const ${fd})) ${times(3_000, print(buffer("a flood of lines\n".repeat(100))))}`,
    ),
  ),
  ...on("writes-to-every-descriptor", NOTHING, ({ buffer }) =>
    times(
      1_000,
      `${buffer("x")}
         (if (i32.eqz (call $fd_write (i32.add (local.get $at) (i32.const 3)) (i32.const 16) (i32.const 1) (i32.const 24)))
           (then ${reached}))`,
    ),
  ),
  ...on("looks-for-folders-that-are-open", NOTHING, () =>
    times(
      100,
      `(if (i32.eqz (call $fd_prestat_get (i32.add (local.get $at) (i32.const 3)) (i32.const 0))) (then ${reached}))`,
    ),
  ),
  ...on("opens-a-file-from-every-descriptor", NOTHING, ({ at }) =>
    times(100, hopes(open(at("/etc/passwd"), { fd: "(local.get $at)" }))),
  ),
  ...on("speaks-to-sockets-by-wasi", NOTHING, () => SOCKETS.join("\n")),
  ...Object.entries(OUTSIDE).flatMap(([name, [path, ends]]) =>
    onFiles(`opens-${name}-by-wasi`, ends, ({ at }) => swallows(`(drop ${open(at(path))}) ${READ}`)),
  ),
  ...Object.entries(CHANGES).flatMap(([name, code]) =>
    onFiles(`${name}-by-wasi`, NOTHING, ({ at }) => hopes(code(at("writable/kept.txt")))),
  ),
  ...onFiles("hands-over-pointers-that-are-none", NOTHING, () => MISUSES.join("\n")),
  ...on("raises-a-signal", { kind: "signal" }, () => swallows("(drop (call $proc_raise (i32.const 9)))")),
  ...on("exits-without-an-answer", { kind: "exit" }, () => swallows("(call $proc_exit (i32.const 0))")),
  ...on(
    "exits-behind-an-answer",
    { kind: "exit" },
    ({ at }) =>
      `(call $say ${at(ALLOW)})
       (call $proc_exit (i32.const 0))`,
  ),

  ...program("is-a-program-that-prints-nothing", { kind: "no-output" }, () => "(call $proc_exit (i32.const 0))"),
  ...program(
    "is-a-program-that-allows-and-exits-with-1",
    { kind: "exit" },
    ({ buffer }) => `(local.set $and (i32.const 1))
      ${print(buffer(ALLOW))}
      (call $proc_exit (i32.const 1))`,
  ),
  ...program(
    "is-a-program-that-allows-and-traps",
    { kind: "trap" },
    ({ buffer }) => `(local.set $and (i32.const 1))
      ${print(buffer(ALLOW))}
      unreachable`,
  ),
  ...program(
    "is-a-program-that-prints-two-answers",
    { kind: "invalid-output" },
    ({ buffer }) => `(local.set $and (i32.const 1))
      ${print(buffer(`{}${ALLOW}`))}`,
  ),
  ...program(
    "is-a-program-that-floods-its-output",
    { kind: "output-too-large" },
    ({ buffer }) => `(local.set $and (i32.const 1)) ${times(1_000, print(buffer("{}".repeat(1_000))))}`,
  ),
  ...program(
    "is-a-program-that-answers-the-other-way",
    { kind: "invalid-output" },
    ({ at }) => `(call $say ${at(ALLOW)})`,
  ),

  ...initializes("loops-before-handle", { kind: "fuel" }, () => "(loop $l (br $l))"),
  ...initializes("traps-before-handle", { kind: "trap" }, () => "unreachable"),
  ...initializes("recurses-before-handle", { kind: "stack" }, () => "(call $deep)", "(func $deep (call $deep))"),
  ...initializes("exits-before-handle", { kind: "exit" }, () => "(call $proc_exit (i32.const 0))"),
  ...initializes(
    "grows-before-handle",
    { kind: "memory" },
    () => "(loop $more (br_if $more (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))",
  ),
  ...initializes("reads-a-file-before-handle", REFUSED, ({ block }) => `(drop (call $file_read ${block("policy")}))`),
  ...initializes(
    "writes-a-file-before-handle",
    REFUSED,
    ({ block }) => `(call $file_write ${block("writable/kept.txt")} ${block("overwritten")})`,
  ),
  ...reach(withFiles, "sees-an-event-before-handle", NOTHING, () => `(if (global.get $early) (then ${reached}))`, {
    ungranted: "HOOK_MODULE_ABI",
    fields: () => `(global $early (mut i32) (i32.const 0))
      (func (export "_initialize") (global.set $early (i64.ne (call $input_length) (i64.const 0))))`,
  }),
];
