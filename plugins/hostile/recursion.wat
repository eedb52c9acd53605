;; Calls itself without end. The place where the native stack overflows varies with machine and time; the
;; verdict must not.
(module
  (memory (export "memory") 1)
  (func $deeper (param $depth i32) (result i32)
    (i32.add (i32.const 1) (call $deeper (i32.add (local.get $depth) (i32.const 1)))))
  (func (export "handle") (result i32)
    (drop (call $deeper (i32.const 0)))
    (i32.const 0)))
