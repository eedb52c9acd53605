;; Like denies.wat, with an instruction whose effect cannot be undone, so each call needs a new instance.
(module
  (import "extism:host/env" "input_load_u64" (func $read (param i64) (result i64)))
  (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
  (import "extism:host/env" "store_u64" (func $store (param i64 i64)))
  (import "extism:host/env" "output_set" (func $output (param i64 i64)))
  (memory (export "memory") 1)
  (table 1 funcref)
  (func $never (table.set (i32.const 0) (ref.null func)))
  (global $calls (mut i32) (i32.const 0))
  (data (i32.const 64) "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"not while I am here\"}}      ")
  (func (export "handle") (result i32)
    (local $block i64) (local $at i32)
    (i64.store (i32.const 8) (call $read (i64.const 0)))
    (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
    (local.set $block (call $alloc (i64.const 136)))
    (loop $copy
      (call $store
        (i64.add (local.get $block) (i64.extend_i32_u (local.get $at)))
        (i64.load offset=64 (local.get $at)))
      (local.set $at (i32.add (local.get $at) (i32.const 8)))
      (br_if $copy (i32.lt_u (local.get $at) (i32.const 136))))
    (call $output (local.get $block) (i64.const 136))
    (i32.const 0)))
