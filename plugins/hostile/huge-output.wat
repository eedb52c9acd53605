;; An "allow" and then a mebibyte of blanks: valid JSON, but far larger than any answer. A host must neither
;; cut it to its limit nor decode it before checking the length.
(module
  (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
  (import "extism:host/env" "store_u8" (func $store_u8 (param i64 i32)))
  (import "extism:host/env" "output_set" (func $output_set (param i64 i64)))
  (import "extism:host/env" "store_u64" (func $store_u64 (param i64 i64)))
  (memory (export "memory") 1)
  (data (i32.const 0) "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"allow\"}}")
  (func (export "handle") (result i32)
    (local $block i64) (local $at i64)
    (local.set $block (call $alloc (i64.const 1048576)))
    (loop $blank
      (call $store_u64 (i64.add (local.get $block) (local.get $at)) (i64.const 0x2020202020202020))
      (local.set $at (i64.add (local.get $at) (i64.const 8)))
      (br_if $blank (i64.lt_u (local.get $at) (i64.const 1048576))))
    (local.set $at (i64.const 0))
    (loop $copy
      (call $store_u8
        (i64.add (local.get $block) (local.get $at))
        (i32.load8_u (i32.wrap_i64 (local.get $at))))
      (local.set $at (i64.add (local.get $at) (i64.const 1)))
      (br_if $copy (i64.lt_u (local.get $at) (i64.const 82))))
    (call $output_set (local.get $block) (i64.const 1048576))
    (i32.const 0)))
