;; Required arguments may be keywords; behind them a keyword names, from wherever it comes.
(define (f x :dim 1) (list x dim))
(define (g x :dim 1 . rest) (list x dim rest))
(define key ':dim)
(define (through a b) (f 1 a b))

(print (f key))                         ; => (:dim 1)
(print (f :dim))                        ; => (:dim 1)
(print (f :dim :dim 2))                 ; => (:dim 2)
(print (f 1 key 5))                     ; => (1 5)
(print (through ':dim 6))               ; => (1 6)
(print (g 1 2 key 5))                   ; => (1 5 (2))
(print (g 1 2 3 :dim 4 5))              ; => (1 4 (2 3 5))
(print (apply f '(:dim :dim 7)))        ; => (:dim 7)
(print (map f '(:dim 2)))               ; => ((:dim 1) (2 1))

; A primitive without keyword parameters takes keywords as values, also when it is a value itself.
(print (map make-vector '(1 2) '(:fill :x)))  ; => (#(:fill) #(:x :x))
