; Columns count characters, and the caret stands under them.
(define größe "é") (print größe (car "é→"))

; error, status 70:
; unicode_column.lisp:2:33: car: expected a pair, got "é→"
;   2 | (define größe "é") (print größe (car "é→"))
;     |                                 ^^^^^^^^^^
; hint: (string-ref s index) is a character of a string, (string->list s) makes a list of it
