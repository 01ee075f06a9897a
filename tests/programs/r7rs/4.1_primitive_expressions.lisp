;; R7RS 4.1: variables, literals, calls, procedures, conditionals, assignments.

(define x 28)
(print x)  ; => 28
(print (quote a))  ; => a
(write (quote #(a b c)))
(newline)  ; => #(a b c)
(print (quote (+ 1 2)))  ; => (+ 1 2)
(write '"abc")
(newline)  ; => "abc"
(write "abc")
(newline)  ; => "abc"
(print '145932 145932)  ; => 145932 145932
(write ''a)
(newline)  ; => 'a
(write '(quote a b))
(newline)  ; => (quote a b)
(write '#t)
(newline)  ; => #t

(print (+ 3 4))  ; => 7
(print ((if #f + *) 3 4))  ; => 12

(print ((lambda (x) (+ x x)) 4))  ; => 8
(define reverse-subtract (lambda (x y) (- y x)))
(print (reverse-subtract 7 10))  ; => 3
(define add4
  (let ((x 4))
    (lambda (y) (+ x y))))
(print (add4 6))  ; => 10
(print ((lambda x x) 3 4 5 6))  ; => (3 4 5 6)
(print ((lambda (x y . z) z) 3 4 5 6))  ; => (5 6)
(print ((lambda (x y . z) z) 3 4))  ; => ()

(print (if (> 3 2) 'yes 'no))  ; => yes
(print (if (> 2 3) 'yes 'no))  ; => no
(print (if (> 3 2) (- 3 2) (+ 3 2)))  ; => 1
(print (if '() 'true 'false))  ; => true

(define y 2)
(print (+ y 1))  ; => 3
(set! y 4)
(print (+ y 1))  ; => 5
(define (counter)
  (let ((n 0))
    (lambda ()
      (set! n (+ n 1))
      n)))
(define tick (counter))
(tick)
(print (tick) ((counter)))  ; => 2 1
