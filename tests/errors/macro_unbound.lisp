(define-syntax safe-first
  (syntax-rules () ((_ l) (if (null? l) #f (frist l)))))
(define (f l) (list (safe-first l)))
(print (f '(1)))

; error, status 70:
; macro_unbound.lisp:3:21: unbound variable: frist
;   3 | (define (f l) (list (safe-first l)))
;     |                     ^^^^^^^^^^^^^^
; hint: did you mean first?
;   in the expansion of safe-first
;   in f, called at macro_unbound.lisp:4:8
