;; The call of f1 stands in tail position of loop, so loop leaves no frame.
(define (f1 p) (+ (car p) 1))
(define (f2 n)
  (let ((m (let loop ((i 1)) (if (<= i 0) (f1 12) (loop (- i 1))))))
    (when (< n 3) (set! m 5))
    m))
(print (+ 1 (f2 2)))

; error, status 70:
; trace_no_inlined_tail_frame.lisp:2:19: car: expected a pair, got 12
;   2 | (define (f1 p) (+ (car p) 1))
;     |                   ^^^^^^^
;   in f1, called at trace_no_inlined_tail_frame.lisp:4:12
;   in f2, called at trace_no_inlined_tail_frame.lisp:7:13
