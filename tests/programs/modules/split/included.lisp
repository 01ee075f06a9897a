;; included.lisp - a part of the program that includes it.

(define (included l) (sort l <))
(define (included-twice x) (each add! '()) (* 2 x))
