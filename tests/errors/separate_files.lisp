;; separate_files.lisp - a trace goes through the files of a program.
(import "../programs/modules/split/users.lisp" "../programs/modules/split/numbers.lisp")
(define (twice x) (each (lambda (y) (print (fails y))) x) 2)
(print (+ 1 (twice '((1) b))))

; error, status 70:
; ../programs/modules/split/numbers.lisp:18:24: car: expected a pair, got b
;   18 | (define (fails x) (+ 1 (car x)))
;      |                        ^^^^^^^
;   in fails, called at separate_files.lisp:3:44
;   in lambda, called at ../programs/modules/split/numbers.lisp:13:41
;   in each, called at separate_files.lisp:3:19
;   in twice, called at separate_files.lisp:4:13
