(define (position item items at)
  (cond ((null? items) (error "not found:" item))
        ((eq? (car items) item) at)
        (else (position item (cdr items) (+ at 1)))))
(define (find item n)
  (if (= n 0)
      (position item (list 'a 'b) 0)
      (position item (cons 'c (list n item)) 0)))
(print (find 'x 1))
(define (twice n) (list (find 'a n) (find 'y n)))
(print (twice 0))

; error, status 70:
; returning_tail_call.lisp:2:24: not found: y
;   2 |   (cond ((null? items) (error "not found:" item))
;     |                        ^^^^^^^^^^^^^^^^^^^^^^^^^
;   in position, called at returning_tail_call.lisp:10:37
;   in twice, called at returning_tail_call.lisp:11:8
