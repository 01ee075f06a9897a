; A variable of a let as other languages write it.
(let n = 3)

; error, status 65:
; let_equals.lisp:2:1: let: expected (let ((name value) ...) body ...), got (let n = 3)
;   2 | (let n = 3)
;     | ^^^^^^^^^^^
; hint: write (let ((n 3)) body ...), or (define n 3)
