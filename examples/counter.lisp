;; counter.lisp - procedures that remember.
;;
;; make-counter gives a procedure that keeps `count` for itself: no two counters
;; share it, and nothing else can reach it.

(define (make-counter start step)
  "A procedure that gives start, then start + step, and so on."
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
  "A procedure that gives the next Fibonacci number at each call."
  (let ((a 0) (b 1))
    (lambda ()
      (let ((now a))
        (set! a b)
        (set! b (+ now b))
        now))))

(define next (make-fibonacci))
(print (list-tabulate 15 (lambda (k) (next))))
(print (last (list-tabulate 100 (lambda (k) (next)))))
