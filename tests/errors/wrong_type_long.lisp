; A long value is cut in the message.
(print (vector-length '(aaaaaaaaaa bbbbbbbbbb cccccccccc dddddddddd eeeeeeeeee ffffffffff gggggggggg)))

; error, status 70:
; wrong_type_long.lisp:2:8: vector-length: expected a vector, got (aaaaaaaaaa bbbbbbbbbb cccccccccc dddddddddd eeeeeeeeee ffff...
;   2 | (print (vector-length '(aaaaaaaaaa bbbbbbbbbb cccccccccc dddddddddd eeeeeeeeee ffffffffff gggggggggg)))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: (length list) is the length of a list
