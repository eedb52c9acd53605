;; Traps at once. A crash must deny by name and leave nothing behind for the next call.
(module
  (memory (export "memory") 1)
  (func (export "handle") (result i32)
    unreachable))
