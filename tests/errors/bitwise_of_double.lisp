; Bits are those of exact integers.
(bitwise-and 5 2.0)

; error, status 70:
; bitwise_of_double.lisp:2:1: bitwise-and: expected an exact integer, got 2.0
;   2 | (bitwise-and 5 2.0)
;     | ^^^^^^^^^^^^^^^^^^^
; hint: (exact (floor x)) makes an exact integer of a number
