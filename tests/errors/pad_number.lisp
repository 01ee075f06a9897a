; string-pad-left takes text.
(define (column x)
  (string-append (string-pad-left x 5) "|"))
(print (column 42))

; error, status 70:
; pad_number.lisp:3:18: string-pad-left: expected a string, got 42
;   3 |   (string-append (string-pad-left x 5) "|"))
;     |                  ^^^^^^^^^^^^^^^^^^^^^
; hint: (number->string x) makes a string of a number
;   in column, called at pad_number.lisp:4:8
