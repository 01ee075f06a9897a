;; counter.lisp - procedures that remember.
;;
;; make-counter returns a procedure with its own `count`: counters do not share
;; it, and nothing else can reach it.

(define (make-counter start step)
  "A procedure that returns start, then start + step, and so on."
  (let ((count (- start step)))
    (lambda ()
      (set! count (+ count step))
      count)))

(define ones (make-counter 1 1))
(define tens (make-counter 10 10))

(print (ones) (ones) (tens) (ones) (tens))      ; 1 2 10 3 20

;; A generator of Fibonacci numbers holds two variables in the same way.
;; Integers grow as large as they need to.

(define (make-fibonacci)
  "A procedure that returns the next Fibonacci number at each call."
  (let ((a 0) (b 1))
    (lambda ()
      (let ((now a))
        (set! a b)
        (set! b (+ now b))
        now))))

(define next (make-fibonacci))
(print (list-tabulate 15 (lambda (k) (next))))
(print (last (list-tabulate 100 (lambda (k) (next)))))
