; trace shows calls and results on the error port; untrace ends it.
(define (fact n) (if (< n 2) 1 (* n (fact (- n 1)))))
(define (shown thunk)
  (let ((port (open-output-string)))
    (parameterize ((current-error-port port)) (thunk))
    (get-output-string port)))
(trace fact)
(display (shown (lambda () (fact 3))))
; => (fact 3)
; =>   (fact 2)
; =>     (fact 1)
; =>     => 1
; =>   => 2
; => => 6
(trace fact)
(print (string-length (shown (lambda () (fact 1)))))   ; => 14
(untrace fact)
(print (shown (lambda () (fact 3))) (fact 4))          ; =>  24
(untrace fact)
; Keywords pass through, values of any size and kind are shown briefly, on one line.
(define (area w :h 2) (list w h (iota 100)))
(trace area)
(display (shown (lambda () (area "a\nb" :h (vector 1.5 'x)))))
; => (area "a\nb" :h #(1.5 x))
; => => ("a\nb" #(1.5 x) (0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 1...
; A call that fails leaves the depth as it was.
(define (bad f) (if f (f) (error "no")))
(define (outer) (bad #f))
(define (outer-less) (bad list))
(trace bad outer)
(display (shown (lambda () (guard (e (#t 1)) (outer)) (outer-less))))
; => (outer)
; =>   (bad #f)
; => (bad #<procedure list>)
; => => ()
; Names of the library are the program's own from then on; several at once, and local ones.
(trace length)
(display (shown (lambda () (length '(1 2)))))
; => (length (1 2))
; => => 2
(define (local x) (let ((g (lambda (y) (* x y)))) (trace g) (g 4)))
(display (shown (lambda () (local 3))))
; => (g 4)
; => => 12
(print (guard (e (#t (error-object-message e))) (let ((x 5)) (trace x)))) ; => trace: expected a procedure, got 5
(print (let ((v (shown (lambda () (time (+ 1 2)))))) (string-suffix? " ms\n" v)))       ; => #t
