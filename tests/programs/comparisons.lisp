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
