;; Traps immediately. A crash must deny with a named failure and leave nothing behind for the next call.
(module
  (memory (export "memory") 1)
  (func (export "handle") (result i32)
    unreachable))
