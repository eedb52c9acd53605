;; Reads the file that its config names, unless the config says not to, and denies.
(module
  (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
  (import "extism:host/env" "store_u64" (func $store (param i64 i64)))
  (import "extism:host/env" "config_get" (func $config (param i64) (result i64)))
  (import "extism:host/env" "output_set" (func $output (param i64 i64)))
  (import "hookbox:host/env" "file_read" (func $read (param i64) (result i64)))
  (memory (export "memory") 1)
  (data (i32.const 48) "dontread")
  (data (i32.const 56) "readfile")
  (data (i32.const 64) "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"not while I am here\"}}      ")
  (func $value (param $key i64) (result i64) (local $block i64)
    (local.set $block (call $alloc (i64.const 8)))
    (call $store (local.get $block) (local.get $key))
    (call $config (local.get $block)))
  (func (export "handle") (result i32)
    (local $block i64) (local $at i32)
    (local.set $block (call $value (i64.load (i32.const 56))))
    (if (i64.eqz (call $value (i64.load (i32.const 48)))) (then
      ;; A missing file would be cheaper to read.
      (if (i64.eqz (call $read (local.get $block))) (then unreachable))))
    (local.set $block (call $alloc (i64.const 136)))
    (loop $copy
      (call $store
        (i64.add (local.get $block) (i64.extend_i32_u (local.get $at)))
        (i64.load offset=64 (local.get $at)))
      (local.set $at (i32.add (local.get $at) (i32.const 8)))
      (br_if $copy (i32.lt_u (local.get $at) (i32.const 136))))
    (call $output (local.get $block) (i64.const 136))
    (i32.const 0)))
