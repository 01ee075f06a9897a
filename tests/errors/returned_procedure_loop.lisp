(define (repeated f n)
  (lambda (x)
    (let loop ((i 0) (x x))
      (if (= i n) x (loop (+ i 1) (f x))))))
(define (third l) (list ((repeated cdr 2) l)))
(display (third '(1 2 . 3)))
(display (third '(1)))

; error, status 70:
; returned_procedure_loop.lisp:4:35: cdr: expected a pair, got ()
;   4 |       (if (= i n) x (loop (+ i 1) (f x))))))
;     |                                   ^^^^^
;   in loop, called at returned_procedure_loop.lisp:5:25
;   in third, called at returned_procedure_loop.lisp:7:10
