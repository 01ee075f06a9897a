; A call over several lines: the carets stop at the end of its first.
(print
  (vector-ref
    (vector 1 2)
    7))

; error, status 70:
; long_call.lisp:3:3: vector-ref: index 7 is out of range for length 2
;   3 |   (vector-ref
;     |   ^^^^^^^^^^^
