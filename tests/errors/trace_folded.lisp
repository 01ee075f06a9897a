; Equal frames fold.
(define (down n) (if (= n 0) (car '()) (+ 1 (down (- n 1)))))
(define (start) (+ 1 (down 5)))
(print (start))

; error, status 70:
; trace_folded.lisp:2:30: car: expected a pair, got ()
;   2 | (define (down n) (if (= n 0) (car '()) (+ 1 (down (- n 1)))))
;     |                              ^^^^^^^^^
;   in down, called at trace_folded.lisp:2:45
;   ... repeated 4 more times
;   in down, called at trace_folded.lisp:3:22
;   in start, called at trace_folded.lisp:4:8
