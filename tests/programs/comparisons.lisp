; Comparisons chain, and mix exact and inexact without rounding.
(print (< 1 2 3) (< 1 3 2) (<= 1 1 2) (> 3 2 1) (>= 3 3 2) (= 2 2 2)) ; => #t #f #t #t #t #t
(print (< 1) (= 5))                               ; => #t #t
(print (= 9007199254740993 9007199254740992.0))   ; => #f
(print (< 9007199254740992.0 9007199254740993))   ; => #t
(print (< 1 1.5 2) (= 1/2 0.5) (< 1/3 0.3333333333333333)) ; => #t #t #f
(print (max 1 2 3) (min 3 1 2) (max 1))           ; => 3 1 1
(define (between? low x high) (<= low x high))
(print (between? 1 2 3) (between? 1 4 3))         ; => #t #f
(define count 0)
(define (next) (set! count (+ count 1)) count)
(print (< (next) (next) (next)) count)            ; => #t 3
(print (apply < '(1 2 3)) (apply max '(4 9 2)))   ; => #t 9

; Fields of pairs are compared as they are.
(define (order p q) (list (< (car p) (car q)) (= (cdr p) (cdr q)) (>= (car p) (cdr q))))
(print (order '(1 . 2) '(2 . 2.0)) (order '(1.5 . -0.0) '(1.5 . 0.0)))  ; => (#t #t #f) (#f #t #t)
(print (order '(1e300 . 1/3) '(1e301 . 1/3)) (order (cons (/ 0. 0.) 1) '(1 . 1)))  ; => (#t #t #t) (#f #t #f)
(print (order (cons (expt 10 30) 1) (cons 1e30 1.5)) (order '(2.5 . 1) '(2 . 2.5)))  ; => (#t #f #t) (#f #f #t)
(print (guard (e (#t (error-object-message e))) (order '(a . 1) '(1 . 1))))  ; => <: expected a number, got a

;; Elements of vectors beside exact constants: integers, doubles, ratios, and what is no number.
(define (ones v)
  (let loop ((i 0) (n 0))
    (if (= i (vector-length v)) n (loop (+ i 1) (if (= 1 (vector-ref v i)) (+ n 1) n)))))
(define (small v)
  (let loop ((i 0) (found '()))
    (if (= i (vector-length v))
        found
        (loop (+ i 1) (if (< (vector-ref v i) 10) (cons (vector-ref v i) found) found)))))
(print (ones (vector 1 1.0 1/2 (expt 10 30) 2)) (ones (vector 1.0 1e300 -0.0)))  ; => 2 1
(print (small (vector 1 20 1.5 1e300 (expt 10 30) (- (expt 10 30)) 1/3)))
; => (1/3 -1000000000000000000000000000000 1.5 1)
(print (small (vector 1e300 -1e300 0.0 -0.0 1e-200)))  ; => (1e-200 -0.0 0.0 -1e300)
(print (guard (e (#t (error-object-message e))) (ones (vector 1 'a))))  ; => =: expected a number, got a
