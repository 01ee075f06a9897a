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

; Arguments in the wrong order, and a dtype that cannot learn, are found before anything changes.
(define (refusal thunk)
  (guard (e (#t (print (error-object-message e) (error-object-irritants e))))
    (thunk)))
(define small (linear 1 1))
(refusal (lambda () (load-model! small "small.safetensors")))  ; => load-model!: expected a path, got a module, linear ()
(refusal (lambda () (save-model small "small.safetensors")))  ; => save-model: expected a path, got a module, linear ()
(refusal (lambda () (to! small 'int64)))  ; => to!: expected a floating-point dtype or a device, got (int64)
(print (tensor-dtype (linear-weight small)))  ; => float32

; A module that would hold itself is refused; a wrapper of a module in its place is not.
(define-module (node) ((next #f)) (forward (x) x))
(define first-node (node))
(define chain (sequential first-node))
(refusal (lambda () (replace-module! chain "0" (list chain))))  ; => replace-module!: the module would hold itself: the value is, or has in it, the same (sequential)
(refusal (lambda () (record-set! first-node 'next (vector 1 chain))))  ; => record-set!: the module would hold itself: the value is, or has in it, the same (node)
(replace-module! chain "0" (residual first-node))
(print (map car (named-modules chain)))  ; => ( 0 0.layer)
