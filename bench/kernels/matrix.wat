;; A product of two matrices of 48 by 48 floats.
(module
  (memory 2)
  (func (export "run") (result i32)
    (local $i i32) (local $j i32) (local $k i32) (local $sum f64)
    (loop $rows
      (local.set $j (i32.const 0))
      (loop $columns
        (local.set $k (i32.const 0))
        (local.set $sum (f64.const 0))
        (loop $inner
          (local.set $sum (f64.add (local.get $sum) (f64.mul
            (f64.load (i32.shl (i32.add (i32.mul (local.get $i) (i32.const 48)) (local.get $k)) (i32.const 3)))
            (f64.load offset=18432 (i32.shl (i32.add (i32.mul (local.get $k) (i32.const 48)) (local.get $j)) (i32.const 3))))))
          (local.set $k (i32.add (local.get $k) (i32.const 1)))
          (br_if $inner (i32.lt_u (local.get $k) (i32.const 48))))
        (f64.store offset=36864
          (i32.shl (i32.add (i32.mul (local.get $i) (i32.const 48)) (local.get $j)) (i32.const 3)) (local.get $sum))
        (local.set $j (i32.add (local.get $j) (i32.const 1)))
        (br_if $columns (i32.lt_u (local.get $j) (i32.const 48))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $rows (i32.lt_u (local.get $i) (i32.const 48))))
    (i32.const 0)))
