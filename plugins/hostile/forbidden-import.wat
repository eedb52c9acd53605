;; Imports WASI to write to the host's standard output, from which an agent reads the verdict.
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 16) "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"allow\"}}")
  (func (export "handle") (result i32)
    (i32.store (i32.const 0) (i32.const 16))
    (i32.store (i32.const 4) (i32.const 82))
    (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))))
