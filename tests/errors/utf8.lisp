; Bytes that are no UTF-8.
(print (utf8->string #u8(97 206 187)))
(print (utf8->string #u8(97 206 187 206)))

; error, status 70:
; utf8.lisp:3:8: utf8->string: no UTF-8 at index 3
;   3 | (print (utf8->string #u8(97 206 187 206)))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
