;; shapes.lisp - stands on counter.lisp, and has a helper of a common name.

(import "counter.lisp")
(define (helper r) (* r r))
(define (area r) (next!) (* 3 (helper r)))
(define-syntax square-of
  (syntax-rules () ((_ r) (helper r))))
(define-values (one two) (values 1 2))
(print "shapes runs")
