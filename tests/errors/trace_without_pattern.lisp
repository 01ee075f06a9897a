;; Which of two calls comes next has no pattern: the middle of the trace is left out.
(define (next seed) (modulo (+ (* seed 75) 74) 65537))
(define (go n seed)
  (if (= n 0)
      (car n)
      (if (< seed 32768)
          (+ 1 (go (- n 1) (next seed)))
          (+ 2 (go (- n 1) (next seed))))))
(define (start) (list (go 1000 1)))
(start)

; error, status 70:
; trace_without_pattern.lisp:5:7: car: expected a pair, got 0
;   5 |       (car n)
;     |       ^^^^^^^
;   in go, called at trace_without_pattern.lisp:8:16
;   ... repeated 1 more time
;   in go, called at trace_without_pattern.lisp:7:16
;   ... repeated 1 more time
;   in go, called at trace_without_pattern.lisp:8:16
;   in go, called at trace_without_pattern.lisp:7:16
;   ... these 2 lines repeated 1 more time
;   in go, called at trace_without_pattern.lisp:7:16
;   ... repeated 1 more time
;   in go, called at trace_without_pattern.lisp:8:16
;   ... repeated 2 more times
;   in go, called at trace_without_pattern.lisp:7:16
;   ... repeated 2 more times
;   in go, called at trace_without_pattern.lisp:8:16
;   in go, called at trace_without_pattern.lisp:7:16
;   ... repeated 1 more time
;   in go, called at trace_without_pattern.lisp:8:16
;   ... repeated 2 more times
;   in go, called at trace_without_pattern.lisp:7:16
;   in go, called at trace_without_pattern.lisp:8:16
;   ... 640 lines are left out
;   in go, called at trace_without_pattern.lisp:7:16
;   ... repeated 2 more times
;   in go, called at trace_without_pattern.lisp:9:23
;   in start, called at trace_without_pattern.lisp:10:1
