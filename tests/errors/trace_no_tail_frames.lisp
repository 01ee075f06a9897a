; A call in tail position leaves no frame.
(define (inner x) (vector-ref (vector) x))
(define (middle x) (inner x))
(define (outer x) (+ 1 (middle x)))
(print (outer 0))

; error, status 70:
; trace_no_tail_frames.lisp:2:19: vector-ref: index 0 is out of range for length 0
;   2 | (define (inner x) (vector-ref (vector) x))
;     |                   ^^^^^^^^^^^^^^^^^^^^^^^
;   in inner, called at trace_no_tail_frames.lisp:4:24
;   in outer, called at trace_no_tail_frames.lisp:5:8
