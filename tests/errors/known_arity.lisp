(define length-of
  (case-lambda
    ((v) (+ 0 (length-of v 1)))
    ((v scale) (* scale (vector-length v)))))
(define (total . options)
  (if (null? options) 0 (+ 1 (length-of (car options)))))
(display (total))
(display (+ 1 (total '(1 2))))

; error, status 70:
; known_arity.lisp:4:25: vector-length: expected a vector, got (1 2)
;   4 |     ((v scale) (* scale (vector-length v)))))
;     |                         ^^^^^^^^^^^^^^^^^
; hint: (length list) is the length of a list
;   in length-of, called at known_arity.lisp:3:15
;   in length-of, called at known_arity.lisp:6:30
;   in total, called at known_arity.lisp:8:15
