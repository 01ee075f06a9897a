;; counter.lisp - imported by several: it runs once, and its count is shared.

(define count 0)
(define (next!)
  (set! count (+ count 1))
  count)
(define-syntax twice!
  (syntax-rules () ((_) (begin (set! count (+ count 1)) (next!)))))
(print "counter runs")
