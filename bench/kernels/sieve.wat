;; Primes below 60,000: short loops over bytes.
(module
  (memory 1)
  (func (export "run") (result i32)
    (local $i i32) (local $j i32) (local $count i32)
    (memory.fill (i32.const 0) (i32.const 1) (i32.const 60000))
    (local.set $i (i32.const 2))
    (loop $next
      (if (i32.load8_u (local.get $i))
        (then
          (local.set $count (i32.add (local.get $count) (i32.const 1)))
          (local.set $j (i32.shl (local.get $i) (i32.const 1)))
          (block $done
            (loop $strike
              (br_if $done (i32.ge_u (local.get $j) (i32.const 60000)))
              (i32.store8 (local.get $j) (i32.const 0))
              (local.set $j (i32.add (local.get $j) (local.get $i)))
              (br $strike)))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $i) (i32.const 60000))))
    (local.get $count)))
