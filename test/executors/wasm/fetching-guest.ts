import type { HostsGrant, WasmLimits } from "../../../src/grants.ts";
import type { Rule } from "../../../src/rule.ts";
import { wat } from "../../helpers/guests.ts";
import { LIMITS, wasmRule } from "./wasm-rule.ts";

/** Guests that send the requests in their `config`. */

type Ending = "answers" | "traps" | "loops";

const ENDINGS: Readonly<Record<Ending, string>> = {
  answers: "(i32.const 0)",
  traps: "(unreachable)",
  loops: "(loop $for_ever (br $for_ever)) (i32.const 0)",
};

/**
 * Sends the requests in `config` under "0", "1" and so on, in that order, with the bodies under "body". Logs each
 * status and the headers under it, and outputs the body of the last answer that has one, or `{}`.
 */
export function fetching(ending: Ending = "answers", namespace = "extism:host/env"): Uint8Array<ArrayBuffer> {
  return wat(`(module
    (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
    (import "extism:host/env" "length" (func $length (param i64) (result i64)))
    (import "extism:host/env" "store_u8" (func $store (param i64 i32)))
    (import "extism:host/env" "config_get" (func $config (param i64) (result i64)))
    (import "extism:host/env" "log_info" (func $log (param i64)))
    (import "extism:host/env" "output_set" (func $output (param i64 i64)))
    (import "${namespace}" "http_request" (func $request (param i64 i64) (result i64)))
    (import "${namespace}" "http_status_code" (func $status (result i32)))
    (import "${namespace}" "http_headers" (func $headers (result i64)))
    (func $text1 (param $a i32) (result i64) (local $block i64)
      (local.set $block (call $alloc (i64.const 1)))
      (call $store (local.get $block) (local.get $a))
      (local.get $block))
    (func $digits (param $n i32) (result i64) (local $block i64)
      (local.set $block (call $alloc (i64.const 3)))
      (call $store (local.get $block) (i32.add (i32.const 48) (i32.div_u (local.get $n) (i32.const 100))))
      (call $store (i64.add (local.get $block) (i64.const 1))
        (i32.add (i32.const 48) (i32.rem_u (i32.div_u (local.get $n) (i32.const 10)) (i32.const 10))))
      (call $store (i64.add (local.get $block) (i64.const 2))
        (i32.add (i32.const 48) (i32.rem_u (local.get $n) (i32.const 10))))
      (local.get $block))
    (func $body (result i64) (local $key i64)
      (local.set $key (call $alloc (i64.const 4)))
      (call $store (local.get $key) (i32.const 98))
      (call $store (i64.add (local.get $key) (i64.const 1)) (i32.const 111))
      (call $store (i64.add (local.get $key) (i64.const 2)) (i32.const 100))
      (call $store (i64.add (local.get $key) (i64.const 3)) (i32.const 121))
      (call $config (local.get $key)))
    (func (export "handle") (result i32)
      (local $at i32) (local $wanted i64) (local $got i64) (local $last i64)
      (local.set $at (i32.const 48))
      (block $done
        (loop $next
          (local.set $wanted (call $config (call $text1 (local.get $at))))
          (br_if $done (i64.eqz (local.get $wanted)))
          (local.set $got (call $request (local.get $wanted) (call $body)))
          (if (i64.ne (local.get $got) (i64.const 0)) (then (local.set $last (local.get $got))))
          (call $log (call $digits (call $status)))
          (local.set $got (call $headers))
          (if (i64.ne (local.get $got) (i64.const 0)) (then (call $log (local.get $got))))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br_if $next (i32.le_u (local.get $at) (i32.const 57)))))
      (if (i64.eqz (local.get $last))
        (then
          (local.set $last (call $alloc (i64.const 2)))
          (call $store (local.get $last) (i32.const 123))
          (call $store (i64.add (local.get $last) (i64.const 1)) (i32.const 125))))
      (call $output (local.get $last) (call $length (local.get $last)))
      ${ENDINGS[ending]}))`);
}

export interface Wanted {
  readonly url: string;
  readonly method?: string | null;
  readonly headers?: Readonly<Record<string, string>> | null;
}

interface FetchingParts extends Partial<HostsGrant> {
  readonly body?: string;
  readonly module?: Uint8Array;
  readonly limits?: Partial<WasmLimits>;
  /** Rules with the same id count as one rule for quarantine and costs. */
  readonly id?: string;
}

/** Returns a rule whose guard sends these requests, to servers of this machine unless the test says otherwise. */
export function fetchingRule(wanted: readonly (Wanted | string)[], parts: FetchingParts): Rule {
  const { body, module = fetching(), limits = {}, id, ...grant } = parts;
  const requests = wanted.map((one, at) => [String(at), typeof one === "string" ? one : JSON.stringify(one)] as const);
  return wasmRule(module, {
    ...(id === undefined ? {} : { id }),
    handler: {
      config: { ...Object.fromEntries(requests), ...(body === undefined ? {} : { body }) },
      limits: { ...LIMITS, ...limits },
      grants: { hosts: hostsGrant(grant) },
    },
  });
}

export function hostsGrant(parts: Partial<HostsGrant> = {}): HostsGrant {
  return { allow: [], network: "private", maxCalls: 8, responseBytes: 262_144, ...parts };
}

/** Returns a server's answer that a guard can output as its own. */
export function asks(reason: string): string {
  return JSON.stringify({
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "ask",
      permissionDecisionReason: reason,
    },
  });
}
