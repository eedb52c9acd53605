;; Sends the request in the config value "0", if there is one, and denies. The least work of a guard with a
;; grant of hosts.
(module
  (import "extism:host/env" "input_load_u64" (func $read (param i64) (result i64)))
  (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
  (import "extism:host/env" "store_u8" (func $store_byte (param i64 i32)))
  (import "extism:host/env" "store_u64" (func $store (param i64 i64)))
  (import "extism:host/env" "config_get" (func $config (param i64) (result i64)))
  (import "extism:host/env" "output_set" (func $output (param i64 i64)))
  (import "extism:host/env" "http_request" (func $request (param i64 i64) (result i64)))
  (import "extism:host/env" "http_status_code" (func $status (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 64) "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"not while I am here\"}}      ")
  (func (export "handle") (result i32)
    (local $block i64) (local $at i32)
    (i64.store (i32.const 8) (call $read (i64.const 0)))
    (local.set $block (call $alloc (i64.const 1)))
    (call $store_byte (local.get $block) (i32.const 48))
    (local.set $block (call $config (local.get $block)))
    (if (i64.ne (local.get $block) (i64.const 0))
      (then
        (drop (call $request (local.get $block) (i64.const 0)))
        (if (i32.ne (call $status) (i32.const 200)) (then (unreachable)))))
    (local.set $block (call $alloc (i64.const 136)))
    (loop $copy
      (call $store
        (i64.add (local.get $block) (i64.extend_i32_u (local.get $at)))
        (i64.load offset=64 (local.get $at)))
      (local.set $at (i32.add (local.get $at) (i32.const 8)))
      (br_if $copy (i32.lt_u (local.get $at) (i32.const 136))))
    (call $output (local.get $block) (i64.const 136))
    (i32.const 0)))
