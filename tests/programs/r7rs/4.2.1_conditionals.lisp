;; cond, case, when, unless, do, named let, let*, letrec*: the report's examples and their edges.
(print (cond ((> 3 2) 'greater) ((< 3 2) 'less)))  ; => greater
(print (cond ((assv 'b '((a 1) (b 2))) => cadr) (else #f)))  ; => 2
(print (cond (#f 1)) (cond (5)) (cond (#f 1) (else 2 3)))  ; => #<unspecified> 5 3
(print (case (* 2 3) ((2 3 5 7) 'prime) ((1 4 6 8 9) 'composite)))  ; => composite
(print (case (car '(c d)) ((a e i o u) 'vowel) ((w y) 'semivowel) (else => list)))
; => (c)
(print (case 1 ((1) => (lambda (x) (list x 'one))) (else 2)))  ; => (1 one)
(print (case 'z ((a) 1)) (case 'else ((else) 'symbol) (else 'no)))
; => #<unspecified> symbol
(print (case #\a ((#\a "b" 2.5 ()) 'found) (else 'lost)) (case "b" (("b") 1) (else 2)))
; => found 2
(print (case '() ((()) 'empty) (else 'other)) (case 'x (() 1) (else 2)))  ; => empty 2
(print (when #t 1 2) (unless #f 3 4) (when #f 1))  ; => 2 4 #<unspecified>
(print (and) (and 1) (and 1 #f 2) (or) (or #f 3) (or #f #f))  ; => #t 1 #f #f 3 #f
(print (do ((vec (make-vector 5)) (i 0 (+ i 1))) ((= i 5) vec) (vector-set! vec i i)))
; => #(0 1 2 3 4)
(print (let ((x '(1 3 5 7 9)))
         (do ((x x (cdr x)) (sum 0 (+ sum (car x)))) ((null? x) sum))))  ; => 25
(print (do ((i 0 (+ i 1)) (fixed 7)) ((= i 2) 'ignored fixed)))  ; => 7
;; Each turn of `do` has variables of its own.
(print (map (lambda (f) (f))
            (do ((i 0 (+ i 1)) (fs '() (cons (lambda () i) fs))) ((= i 3) fs))))
; => (2 1 0)
(print (let* () 5) (let* ((x 1) (x (+ x 1))) x))  ; => 5 2
(print (let ((x 2) (y 3)) (let* ((x 7) (z (+ x y))) (* z x))))  ; => 70
(print (letrec* ((p (lambda (x) (+ 1 (q (- x 1)))))
                 (q (lambda (y) (if (zero? y) 0 (+ 1 (p (- y 1))))))
                 (x (p 5))
                 (y x))
         y))  ; => 5
(print (let loop ((numbers '(3 -2 1 6 -5)) (nonneg '()) (neg '()))
         (cond ((null? numbers) (list nonneg neg))
               ((>= (car numbers) 0)
                (loop (cdr numbers) (cons (car numbers) nonneg) neg))
               ((< (car numbers) 0)
                (loop (cdr numbers) nonneg (cons (car numbers) neg))))))
; => ((6 1 3) (-5 -2))
;; The name of a loop is not in sight where its variables begin.
(define (loop x) (list 'global x))
(print (let loop ((x (loop 1))) x))  ; => (global 1)
