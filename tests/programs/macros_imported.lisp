;; Macros of other files and libraries mean what they mean where they stand.
(import (prefix "data/macro_library.lisp" l:))
(define (helper x) 'mine)
(define hidden 'mine)
(print (l:with-hidden 1) (helper 1))  ; => 11 mine
(l:bump!)
(print (l:with-hidden 1) hidden)  ; => 12 mine
(l:define-it get)
(print (get) it)  ; => 5 5
(print (l:twice 3))  ; => (3 3)
(print (l:my-if #t then 2))  ; => 2
(import (only "data/macro_library.lisp" twice))
(print (twice 4))  ; => (4 4)
(define-library (local swapping)
  (export swap! (rename inner outer))
  (import (scheme base))
  (begin
    (define-syntax swap!
      (syntax-rules () ((_ a b) (let ((t a)) (set! a b) (set! b t)))))
    (define x 5)
    (define-syntax inner (syntax-rules () ((_) x)))))
(import (local swapping))
(define x 1)
(define t 2)
(swap! x t)
(print x t (outer))  ; => 2 1 5
;; Special forms under other names.
(import (rename (only (scheme base) if cond else) (if wenn) (cond choose)))
(print (wenn #t 1 2) (choose (#f 1) (else 2)))  ; => 1 2
