; Inlined procedures have frames in traces, except those that tail calls have left.

(define (first-of pair) (car pair))
(define (via pair) (first-of pair))
(define (sum-of pair) (+ 1 (via pair)))
(define (twice f x) (f (f x)))
(define (keep ok? items)
  (cond ((null? items) '())
        ((ok? (car items)) (cons (car items) (keep ok? (cdr items))))
        (else (keep ok? (cdr items)))))
(define (report thunk)
  (guard (e (#t (display (error-object-message e)) (newline) 0)) (thunk)))
(define (tried x)
  (list (report (lambda () (sum-of x)))
        (report (lambda () (twice (lambda (y) (+ y x)) 1)))
        (report (lambda () (keep (lambda (y) (> y x)) '(1 2))))
        (report (lambda () (keep odd? (list 1 x))))
        (report (lambda () (apply sum-of (list x 2))))))
(define (main x)
  (tried x)
  (list (twice (lambda (y) (sum-of (keep (lambda (z) (sum-of z)) y))) '((2) 3))))
(main 'a)

; error, status 70:
; inlined_trace.lisp:3:25: car: expected a pair, got 3
;   3 | (define (first-of pair) (car pair))
;     |                         ^^^^^^^^^^
;   in first-of, called at inlined_trace.lisp:5:28
;   in sum-of, called at inlined_trace.lisp:9:10
;   in keep, called at inlined_trace.lisp:9:46
;   in keep, called at inlined_trace.lisp:21:36
;   in lambda, called at inlined_trace.lisp:6:24
;   in twice, called at inlined_trace.lisp:21:9
;   in main, called at inlined_trace.lisp:22:1
