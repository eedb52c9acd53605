;; Answers "allow" and reports failure. A host that ignores the return code would treat this as a success.
(module
  (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
  (import "extism:host/env" "store_u8" (func $store_u8 (param i64 i32)))
  (import "extism:host/env" "output_set" (func $output_set (param i64 i64)))
  (memory (export "memory") 1)
  (data (i32.const 0) "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"allow\"}}")
  ;; Passes the host a copy of the first $length bytes of memory as the output.
  (func $say (param $length i32)
    (local $block i64) (local $at i32)
    (local.set $block (call $alloc (i64.extend_i32_u (local.get $length))))
    (loop $next
      (call $store_u8 (i64.add (local.get $block) (i64.extend_i32_u (local.get $at))) (i32.load8_u (local.get $at)))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $at) (local.get $length))))
    (call $output_set (local.get $block) (i64.extend_i32_u (local.get $length))))
  (func (export "handle") (result i32)
    (call $say (i32.const 82))
    (i32.const 1)))
