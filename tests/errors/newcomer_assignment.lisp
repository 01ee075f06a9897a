; Python assigns with =, outside parentheses.
x = 5

; error, status 70:
; newcomer_assignment.lisp:2:1: unbound variable: x
;   2 | x = 5
;     | ^
; hint: write (define x 5), or (set! x 5) to change it
