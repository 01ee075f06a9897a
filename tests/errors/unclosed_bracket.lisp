; The reader names the bracket that is never closed.
(define (f x)
  (+ x 1)
(print (f 1))

; error, status 65:
; unclosed_bracket.lisp:2:1: unclosed (
;   2 | (define (f x)
;     | ^
