; A literal with more than eight bits.
(print #u8(1 2 256))

; error, status 65:
; byte_literal.lisp:2:16: not a byte: 256
;   2 | (print #u8(1 2 256))
;     |                ^^^
