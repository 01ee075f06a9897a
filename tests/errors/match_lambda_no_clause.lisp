; Arguments that no clause of a match-lambda* takes.
(define f (match-lambda* ((a) 1) ((a (? string?)) 2)))
(print (+ (f 1) (f 1 2)))

; error, status 70:
; match_lambda_no_clause.lisp:2:12: match-lambda*: no clause matches (1 2)
;   2 | (define f (match-lambda* ((a) 1) ((a (? string?)) 2)))
;     |            ^^^^^^^^^^^^^
;   in f, called at match_lambda_no_clause.lisp:3:17
