// Builds the engine of guards in JavaScript: engine.wasm, byte for byte the same on every machine.
//
//   node guest-sdk/typescript/engine/build.mjs [--check] [--source FILE_OR_ADDRESS]
//
// Needs `npm run build` before, and `npm`, `tar` and `xz` on the path. The source of QuickJS is taken from --source, from
// HOOKBOX_QUICKJS_SOURCE, or from the mirrors that the machine's own apt knows; only its digest matters.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const SOURCE = {
  file: "quickjs_2025.04.26.orig.tar.xz",
  path: "pool/main/q/quickjs/quickjs_2025.04.26.orig.tar.xz",
  folder: "quickjs-2025.04.26",
  sha256: "ec81da5b3249ed648dbc7df4a1654988910e66a118d9b71cb63534216efcfbbe",
};
const COMPILER = {
  package: "@yowasp/clang",
  version: "22.0.0-git20542-10",
  integrity: "sha512-V31/z9GrJECKeACTDUyvg2llbEUiFi3bxtL5HSg7H/6sydSxdI/AoVAD9F5ozrfLjotWl0B9rghR87m+DUM/zg==",
};
const OWN_SOURCES = ["shim.c", "allocator.c", "assert.h"];
const UNITS = ["shim.c", "libregexp.c", "libunicode.c", "cutils.c", "dtoa.c"];
const OUTPUT = "engine.wasm";

const STACK_BYTES = 262_144;
/** The maximum to which a rule may raise its memory limit. The rule's own limit is enforced by the host. */
const MAX_MEMORY_BYTES = 1_073_741_824;

/** Edits of QuickJS's source. Each old text must occur exactly once. */
const EDITS = [
  // Unused, and missing without an operating system.
  ["quickjs.c", "#include <fenv.h>\n", ""],
  ["dtoa.c", "#include <setjmp.h>\n", ""],
  // Atomics need threads of the C library.
  ["quickjs.c", "#if !defined(EMSCRIPTEN)\n#define CONFIG_ATOMICS\n#endif\n", ""],
  // Guards use UTC, because there are no time zone files.
  [
    "quickjs.c",
    "        localtime_r(&ti, &tm);\n        res = -tm.tm_gmtoff / 60;\n",
    "        (void)tm;\n        res = 0;\n",
  ],
  // Random numbers come from the host if the guard wants them.
  ["quickjs.c", "    v = xorshift64star(&ctx->random_state);\n", "    v = chance(ctx);\n"],
  // JSON must be exactly RFC 8259. QuickJS also accepts JavaScript's escapes, numbers that end with a point, and "-01",
  // so a guard would accept events that other programs refuse. Texts are copied in runs, because every call reads its
  // event.
  [
    "quickjs.c",
    "    for(;;) {\n        if (p >= s->buf_end)\n            goto invalid_char;\n        c = *p;\n        if (c < 0x20) {\n            if (!s->cur_func) {\n",
    `    for(;;) {
        if (!s->cur_func) {
            const uint8_t *run = p;
            while (p < s->buf_end && *p >= 0x20 && *p < 0x80 && *p != '"' && *p != '\\\\')
                p++;
            if (p > run && string_buffer_write8(b, run, p - run))
                goto fail;
        }
        if (p >= s->buf_end)
            goto invalid_char;
        c = *p;
        if (c < 0x20) {
            if (!s->cur_func) {
`,
  ],
  [
    "quickjs.c",
    "               accepting invalid escapes */\n",
    `               accepting invalid escapes */
            if (!s->cur_func && (c == 0 || !strchr("\\"\\\\/bfnrtu", c) || (c == 'u' && p[1] == '{')))
                goto invalid_escape;
`,
  ],
  [
    "quickjs.c",
    "            if (!s->ext_json) {\n                flags = 0;\n                radix = 10;\n",
    `            if (!s->ext_json) {
                const uint8_t *digits = p + (*p == '-');
                if (*digits == '0' && is_digit(digits[1]))
                    goto def_token;
                while (is_digit(*digits))
                    digits++;
                if (*digits == '.' && !is_digit(digits[1]))
                    goto def_token;
                flags = 0;
                radix = 10;
`,
  ],
  [
    "quickjs.c",
    "    for(i = 0; i < p->len; ) {\n        c = string_getc(p, &i);\n        switch(c) {\n        case '\\t':\n            c = 't';\n            goto quote;\n",
    `    for(i = 0; i < p->len; ) {
        if (!p->is_wide_char) {
            int run = i;
            while (i < p->len && p->u.str8[i] >= 0x20 && p->u.str8[i] != '"' && p->u.str8[i] != '\\\\')
                i++;
            if (i > run && string_buffer_write8(b, p->u.str8 + run, i - run))
                goto fail;
            if (i == p->len)
                break;
        }
        c = string_getc(p, &i);
        switch(c) {
        case '\\t':
            c = 't';
            goto quote;
`,
  ],
  // Guards search long texts for many words. QuickJS compares the whole word at each place of the text; searching for
  // its first character is ten times as fast. `memchr` compares four bytes at a time.
  [
    "quickjs.c",
    `        for (i = start;; i++) {
            if (!string_cmp(p, p1, i, 0, v_len)) {
                ret = 1;
                break;
            }
            if (i == stop)
                break;
        }
`,
    `        if (magic == 0)
            ret = string_indexof(p, p1, start) >= 0;
        else
            ret = !string_cmp(p, p1, start, 0, v_len);
`,
  ],
  [
    "quickjs.c",
    `    if (len >= v_len && inc * (stop - start) >= 0) {
        for (i = start;; i += inc) {
`,
    `    if (!lastIndexOf && len >= v_len && start <= stop)
        ret = string_indexof(p, p1, start);
    else if (len >= v_len && inc * (stop - start) >= 0) {
        for (i = start;; i += inc) {
`,
  ],
  [
    "quickjs.c",
    `            for (i = from; i < len; i++) {
                if (p->u.str8[i] == (uint8_t)c)
                    return i;
            }
        }
    }
    return -1;
`,
    `            const uint8_t *found = memchr(p->u.str8 + from, c, len - from);
            return found ? found - p->u.str8 : -1;
        }
    }
    return -1;
`,
  ],
];

/** Recursive functions: how each one begins, and what it does when the stack is full. */
const DEEP = [
  // QuickJS does not check the stack here, because it usually has a megabyte; this engine has less.
  [
    "static JSValue json_parse_value(JSParseState *s)\n{\n    JSContext *ctx = s->ctx;\n    JSValue val = JS_NULL;\n    int ret;\n",
    "    if (js_check_stack_overflow(ctx->rt, 0)) {\n        JS_ThrowStackOverflow(ctx);\n        return JS_EXCEPTION;\n    }\n",
  ],
  ["    JSValue val, new_el, name_val, res;\n    JSValueConst args[2];\n", ""],
  ["    JSValue indent1, sep, sep1, tab, v, prop;\n", ""],
  ["    JSValue element;\n    int64_t sourceIndex, elementLen;\n", ""],
];

const FLAGS = [
  "--target=wasm32-wasip1",
  "-Os",
  "-flto",
  "-I.",
  "-w",
  "-D_GNU_SOURCE",
  '-DCONFIG_VERSION="2025-04-26"',
  `-DSTACK_BYTES=${STACK_BYTES}`,
  "-nostartfiles",
  // The stack comes first in memory, so that an overflow traps and does not overwrite data.
  `-Wl,--no-entry,--strip-all,--export=__stack_pointer,--stack-first,-z,stack-size=${STACK_BYTES},--max-memory=${MAX_MEMORY_BYTES}`,
];

const here = fileURLToPath(new URL("./", import.meta.url));
const { values: options } = parseArgs({ options: { check: { type: "boolean" }, source: { type: "string" } } });
const work = mkdtempSync(join(tmpdir(), "hookbox-engine-"));

try {
  const files = await sources();
  const { runClang } = await compiler();
  const built = await build(OUTPUT, FLAGS, files, runClang);
  console.log(`${OUTPUT} ${built.byteLength} bytes  sha256 ${sha256(built)}`);
  if (options.check === true) check(built);
  else write(built);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** All files for the compiler, by name: the edited files of QuickJS, and our own. */
async function sources() {
  const archive = join(work, SOURCE.file);
  writeFileSync(archive, await fetchSource());
  execFileSync("tar", ["-xJf", archive, "-C", work]);
  const folder = join(work, SOURCE.folder);
  const names = readdirSync(folder).filter((name) => /\.[ch]$/.test(name));
  const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
  for (const [name, before, after] of EDITS) replaceOnce(files, name, before, after);
  for (const [beginning, check] of DEEP)
    replaceOnce(files, "quickjs.c", beginning, `${beginning}    ROOM_ON_THE_STACK;\n${check}`);
  for (const name of OWN_SOURCES) files[name] = readFileSync(join(here, name), "utf8");
  return files;
}

function replaceOnce(files, name, before, after) {
  if (files[name].split(before).length !== 2) throw new Error(`${name} does not have this once: ${before}`);
  files[name] = files[name].replace(before, () => after);
}

async function fetchSource() {
  const given = options.source ?? process.env.HOOKBOX_QUICKJS_SOURCE;
  const places = given === undefined ? mirrors().map((base) => `${base.replace(/\/$/, "")}/${SOURCE.path}`) : [given];
  const problems = [];
  for (const place of places) {
    try {
      const bytes = /^https?:/.test(place) ? await download(place) : readFileSync(place);
      if (sha256(bytes) === SOURCE.sha256) return bytes;
      problems.push(`${place}: sha256 ${sha256(bytes)} instead of ${SOURCE.sha256}`);
    } catch (error) {
      problems.push(`${place}: ${error.message}`);
    }
  }
  throw new Error(`no ${SOURCE.file}; name a copy with --source\n${problems.join("\n")}`);
}

async function download(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** The package mirrors in this machine's apt configuration. */
function mirrors() {
  const lists = ["/etc/apt/sources.list"];
  const folder = "/etc/apt/sources.list.d";
  if (existsSync(folder))
    lists.push(
      ...readdirSync(folder)
        .sort()
        .map((name) => join(folder, name)),
    );
  const text = lists
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
  const lines = text.split("\n").filter((line) => /^\s*(deb\s|URIs:)/.test(line));
  return [...new Set(lines.flatMap((line) => line.match(/https?:\/\/\S+/g) ?? []))];
}

async function compiler() {
  const [{ filename }] = JSON.parse(
    execFileSync("npm", ["pack", `${COMPILER.package}@${COMPILER.version}`, "--json", "--pack-destination", work], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }),
  );
  const archive = join(work, filename.replace("@", "").replace("/", "-"));
  const integrity = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
  if (integrity !== COMPILER.integrity)
    throw new Error(`${COMPILER.package}: ${integrity} instead of ${COMPILER.integrity}`);
  execFileSync("tar", ["-xzf", archive, "-C", work]);
  return import(pathToFileURL(join(work, "package", "gen", "bundle.js")).href);
}

async function build(name, flags, files, runClang) {
  let said = "";
  const decoder = new TextDecoder();
  const stderr = (bytes) => {
    if (bytes !== null) said += decoder.decode(bytes);
  };
  try {
    const made = await runClang(["clang", ...flags, ...UNITS, "-o", name], files, { stderr, fetchProgress: () => {} });
    return Uint8Array.from(made[name]);
  } catch (error) {
    throw new Error(`${name} could not be built: ${said || error.message}`);
  }
}

function check(built) {
  const kept = sha256(readFileSync(join(here, OUTPUT)));
  const isSame = kept === sha256(built);
  console.log(`${OUTPUT} is here with sha256 ${kept}: ${isSame ? "the same" : "DIFFERENT"}`);
  if (!isSame) process.exitCode = 1;
}

function write(built) {
  writeFileSync(join(here, OUTPUT), built);
  const own = [...OWN_SOURCES, "build.mjs"];
  const digests = {
    outputs: { [OUTPUT]: sha256(built) },
    inputs: {
      [SOURCE.file]: SOURCE.sha256,
      [`${COMPILER.package}@${COMPILER.version}`]: COMPILER.integrity,
      ...Object.fromEntries(own.map((name) => [name, sha256(readFileSync(join(here, name)))])),
    },
  };
  writeFileSync(join(here, "digests.json"), `${JSON.stringify(digests, null, 2)}\n`);
}

function sha256(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}
