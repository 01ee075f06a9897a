; The surrogates are no characters.
(print (integer->char #xd7ff))
(print (integer->char #xd800))

; error, status 70:
; code_point.lisp:3:8: integer->char: expected a code point, got 55296
;   3 | (print (integer->char #xd800))
;     |        ^^^^^^^^^^^^^^^^^^^^^^
