import {
  ABSENT_NAMESPACE,
  HOST_FUNCTIONS,
  HOST_NAMESPACE,
  OWN_FUNCTIONS,
  OWN_NAMESPACE,
  WASI_NAMESPACE,
} from "../../../src/sandbox/guest/guest-abi.ts";
import type { HostFunction } from "../../../src/sandbox/guest/host-functions.ts";
import { WASI_FUNCTIONS } from "../../../src/sandbox/guest/wasi/wasi-abi.ts";
import { wat } from "../../helpers/guests.ts";
import type { World } from "./world.ts";

/** Guests that try to get something: they allow once they have it, and deny until then. */

type Bytes = Uint8Array<ArrayBuffer>;

/** Texts of a guest, as code. */
interface Words {
  /** Code for a handle of a new block with the text. */
  block(text: string | Uint8Array): string;
  /** Code for pointer and length, as WASI expects them. */
  at(text: string | Uint8Array): string;
  /** Code that stores both at 16, as a list of one buffer. */
  buffer(text: string | Uint8Array): string;
}

/** What a guest does before it answers. */
export type Body = (words: Words, world: World) => string;

export interface GuestParts {
  /** The namespace of its functions, instead of the usual one. */
  readonly namespace?: string;
  /** More fields of the module: other functions, globals. */
  readonly fields?: Body;
  /** In place of a `handle` with an answer. */
  readonly isBare?: boolean;
}

const WORDS_FROM = 131_072;
const answer = (decision: string): string =>
  JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: decision } });

const TABLES: readonly (readonly [string, Readonly<Record<string, HostFunction>>])[] = [
  [HOST_NAMESPACE, HOST_FUNCTIONS],
  [OWN_NAMESPACE, OWN_FUNCTIONS],
  [WASI_NAMESPACE, WASI_FUNCTIONS],
];

/** `hookbox:host/absent`, and the names that only the linker uses. */
export const OTHER_NAMESPACES = { absent: ABSENT_NAMESPACE, own: OWN_NAMESPACE, linkedWasi: "hookbox:host/wasi" };

const OURS = ["alloc", "store_u8", "length", "log_info", "output_set"];

/** Sets `$reached`, which makes the guest allow. */
export const reached = "(global.set $reached (i32.const 1))";
/** Ignores the results, and allows. */
export const swallows = (...code: readonly string[]): string => `${code.join("\n")} ${reached}`;
/** Logs the given block, and allows if there is one. */
export const wants = (block: string): string => `(call $take ${block})`;
/** Allows if the call reports no error. */
export const hopes = (errno: string): string => `(if (i32.eqz ${errno}) (then ${reached}))`;
/** Repeats the code this many times. */
export const times = (count: number, code: string, at = "$at"): string =>
  `(local.set ${at} (i32.const 0))
   (loop $again${at} ${code} (local.set ${at} (i32.add (local.get ${at}) (i32.const 1)))
     (br_if $again${at} (i32.lt_u (local.get ${at}) (i32.const ${count}))))`;

export function reaching(body: Body, world: World, { namespace, fields, isBare = false }: GuestParts = {}): Bytes {
  const pieces: Buffer[] = [];
  let end = WORDS_FROM;
  const place = (text: string | Uint8Array): { readonly from: number; readonly size: number } => {
    const bytes = Buffer.from(text);
    const from = end;
    pieces.push(bytes);
    end += bytes.byteLength;
    return { from, size: bytes.byteLength };
  };
  const at = (text: string | Uint8Array): string => {
    const { from, size } = place(text);
    return `(i32.const ${from}) (i32.const ${size})`;
  };
  const words: Words = {
    at,
    block: (text) => `(call $text ${at(text)})`,
    buffer: (text) => {
      const { from, size } = place(text);
      return `(i32.store (i32.const 16) (i32.const ${from})) (i32.store (i32.const 20) (i32.const ${size}))`;
    },
  };
  const code = body(words, world);
  const others = fields?.(words, world) ?? "";
  const own = isBare
    ? code
    : `(func (export "handle") (result i32) (local $at i32) (local $and i32) (local $key i64) (local $block i64)
         ${code}
         (if (global.get $reached)
           (then (call $say ${at(answer("allow"))})) (else (call $say ${at(answer("deny"))})))
         (i32.const 0))`;
  const used = `${own} ${others}`;
  const imports = TABLES.flatMap(([home, functions]) =>
    Object.entries(functions)
      .filter(([name]) => OURS.includes(name) || new RegExp(`\\$${name}[\\s)]`).test(used))
      .map(([name, type]) => imported(OURS.includes(name) ? home : (namespace ?? home), name, type)),
  );
  const bytes = Buffer.concat(pieces);
  const data = [...bytes].map((byte) => `\\${byte.toString(16).padStart(2, "0")}`).join("");
  const pages = Math.ceil(end / 65_536) + 1;
  return wat(`(module ${imports.join("\n")}
    (memory (export "memory") ${pages})
    (data (i32.const ${WORDS_FROM}) "${data}")
    (global $reached (mut i32) (i32.const 0))
    (func $text (param $from i32) (param $count i32) (result i64) (local $to i64) (local $at i32)
      (local.set $to (call $alloc (i64.extend_i32_u (local.get $count))))
      (block $done (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $count)))
        (call $store_u8 (i64.add (local.get $to) (i64.extend_i32_u (local.get $at)))
          (i32.load8_u (i32.add (local.get $from) (local.get $at))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next)))
      (local.get $to))
    (func $take (param $block i64)
      (if (i64.ne (local.get $block) (i64.const 0)) (then (call $log_info (local.get $block)) ${reached})))
    (func $say (param $from i32) (param $count i32) (local $block i64)
      (local.set $block (call $text (local.get $from) (local.get $count)))
      (call $output_set (local.get $block) (call $length (local.get $block))))
    ${others} ${own})`);
}

function imported(from: string, name: string, { params, results }: HostFunction): string {
  const types = [...params.map((type) => `(param ${type})`), ...results.map((type) => `(result ${type})`)].join(" ");
  return `(import "${from}" "${name}" (func $${name} ${types}))`;
}
