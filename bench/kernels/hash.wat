;; A hash of 32 KiB, four bytes per iteration: the smallest loop with a useful result.
(module
  (memory 1)
  (func (export "run") (result i32)
    (local $at i32) (local $hash i32)
    (local.set $hash (i32.const 0x811c9dc5))
    (loop $words
      (local.set $hash (i32.mul
        (i32.rotl (i32.xor (local.get $hash) (i32.load (local.get $at))) (i32.const 13))
        (i32.const 0x01000193)))
      (local.set $at (i32.add (local.get $at) (i32.const 4)))
      (br_if $words (i32.lt_u (local.get $at) (i32.const 32768))))
    (local.get $hash)))
