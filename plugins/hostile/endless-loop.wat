;; Never answers. An agent that waits for ever, or that goes ahead when its hook is late, has lost.
(module
  (memory (export "memory") 1)
  (func (export "handle") (result i32)
    (loop $again (br $again))
    (i32.const 0)))
