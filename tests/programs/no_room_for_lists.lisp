; A list that cannot be had is refused before its first element is made.
(define many (expt 10 11))
(define (refusal thunk)
  (print (guard (e ((error-object? e) (error-object-message e)))
           (thunk)
           "nothing happened")))

(refusal (lambda () (make-list many 0)))
; => make-list: the result is too large
(refusal (lambda () (iota many)))
; => iota: the result is too large
(refusal (lambda () (list-tabulate many (lambda (k) (error "called")))))
; => list-tabulate: the result is too large
(refusal (lambda () (string-tabulate (lambda (k) (error "called")) many)))
; => string-tabulate: the result is too large
(refusal (lambda () (make-list (expt 10 30))))
; => make-list: the result is too large

(refusal (lambda () (make-list -1)))
; => make-list: expected a non-negative exact integer, got -1
(refusal (lambda () (make-list 1.0)))
; => make-list: expected a non-negative exact integer, got 1.0
(print (make-list 2 'a) (make-list 0) (list-tabulate 3 -))  ; => (a a) () (0 -1 -2)
