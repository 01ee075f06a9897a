; What no clause takes is reported at the call, with all that there is.
(define area
  (case-lambda
    ((r) (* r r))
    ((w h) (* w h))
    ((a b c d . more) 0)))
(define (f) (+ 1 (area 1 2 3)))
(print (f))

; error, status 70:
; case_lambda_arity.lisp:7:18: area: expected 1, 2 or at least 4 arguments, got 3
;   7 | (define (f) (+ 1 (area 1 2 3)))
;     |                  ^^^^^^^^^^^^
; hint: usage: (area r) or (area w h) or (area a b c d more ...)
;   in f, called at case_lambda_arity.lisp:8:8
