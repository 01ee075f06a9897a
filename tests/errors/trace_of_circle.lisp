;; Three procedures call each other; a trace shows one round.
(define (a n) (+ 1 (b (- n 1))))
(define (b n) (+ 1 (c n)))
(define (c n) (if (= n 0) (car n) (+ 1 (a n))))
(list (a 50000))

; error, status 70:
; trace_of_circle.lisp:4:27: car: expected a pair, got 0
;   4 | (define (c n) (if (= n 0) (car n) (+ 1 (a n))))
;     |                           ^^^^^^^
;   in c, called at trace_of_circle.lisp:3:20
;   in b, called at trace_of_circle.lisp:2:20
;   in a, called at trace_of_circle.lisp:4:40
;   ... these 3 lines repeated 49998 more times
;   in c, called at trace_of_circle.lisp:3:20
;   in b, called at trace_of_circle.lisp:2:20
;   in a, called at trace_of_circle.lisp:5:7
