;; Never answers. An agent must neither wait for ever nor continue when its hook is late.
(module
  (memory (export "memory") 1)
  (func (export "handle") (result i32)
    (loop $again (br $again))
    (i32.const 0)))
