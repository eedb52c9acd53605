// The files that common programs use, by their arguments.

import { STAR } from "../../src/shell/marks.ts";
import { type Call, has, operandsOf } from "../shell-guard/rules/call.ts";
import type { Use } from "./command-files.ts";

type Files = (call: Call) => Iterable<readonly [Use, string]>;

/** Programs of other languages, which take a program as an argument or as their input. */
export const CODE: ReadonlySet<string> = new Set(
  "python python3 python2 pypy3 node nodejs deno bun perl ruby php lua tclsh osascript".split(" "),
);

const FILES = new Map<string, Files>();

function program(names: string, files: Files): void {
  for (const name of names.split(" ")) FILES.set(name, files);
}

const uses =
  (use: Use, first = 0): Files =>
  (call) =>
    operandsOf(call)
      .slice(first)
      .map((word) => [use, word]);

program(
  "cat tac nl less more head tail bat batcat od xxd hexdump hd strings base64 base32 sort uniq cut paste fold rev column \
diff cmp comm vim vi view nvim nano emacs open xdg-open type gc Get-Content tar zip gzip bzip2 xz zstd 7z iconv",
  uses("read"),
);
program("openssl gpg age", (call) => call.args.map((word) => ["read", word]));
program("grep egrep fgrep rg ag ack jq yq awk gawk mawk", (call) => {
  const hasPattern = call.args.some((arg) => /^-\w*[ef]$|^--(?:regexp|file|from-file)/.test(arg));
  return uses("read", hasPattern ? 0 : 1)(call);
});
program("sed perl ruby", (call) => {
  const isInPlace = has(call, "--in-place", "i", "ef");
  return operandsOf(call).map((word) => [isInPlace ? "write" : "read", word]);
});
program("rm unlink shred rmdir srm trash", uses("delete"));
program("tee truncate touch sponge chmod chown chgrp chattr setfacl mkfifo", uses("write"));
program("cp install scp rsync ln link ditto", pair("read"));
program("mv rename", pair("move"));
program("dd", ({ args }) => args.flatMap((arg) => valued(arg, "if=", "read") ?? valued(arg, "of=", "write") ?? []));
program("curl wget http https xh", ofClient);
program("git", ofGit);
program("find fd fdfind", ofFind);

/** Returns the files that a command uses. */
export function filesOfCall(call: Call): Iterable<readonly [Use, string]> {
  return FILES.get(call.name)?.(call) ?? [];
}

/** Programs with sources and one target, which is the last operand or the value of `-t`. */
function pair(use: Use): Files {
  return (call) => {
    const at = call.args.findIndex((arg) => arg === "-t" || arg === "--target-directory");
    const operands = operandsOf(call);
    const target = at < 0 ? operands.at(-1) : call.args[at + 1];
    return operands.map((word, index) => [
      word === target && (at >= 0 || index === operands.length - 1) ? "write" : use,
      word,
    ]);
  };
}

function valued(arg: string, prefix: string, use: Use): readonly (readonly [Use, string])[] | undefined {
  return arg.startsWith(prefix) ? [[use, arg.slice(prefix.length)]] : undefined;
}

/** Clients of HTTP send files (`-d @file`, `-F name=@file`, `-T file`) and write the response (`-o file`). */
function* ofClient({ args }: Call): Generator<readonly [Use, string]> {
  for (const [at, arg] of args.entries()) {
    const next = args[at + 1] ?? "";
    const [, sent] = /^(?:-[dF]|--[a-z-]+=)?(?:[^=@\s]*=)?[@<](.+)$/.exec(arg) ?? [];
    if (sent !== undefined) yield ["read", sent.replace(/;type=.*$/, "")];
    const [, file] = /^--(?:post-file|body-file|upload-file|cookie|netrc-file|config)=(.*)$/.exec(arg) ?? [];
    if (file !== undefined) yield ["read", file];
    if (/^-\w*[TK]$|^--(?:upload-file|post-file|body-file|config)$/.test(arg)) yield ["read", next];
    if (/^-\w*[oO]$|^--output(?:-document)?$/.test(arg)) yield ["write", next];
    const [, output] = /^--output(?:-document)?=(.*)$/.exec(arg) ?? [];
    if (output !== undefined) yield ["write", output];
  }
}

/** Only the commands of git that change files which the user names. */
function ofGit(call: Call): readonly (readonly [Use, string])[] {
  const [verb, ...files] = operandsOf(call);
  const use = { checkout: "write", restore: "write", rm: "delete", mv: "move", clean: "delete" }[verb ?? ""];
  if (verb === "blame" || verb === "cat-file" || verb === "hash-object") return files.map((word) => ["read", word]);
  return use === undefined ? [] : files.map((word) => [use as Use, word]);
}

/** The names that a search looks for, with the use of the command that it runs. */
function ofFind(call: Call): readonly (readonly [Use, string])[] {
  const { args } = call;
  const at = args.findIndex((arg) => /^-(?:exec|execdir|ok|okdir|x|X)$/.test(arg));
  const inner = (args[at + 1] ?? "").replace(/^.*\//, "");
  const isShell = /^(?:ba|da|z)?sh$/.test(inner);
  const use: Use | undefined = args.includes("-delete")
    ? "delete"
    : at < 0
      ? undefined
      : isShell
        ? "write"
        : [...filesOfCall({ name: inner, args: ["x", "x"], takesInput: false })][0]?.[0];
  if (use === undefined) return [];
  const given = (option: RegExp): string => {
    const index = args.findIndex((arg) => option.test(arg));
    return index < 0 ? "" : (args[index + 1] ?? "").replaceAll("*", STAR);
  };
  const folder = given(/^-(?:i?path|wholename|ipath)$/);
  const name = given(/^-i?name$/);
  if (folder === "" || name === "") return folder === name ? [] : [[use, folder + name]];
  return [[use, `${folder.replace(/[^/]*$/, "")}${name}`]];
}
