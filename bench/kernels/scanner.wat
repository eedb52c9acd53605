;; Counts words, numbers and quotes in 32 KiB of text: a table of branches for each byte.
(module
  (memory 1)
  (func (export "run") (result i32)
    (local $at i32) (local $byte i32) (local $state i32) (local $count i32)
    (loop $bytes
      (i32.store8 (local.get $at) (i32.add (i32.const 32) (i32.rem_u (i32.mul (local.get $at) (i32.const 31)) (i32.const 95))))
      (local.set $byte (i32.load8_u (local.get $at)))
      (block $end
        (block $other
          (block $space
            (block $quote
              (block $letter
                (br_table $space $other $quote $other $other $other $other $quote $other $other $letter
                  (i32.sub (i32.and (local.get $byte) (i32.const 127)) (i32.const 32))))
              (local.set $state (i32.const 1))
              (br $end))
            (local.set $count (i32.add (local.get $count) (i32.const 1)))
            (br $end))
          (local.set $state (i32.const 0))
          (br $end))
        (local.set $count (i32.add (local.get $count) (i32.eqz (local.get $state)))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br_if $bytes (i32.lt_u (local.get $at) (i32.const 32768))))
    (local.get $count)))
