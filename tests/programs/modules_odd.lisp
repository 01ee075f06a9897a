;; modules_odd.lisp - imports and libraries in odd places, and by way of macros.

(begin (import "modules/counter.lisp") (print (next!))) ; => counter runs
; => 1
(cond-expand (lambent (import (prefix "modules/counter.lisp" q:))))
(define-syntax import-it (syntax-rules () ((_ set) (import set))))
(import-it (only (prefix "modules/counter.lisp" z:) z:next!))
(print (q:next!) (z:next!)) ; => 2 3
(define-syntax deflib (syntax-rules () ((_ name x) (define-library name (export x) (begin (define x 'made))))))
(deflib (made lib) thing)
(import (made lib))
(print thing) ; => made
(define-library (a b c) (export f) (import (only (scheme base) define + lambda)) (begin (define f (lambda (x) (+ x 1)))))
(let () (print "body")) ; => body
(import (a b c))
(print (map f '(1 2))) ; => (2 3)
(define-library (m) (export inc!) (begin (define n 0) (define-syntax inc! (syntax-rules () ((_) (begin (set! n (+ n 1)) n))))))
(import (m))
(inc!) (print (inc!)) ; => 2
(define n 'own)
(print (inc!) n) ; => 3 own
(define-library (ovr) (export g) (begin (define (abs x) 'lib-abs) (define (g x) (abs x))))
(import (ovr))
(print (g -1) (abs -1)) ; => lib-abs 1
(define-library (claims) (export h) (begin (set! car (lambda (x) 'set)) (define (h x) (car x))))
(import (claims))
(print (h 1) (car '(1))) ; => set 1
(define-record-type p (mk a) p? (a pa))
(print (pa (mk 3))) ; => 3
