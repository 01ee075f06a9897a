; Procedures that are called where they are returned or written.

(define (repeated f n)
  (lambda (x)
    (let loop ((i 0) (x x))
      (if (= i n) x (loop (+ i 1) (f x))))))
(define (add n) (lambda (x) (lambda (y) (+ n x y))))
(define (noted note x) (note x) (lambda (y) (list x y)))
(define (run i)
  (list ((repeated (lambda (x) (* 2 x)) i) 1)
        (((add i) 2) 3)
        ((lambda (a . more) (list a more)) i 2 3)
        ((let ((n (+ i 1))) (lambda (x) (set! n (+ n x)) n)) 10)))
(print (run 3))  ; => (8 8 (3 (2 3)) 14)

; The procedure is evaluated before the arguments.
(define (order)
  (let* ((seen '())
         (note (lambda (x) (set! seen (cons x seen)) x))
         (result ((noted note 1) (note 2))))
    (list result (reverse seen))))
(print (order))  ; => ((1 2) (1 2))
(define (kept l)
  (let ((counter ((lambda (n) (lambda () (set! n (+ n 1)) (list n l))) 0)))
    (counter)
    (counter)))
(print (kept '(a)))  ; => (2 (a))
(define (deep n) ((lambda (m) (if (= m 0) 'done (deep m))) (- n 1)))
(print (deep 100000))  ; => done
